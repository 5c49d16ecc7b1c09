import { afterEach, beforeEach, expect, test } from 'vitest';
import { createCallers, type Callers } from '../../../testing/call.ts';

let callers: Callers;
beforeEach(async () => {
  callers = await createCallers();
});
afterEach(() => callers[Symbol.asyncDispose]());

const upgrade = (target: string, how: object = {}): Promise<unknown> =>
  callers.call(
    'ModelUpgrader',
    'UpgradeModel',
    { 'model-tag': `model-${callers.model}`, 'target-version': target },
    how,
  );

test('a model has the version of its controller: an upgrade to it has nothing to do', async () => {
  expect(await upgrade('0.0.0')).toEqual({
    'chosen-version': '0.0.0',
    error: { code: 'already exists', message: 'no upgrades available' },
  });
  expect(await upgrade('3.6.99')).toMatchObject({
    error: { message: expect.stringContaining('3.6.28') as string },
  });
});

test('users with write access may ask for the upgrade of a model, and for its abortion', async () => {
  await callers.addUser('bob');
  await callers.grant('bob', 'read');
  await expect(upgrade('0.0.0', { as: 'bob' })).rejects.toMatchObject({ code: 'unauthorized access' });
  await callers.grant('bob', 'write');
  expect(await upgrade('0.0.0', { as: 'bob' })).toMatchObject({ error: { code: 'already exists' } });
  const tag = { 'model-tag': `model-${callers.model}` };
  expect(await callers.call('ModelUpgrader', 'AbortModelUpgrade', tag, { as: 'bob' })).toEqual({});
});

test('a model whose changes are blocked is not upgraded', async () => {
  await callers.call('Block', 'SwitchBlockOn', { type: 'BlockChange' });
  await expect(upgrade('0.0.0')).rejects.toMatchObject({ code: 'operation is blocked' });
});
