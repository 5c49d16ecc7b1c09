import { afterEach, beforeEach, expect, test } from 'vitest';
import { setModelProgram } from '../../transactions/change/agent-program.ts';
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

test('an upgrade of agents is told with its numbers, and one that has stopped with its machine and reason', async () => {
  const [old, build] = ['a'.repeat(64), 'b'.repeat(64)];
  await using upgraded = await createCallers({ agentBuild: build });
  const tag = { 'model-tag': `model-${upgraded.model}` };
  const ask = async (): Promise<unknown> => {
    const params = { ...tag, 'target-version': '0.0.0' };
    return (await upgraded.call<{ error: unknown }>('ModelUpgrader', 'UpgradeModel', params)).error;
  };
  await upgraded.call('MachineManager', 'AddMachines', { params: [{ jobs: [] }, { jobs: [] }] });
  const set = (id: string, rest: object): Promise<void> =>
    upgraded.change((tx) => tx.put('machine', id, { ...tx.get('machine', id)!, ...rest }));
  expect(await ask()).toMatchObject({ code: 'already exists' });
  await set('0', { program: { build: old }, programWanted: { build, attempt: 0 } });
  await set('1', { program: { build } });
  expect(await ask()).toEqual({
    code: 'upgrade in progress',
    message: 'agents are being upgraded: 1 have the new program, 1 do not yet; it waits for machine 0',
  });
  await set('0', { program: { build: old, failed: { build, attempt: 0, message: 'it does not load' } } });
  expect(await ask()).toMatchObject({
    message:
      'the upgrade of agents has stopped at machine 0, which goes on with the program that it had: it does not load; 1 have the new one, 1 do not; to try again: upgrade-model --reset-previous-upgrade',
  });
  await upgraded.call('ModelUpgrader', 'AbortModelUpgrade', tag);
  expect(upgraded.view().get('machine', '0')?.programWanted).toBeUndefined();
  expect(await ask()).toMatchObject({ message: expect.stringMatching(/1 do not yet$/) as string });
  await set('0', { program: { build } });
  expect(await ask()).toMatchObject({ code: 'already exists' });
});

test('a model keeps its version until it is upgraded, and shows both beside another one that has none', async () => {
  const [old, build] = ['a'.repeat(64), 'b'.repeat(64)];
  await using callers = await createCallers({ agentBuild: build });
  await callers.change((tx) => setModelProgram(tx.in(''), callers.model, { build: old, version: '3.6.27' }));
  const shown = async (): Promise<unknown[]> => {
    const status = await callers.call<{ model: Record<string, string> }>('Client', 'FullStatus', {
      patterns: [],
    });
    const info = await callers.call<{ results: { result: Record<string, string> }[] }>(
      'ModelManager',
      'ModelInfo',
      { entities: [{ tag: `model-${callers.model}` }] },
    );
    const { config } = await callers.call<{ config: Record<string, { value: string }> }>(
      'ModelConfig',
      'ModelGet',
      {},
    );
    return [
      status.model['version'],
      status.model['available-version'],
      info.results[0]!.result['agent-version'],
      config['agent-version']!.value,
    ];
  };
  expect(await shown()).toEqual(['3.6.27', '3.6.28', '3.6.27', '3.6.27']);
  const ask = (more: object): Promise<unknown> =>
    callers.call('ModelUpgrader', 'UpgradeModel', {
      'model-tag': `model-${callers.model}`,
      'target-version': '0.0.0',
      ...more,
    });
  expect(await ask({ 'dry-run': true })).toEqual({ 'chosen-version': '3.6.28' });
  expect(await ask({ 'target-version': '3.6.27' })).toMatchObject({ error: { code: 'already exists' } });
  expect(await shown()).toEqual(['3.6.27', '3.6.28', '3.6.27', '3.6.27']);
  expect(await ask({})).toEqual({ 'chosen-version': '3.6.28' });
  expect(await shown()).toEqual(['3.6.28', '', '3.6.28', '3.6.28']);
  expect(await ask({})).toMatchObject({ error: { code: 'already exists' } });
});
