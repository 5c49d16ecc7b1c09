import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createCallers, type Callers } from '../../../testing/call.ts';
import { deployLocal } from '../../../testing/deploy-local.ts';

let callers: Callers;
beforeEach(async () => {
  callers = await createCallers();
  await callers.addCharm('app', {
    storage: {
      one: { type: 'filesystem' },
      many: { type: 'filesystem', multiple: { range: '2+' } },
      free: { type: 'filesystem', multiple: { range: '0+' } },
    },
  });
  await deployLocal(callers, 'app', { storage: { many: { count: 3 }, free: { count: 1 } } });
  await callers.change((tx) => tx.put('unit', 'app/0', { ...tx.get('unit', 'app/0')!, deployed: true }));
});
afterEach(() => callers[Symbol.asyncDispose]());

const idOf = (name: string, at = 0): string =>
  [...callers.view().list('storage')].filter((one) => one.name === name)[at]!.id;
const error = async (method: string, params: unknown): Promise<string> => {
  const { results } = await callers.call<{ results: [{ error?: { message: string } }] }>(
    'Storage',
    method,
    params,
  );
  return results[0].error?.message ?? '';
};
const detach = (id: string, { unit = '', force = false } = {}): Promise<string> => {
  const [name, number] = id.split('/');
  const ids = [
    { 'storage-tag': `storage-${name}-${number}`, 'unit-tag': unit && `unit-${unit.replace('/', '-')}` },
  ];
  return error('DetachStorage', { ids: { ids }, force });
};
const remove = (id: string, how: object): Promise<string> =>
  error('Remove', { storage: [{ tag: `storage-${id.replace('/', '-')}`, 'destroy-storage': true, ...how }] });
const lives = (name: string): string =>
  [...callers.view().list('storage')]
    .filter((one) => one.name === name)
    .map(({ attachment }) => attachment?.life ?? 'detached')
    .join(' ');

describe('the minimum of the charm', () => {
  test('a single storage is kept, except by force; a second request changes nothing', async () => {
    const id = idOf('one');
    expect(await detach(id)).toBe('cannot detach, storage is singular');
    expect(await detach(id, { force: true })).toBe('');
    expect(await detach(id)).toBe('');
    expect(lives('one')).toBe('dying');
  });
  test('storage that is being detached counts no more', async () => {
    expect(await detach(idOf('many', 0))).toBe('');
    expect(await detach(idOf('many', 1))).toBe(
      'detaching 1 storage instance brings the total to 1, which is less than the minimum of 2',
    );
    expect(lives('many')).toBe('dying alive alive');
  });
  test('a removal keeps to it, except by force', async () => {
    const id = idOf('one');
    expect(await remove(id, { 'destroy-attachments': true })).toBe('cannot detach, storage is singular');
    expect(callers.view().get('storage', id)?.ending).toBeUndefined();
    expect(await remove(id, { 'destroy-attachments': true, force: true })).toBe('');
    expect(callers.view().get('storage', id)?.ending).toBe('destroy');
  });
});

test('storage that no unit uses is detached already, but not from a unit that is named', async () => {
  const id = idOf('free');
  await callers.change((tx) => {
    const { attachment: _, ...doc } = tx.get('storage', id)!;
    tx.put('storage', id, doc);
  });
  expect(await detach(id)).toBe('');
  expect(await detach(id, { unit: 'app/0' })).toBe(`storage "${id}" is not attached to a unit`);
  expect(await detach('free/9')).toBe('storage "free/9" not found');
});
