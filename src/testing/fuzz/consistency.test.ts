import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Tx } from '../../controller/transactions/tx.ts';
import { createCallers, type Callers } from '../call.ts';
import { offerDoc, useOf } from '../offers.ts';
import { inconsistencies } from './consistency.ts';

let callers: Callers;
beforeEach(async () => {
  callers = await createCallers();
});
afterEach(() => callers[Symbol.asyncDispose]());

test('the records of a new controller fit together', () => {
  expect(inconsistencies(callers.store.read())).toEqual([]);
});

const credential = { cloud: 'home', owner: 'admin', name: 'x', authType: 'empty', attributes: {} };
test.each<[string, (tx: Tx) => void]>([
  [
    'user bob does not exist and has access to model',
    (tx) => tx.put('access', `bob ${callers.model}`, { user: 'bob', model: callers.model, access: 'read' }),
  ],
  [
    'has access to model m, which does not exist',
    (tx) => tx.put('access', 'admin m', { user: 'admin', model: 'm', access: 'read' }),
  ],
  [
    'has access to cloud moon, which does not exist',
    (tx) => tx.put('cloud-access', 'admin moon', { user: 'admin', cloud: 'moon', access: 'admin' }),
  ],
  [
    'has access to offer o, which does not exist',
    (tx) =>
      tx.put('offer-access', 'admin o', { user: 'admin', offer: 'o', model: callers.model, access: 'read' }),
  ],
  [
    'uses offer gone, which is gone',
    (tx) => {
      const { relation } = useOf(offerDoc('gone', 'mysql'), 1);
      tx.in(callers.model).put('relation', '1', relation);
    },
  ],
  [
    'credential x is of nobody: Admin',
    (tx) => tx.put('credential', 'home_Admin_x', { ...credential, owner: 'Admin' }),
  ],
  [
    'credential x is for cloud moon, which does not exist',
    (tx) => tx.put('credential', 'moon_admin_x', { ...credential, cloud: 'moon' }),
  ],
  [
    'model default has credential home_admin_x, which does not exist',
    (tx) =>
      tx.put('model', callers.model, { ...tx.get('model', callers.model)!, credential: 'home_admin_x' }),
  ],
  [
    'records are left of the removed model gone',
    (tx) => tx.in('gone').put('sequence', 's', { name: 's', next: 1 }),
  ],
])('a record that does not fit is reported: %s', async (sentence, change) => {
  await callers.store.change((tx) => change(tx), 'test');
  expect(inconsistencies(callers.store.read()).join('\n')).toContain(sentence);
});
