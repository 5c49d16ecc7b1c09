import { expect, test } from 'vitest';
import { formatOfferUrl, parseOfferUrl } from './url.ts';

test.each([
  ['m.o', '', '', 'm', 'o', ''],
  ['u/m.o', '', 'u', 'm', 'o', ''],
  ['c:u/m.o', 'c', 'u', 'm', 'o', ''],
  ['u/m.o:ep', '', 'u', 'm', 'o', 'ep'],
  ['c:m.o', 'c', '', 'm', 'o', ''],
  ['c.example:u/m.o', 'c.example', 'u', 'm', 'o', ''],
  ['c.example:u/m.o:ep', 'c.example', 'u', 'm', 'o', 'ep'],
  ['c:u@x/m.o:ep', 'c', 'u@x', 'm', 'o', 'ep'],
])('the URL %s of an offer is read', (text, controller, owner, model, offer, endpoint) => {
  const url = { controller, owner, model, offer, endpoint };
  expect(parseOfferUrl(text)).toEqual(url);
});

test.each([
  ['o', 'application offer URL has invalid form, must be [<user/]<model>.<appname>: "o"'],
  ['', 'invalid form'],
  ['/m.o', 'invalid form'],
  ['a/b/m.o', 'invalid form'],
  ['m.o.p', 'invalid form'],
  ['a:b:c:m.o', 'invalid form'],
  [':m.o', 'invalid form'],
  ['m.o:', 'invalid form'],
  ['c:o', 'invalid form'],
  ['.o', 'application offer URL is missing model'],
  ['u/m.', 'application offer URL is missing application'],
])('the URL "%s" of an offer is refused: %s', (text, message) => {
  expect(() => parseOfferUrl(text)).toThrow(message);
});

test('the URL of an offer is written with the controller only where there is one', () => {
  const url = { owner: 'u', model: 'm', offer: 'o' };
  expect(formatOfferUrl({ controller: '', ...url })).toBe('u/m.o');
  expect(formatOfferUrl({ controller: 'c', ...url })).toBe('c:u/m.o');
});
