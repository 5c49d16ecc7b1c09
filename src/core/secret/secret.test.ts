import { describe, expect, test } from 'vitest';
import { JujuError } from '../errors.ts';
import { checkContent, checksumText } from './content.ts';
import {
  isDue,
  parseExpiry,
  rotationAfter,
  rotationAfterHook,
  rotationOnSet,
  type RotatePolicy,
} from './rotate.ts';
import { isSecretId, parseSecretUri, readSecretUri, secretIdOf } from './secret-id.ts';

const model = '5a8e6a3c-4c39-4b7e-8a4e-7a3c62c3b0d1';
const id = '9m4e2mr0ui3e8a215n4g';

describe('ids and URIs of secrets', () => {
  test('an id is 20 letters and digits as in an xid, and differs for each UUID', () => {
    const uuids = ['00000000-0000-4000-8000-000000000000', 'ffffffff-ffff-4fff-bfff-ffffffffffff', model];
    const ids = uuids.map((uuid) => secretIdOf('1970-01-01T00:00:00.000Z', uuid));
    expect(ids[0]).toBe('0'.repeat(20));
    for (const one of ids) expect(isSecretId(one), one).toBe(true);
    expect(new Set(ids).size).toBe(3);
  });

  test('ids sort by the times at which they were made, whatever the UUID', () => {
    const times = [
      '1970-01-01T00:00:00.001Z',
      '2026-11-27T20:00:00.000Z',
      '2026-11-27T20:00:00.999Z',
      '2026-11-27T20:00:01.000Z',
      '2106-02-07T06:28:15.999Z',
    ];
    const ids = times.map((time, i) => secretIdOf(time, `${9 - i}fffffff-ffff-4fff-bfff-ffffffffffff`));
    expect(ids).toEqual(ids.toSorted());
    for (const one of ids) expect(isSecretId(one), one).toBe(true);
  });

  test.each([
    [id, { id }],
    [`secret:${id}`, { id }],
    [`secret://${model}/${id}`, { id, model }],
    [`//${model}/${id}`, { id, model }],
    [`secret:${model}/${id}`, { id, model }],
  ])('%s is a URI of a secret', (text, uri) => expect(parseSecretUri(text)).toEqual(uri));

  test.each([
    '',
    'secret:',
    'pw',
    'secret:x',
    `${id}0`,
    `secret:/${id}`,
    `secret://x/${id}`,
    id.toUpperCase(),
  ])('%j is not a URI of a secret', (text) => {
    expect(readSecretUri(text)).toBeUndefined();
    expect(() => parseSecretUri(text)).toThrow(`secret URI ${JSON.stringify(text)} not valid`);
  });
});

describe('rotation of secrets', () => {
  test.each<[RotatePolicy, string, string | undefined]>([
    ['never', '2026-01-31T10:00:00Z', undefined],
    ['hourly', '2026-01-31T23:30:00Z', '2026-02-01T00:30:00.000Z'],
    ['daily', '2026-02-28T10:00:00Z', '2026-03-01T10:00:00.000Z'],
    ['weekly', '2026-12-28T10:00:00Z', '2027-01-04T10:00:00.000Z'],
    ['monthly', '2026-01-31T10:00:00Z', '2026-03-03T10:00:00.000Z'],
    ['quarterly', '2026-11-15T10:00:00Z', '2027-02-15T10:00:00.000Z'],
    ['yearly', '2028-02-29T10:00:00Z', '2029-03-01T10:00:00.000Z'],
  ])('the next rotation by the policy %s after %s: %s', (policy, from, next) =>
    expect(rotationAfter(policy, from)).toBe(next),
  );

  test('a new policy only moves the next rotation to an earlier time', () => {
    const now = '2026-01-01T00:00:00.400Z';
    expect(rotationOnSet('daily', undefined, now)).toBe('2026-01-02T00:00:00.000Z');
    expect(rotationOnSet('weekly', '2026-01-02T00:00:00.000Z', now)).toBe('2026-01-02T00:00:00.000Z');
    expect(rotationOnSet('hourly', '2026-01-02T00:00:00.000Z', now)).toBe('2026-01-01T01:00:00.000Z');
    expect(rotationOnSet('never', '2026-01-02T00:00:00.000Z', now)).toBeUndefined();
  });

  test.each<[what: string, hasNewRevision: boolean, expires: string | undefined, now: string, next: string]>([
    ['with a new revision', true, undefined, '2026-01-02T00:00:30Z', '2026-01-03T00:00:00.000Z'],
    ['without one', false, undefined, '2026-01-02T00:00:30Z', '2026-01-02T00:05:30.000Z'],
    ['that expires before', true, '2026-01-02T12:00:00Z', '2026-01-02T00:00:30Z', '2026-01-02T00:05:30.000Z'],
    ['after days of absence', true, undefined, '2026-01-09T06:00:00Z', '2026-01-10T06:00:00.000Z'],
  ])(
    'the next rotation after the hook %s (%s, %s) at %s is at %s',
    (_, hasNewRevision, expires, now, next) => {
      const due = '2026-01-02T00:00:00Z';
      expect(rotationAfterHook({ policy: 'daily', due, now, hasNewRevision, expires })).toBe(next);
    },
  );

  test('a rotation is due within the minute of its time', () => {
    expect(isDue('2026-01-01T00:01:59Z', Date.parse('2026-01-01T00:01:00Z'))).toBe(true);
    expect(isDue('2026-01-01T00:02:00Z', Date.parse('2026-01-01T00:01:59Z'))).toBe(false);
  });
});

test.each([
  ['', undefined],
  ['2h', '2026-01-01T02:00:00.000Z'],
  ['1.4s', '2026-01-01T00:00:01.000Z'],
  ['2027-01-02T03:04:05', '2027-01-02T03:04:05.000Z'],
  ['2027-01-02T03:04:05+02:00', '2027-01-02T01:04:05.000Z'],
  ['2020-01-02T03:04:05.6Z', '2020-01-02T03:04:06.000Z'],
])('--expire %j is read as %s', (text, at) => expect(parseExpiry(text, '2026-01-01T00:00:00.000Z')).toBe(at));

test.each(['x', '2027-13-01T00:00:00', '0', '-1s', '99999999999999h'])('--expire %j is refused', (text) => {
  expect(() => parseExpiry(text, '2026-01-01T00:00:00.000Z')).toThrow('not valid');
});

test("the checksum of a secret's content does not depend on the order of keys", () => {
  expect(checksumText({ bbb: 'Yg==', aaa: 'YQ==' })).toBe('{"aaa":"YQ==","bbb":"Yg=="}');
});

test.each([{}, { ab: 'YQ==' }, { '1abc': 'YQ==' }, { 'a--bc': 'YQ==' }, { 'abc-': 'YQ==' }, { abc: 'Y' }])(
  'the content %j of a secret is refused',
  (content) => expect(() => checkContent(content as Record<string, string>)).toThrow(JujuError),
);
