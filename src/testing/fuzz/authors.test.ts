import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Entities } from '../../core/kinds.ts';
import type { Commit } from '../../store/store.ts';
import { createCallers, type Callers } from '../call.ts';
import { wrongChanges } from './authors.ts';

let callers: Callers;
beforeAll(async () => {
  callers = await createCallers();
  await callers.store.change((tx) => {
    tx.put('model', callers.model, { ...tx.get('model', callers.model)!, credential: 'of-model' });
  }, 'test');
});
afterAll(() => callers[Symbol.asyncDispose]());

const levels = new Map([
  ['reader', () => 'read'],
  ['writer', () => 'write'],
  ['owner', () => 'admin'],
]);

/** Returns the change by which a credential becomes invalid. */
const invalid = (id: string, more: object = {}): object => ({
  space: '',
  kind: 'credential',
  id,
  before: { owner: 'admin', revoked: false },
  after: { owner: 'admin', revoked: true, invalidReason: '', ...more },
});

test.each<[string, string, (model: string) => object, boolean]>([
  ['user-reader', 'nothing of a model', (space) => ({ space, kind: 'annotation', id: 'x' }), false],
  ['user-writer', 'what is in a model', (space) => ({ space, kind: 'annotation', id: 'x' }), true],
  ['user-writer', 'access to a model', (model) => ({ space: '', kind: 'access', after: { model } }), false],
  ['user-owner', 'access to his model', (model) => ({ space: '', kind: 'access', before: { model } }), true],
  [
    'user-owner',
    'access to offers',
    (model) => ({ space: '', kind: 'offer-access', after: { model } }),
    true,
  ],
  [
    'user-writer',
    'access to offers',
    (model) => ({ space: '', kind: 'offer-access', after: { model } }),
    false,
  ],
  ['user-writer', 'an offer away', (model) => ({ space: '', kind: 'offer-access', before: { model } }), true],
  [
    'user-reader',
    'an offer away',
    (model) => ({ space: '', kind: 'offer-access', before: { model } }),
    false,
  ],
  ['user-reader', 'his own record', () => ({ space: '', kind: 'user', after: { name: 'Reader' } }), true],
  ['user-owner', 'another user', () => ({ space: '', kind: 'user', after: { name: 'reader' } }), false],
  ['user-owner', 'that the credential of his model is invalid', () => invalid('of-model'), true],
  ['user-owner', 'more of that credential', () => invalid('of-model', { secrets: {} }), false],
  ['user-owner', 'that another credential is invalid', () => invalid('other'), false],
  ['user-writer', 'that the credential of a model is invalid', () => invalid('of-model'), false],
  ['user-owner', 'the controller', () => ({ space: '', kind: 'controller', after: {} }), false],
  ['user-admin', 'everything, as a superuser', () => ({ space: '', kind: 'controller', after: {} }), true],
  ['firewaller', 'everything, as a worker', () => ({ space: '', kind: 'controller', after: {} }), true],
])('%s may change: %s', (by, _, change, isRight) => {
  const commit = { by, changes: [change(callers.model)] } as unknown as Commit<Entities>;
  expect(wrongChanges(commit, callers.store.read(), levels)).toHaveLength(isRight ? 0 : 1);
});
