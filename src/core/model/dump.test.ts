import { expect, test } from 'vitest';
import type { Entities } from '../kinds.ts';
import { dumpedDocument, isDumped } from './dump.ts';

const dumped = (kind: 'machine' | 'model' | 'unit-state', doc: object): unknown =>
  dumpedDocument(kind, doc as Entities[typeof kind]);

test('a dump hides hashes, nonces and sealed values, however deep, and nothing else', () => {
  expect(
    dumped('machine', {
      id: '0',
      nonce: 'machine-0:abc',
      givenUp: ['machine-0:abb'],
      passwordHash: 'scrypt:…',
      addresses: [{ value: '10.0.0.1', gone: { passwordHash: 'x', at: 'then' } }],
    }),
  ).toEqual({
    id: '0',
    nonce: '*****',
    givenUp: ['*****'],
    passwordHash: '*****',
    addresses: [{ value: '10.0.0.1', gone: { passwordHash: '*****', at: 'then' } }],
  });
  expect(dumped('model', { config: { a: 'sealed:1:AAAA', b: 'not sealed:1:', c: 3, d: null } })).toEqual({
    config: { a: '*****', b: 'not sealed:1:', c: 3, d: null },
  });
});

test('a dump shows the keys of the state that a charm keeps, and hides the values', () => {
  expect(dumped('unit-state', { unit: 'a/0', agent: { relations: {} }, charm: { token: 't' } })).toEqual({
    unit: 'a/0',
    charm: { token: '*****' },
  });
});

test('a simplified dump leaves out transient documents, such as statuses and tasks', () => {
  expect((['unit', 'status', 'task', 'application'] as const).filter((kind) => isDumped(kind, true))).toEqual(
    ['unit', 'application'],
  );
  expect(isDumped('status', false)).toBe(true);
});
