import { createSecretKey, randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { createSealer } from '../sealer.ts';
import { opened, sealed } from './clear-text.ts';

const here = createSealer(createSecretKey(randomBytes(32)));
const there = createSealer(createSecretKey(randomBytes(32)));

test('sealed texts are opened for the way, and sealed again by who gets them', () => {
  const doc = { a: { list: [here.seal('secret'), 1, null, 'plain'] }, b: true };
  const onTheWay = JSON.parse(JSON.stringify(opened(doc, here))) as unknown;
  expect(JSON.stringify(onTheWay)).not.toContain('sealed:1:');
  const arrived = sealed(onTheWay, there) as typeof doc;
  expect(arrived.a.list[0]).toMatch(/^sealed:1:/);
  expect(there.open(arrived.a.list[0] as string)).toBe('secret');
  expect({ ...arrived, a: { list: arrived.a.list.slice(1) } }).toEqual({
    a: { list: [1, null, 'plain'] },
    b: true,
  });
});

test("a user's text that looks sealed stays what it is", () => {
  const doc = {
    text: 'sealed:1:aGVsbG8gd29ybGQgdGhhdCBpcyBub3Qgc2VhbGVkIGF0IGFsbA==',
    other: { 'grigri:sealed': 1 },
  };
  expect(sealed(opened(doc, here), there)).toEqual(doc);
});
