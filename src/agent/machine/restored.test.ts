/** Machine agent in the simulation: what it does after its controller was restored from an older backup. */
import { afterEach, expect, test } from 'vitest';
import { JujuError } from '../../core/errors.ts';
import type { LocalState } from '../../core/unit/local-state.ts';
import { silentLog } from '../../kit/log.ts';
import {
  bench,
  restoredAs,
  stopBenches,
  type Bench,
  type RestoreState,
} from '../../testing/machine-bench.ts';

afterEach(stopBenches);

/** A unit that has run config-changed once more than the backup knows, on a machine with another, newer unit. */
async function restored(state: RestoreState = 'held'): Promise<Bench> {
  const b = await older();
  restoredAs(b, state);
  return b;
}

async function older(): Promise<Bench> {
  let configured = 0;
  const b = bench(({ name, unit, context }) => {
    if (name === 'config-changed' && unit === 'web/0')
      context.changes.charmState.set.set('count', String(++configured));
  });
  b.controller.addApplication('web');
  b.controller.addUnit('web');
  b.start();
  await b.idle('web/0');
  const { saved } = b.controller.units.get('web/0')!;
  b.controller.setConfig('web', { port: 80 });
  await b.controller.until(() => b.hooks('web/0').filter((name) => name === 'config-changed').length === 2);
  b.controller.addUnit('web');
  await b.idle('web/1');
  b.controller.dropConnections();
  b.controller.units.get('web/0')!.saved = saved;
  b.controller.units.get('web/0')!.charmState = { count: '1' };
  b.controller.units.delete('web/1');
  return b;
}

const configChanges = (b: Bench): number =>
  b.hooks('web/0').filter((name) => name === 'config-changed').length;

test('an agent tells a restored controller what is newer, and neither removes a unit nor runs a hook until that is accepted', async () => {
  const b = await restored();
  await b.advanceUntil(() => b.controller.kept.length > 0);
  expect(b.controller.kept).toEqual(['web/0']);
  expect(b.controller.unknownUnits).toEqual([['web/1']]);
  const before = b.hooks('web/0').length;
  b.controller.setConfig('web', { port: 81 });
  let seconds = 0;
  await b.advanceUntil(() => ++seconds > 60);
  expect(b.hooks('web/0')).toHaveLength(before);
  expect(await b.hosts.list()).toEqual(['web/0', 'web/1']);
  restoredAs(b, 'keep');
  await b.advanceUntil(() => configChanges(b) === 3);
  await b.advanceUntil(() => b.controller.units.get('web/0')?.charmState['count'] === '3');
  expect(b.hooks('web/0').slice(before)).toEqual(['config-changed']);
  expect(await b.hosts.list()).toEqual(['web/0']);
});

test('a unit goes on where the backup has it when the restore was accepted so', async () => {
  const b = await restored();
  await b.advanceUntil(() => b.controller.kept.length > 0);
  restoredAs(b, 'rerun');
  await b.advanceUntil(() => configChanges(b) === 3);
});

test('an agent that was away until the restore was accepted tells its state before it runs a hook', async () => {
  const b = await restored('keep');
  b.controller.setConfig('web', { port: 81 });
  await b.advanceUntil(() => configChanges(b) === 3);
  expect(b.controller.kept).toEqual(['web/0']);
  expect(b.controller.units.get('web/0')?.charmState).toEqual({ count: '3' });
});

test('an agent that starts while the restore waits starts no unit, removes none, and tells what its machine has kept', async () => {
  const b = await restored();
  await b.agent?.stop();
  const before = b.hooks('web/0').length;
  b.controller.kept.length = 0;
  b.start();
  let seconds = 0;
  await b.advanceUntil(() => ++seconds > 60);
  expect([b.hooks('web/0').length, b.controller.kept]).toEqual([before, ['web/0']]);
  expect(await b.hosts.list()).toEqual(['web/0', 'web/1']);
  expect(b.controller.unknownUnits.at(-1)).toEqual(['web/1']);
});

test('an agent that starts a unit while the controller is restored leaves what the machine has kept of it', async () => {
  const b = await older();
  await b.agent?.stop();
  const before = await b.hosts.savedState('web/0');
  let tries = 0;
  b.controller.onCall = (method) => {
    if (method === 'UnitDeployed' && ++tries < 4) throw new JujuError('try again', 'connection lost');
  };
  b.start();
  await b.advanceUntil(() => tries > 0);
  restoredAs(b, 'held');
  await b.advanceUntil(() => b.controller.kept.length > 0);
  expect(await b.hosts.savedState('web/0')).toBe(before);
});

test('a unit whose agent was started again after the restore goes on after its hooks, with the status of its workload', async () => {
  const b = await restored('keep');
  await b.agent?.stop();
  const before = b.hooks('web/0').length;
  const told = b.controller.statuses.length;
  b.start();
  const since = (): string[] => b.controller.statuses.slice(told);
  await b.advanceUntil(() => since().some((text) => text.startsWith('unit-agent web/0: idle')));
  expect(b.hooks('web/0')).toHaveLength(before);
  expect(b.controller.units.get('web/0')?.charmState).toEqual({ count: '2' });
  expect(since().filter((text) => text.startsWith('workload web/0: '))).toEqual(['workload web/0: unknown']);
});

test('a unit whose agent died before its hook was committed tells the newest status of its workload after a restore', async () => {
  const b = bench(async ({ name, context, signal }) => {
    if (name !== 'start') return;
    await context.setStatus('workload', 'active', 'ready');
    signal?.throwIfAborted();
    await new Promise((_, reject) => signal?.addEventListener('abort', () => reject(new Error('killed'))));
  });
  const { statuses } = b.controller;
  b.controller.addApplication('web');
  b.controller.addUnit('web');
  b.start();
  await b.controller.until(() => statuses.includes('workload web/0: active ready'));
  await b.agent?.stop();
  statuses.length = 0;
  restoredAs(b, 'keep');
  b.start();
  await b.advanceUntil(() => b.hooks('web/0').filter((name) => name === 'start').length === 2);
  expect(statuses.filter((text) => text.startsWith('workload'))[0]).toBe('workload web/0: active ready');
});

test('a unit whose agent died before it told the status of its workload after a restore tells it when it starts again', async () => {
  const b = await restored('keep');
  await b.agent?.stop();
  const { statuses } = b.controller;
  statuses.length = 0;
  let tries = 0;
  b.controller.onCall = (method) => {
    if (method === 'SetStatus' && ++tries > 0) throw new JujuError('try again', 'connection lost');
  };
  b.start();
  await b.advanceUntil(() => tries > 0);
  await b.agent?.stop();
  b.controller.onCall = () => undefined;
  b.start();
  await b.advanceUntil(() => b.agentStatus('web/0') === 'idle');
  expect(statuses).toContain('workload web/0: unknown');
});

test('a unit whose agent was started again after the restore runs its hooks again when it was accepted so', async () => {
  const b = await restored('rerun');
  await b.agent?.stop();
  b.start();
  await b.advanceUntil(() => configChanges(b) === 3);
  await b.advanceUntil(() => b.controller.units.get('web/0')?.saved !== undefined);
  expect(b.controller.kept).toEqual([]);
});

test.each(['keep', 'rerun'] as const)(
  'a unit that was removed from its machine since the backup is told, and begins anew: %s',
  async (state) => {
    const b = await older();
    await b.agent?.stop();
    await (await b.hosts.open('web/0', silentLog)).remove();
    const before = b.hooks('web/0').length;
    restoredAs(b, 'held');
    b.start();
    await b.advanceUntil(() => b.controller.endedUnits.length > 0);
    expect([b.controller.endedUnits, b.controller.kept]).toEqual([[['web/0']], []]);
    restoredAs(b, state);
    await b.advanceUntil(() => b.hooks('web/0').includes('start', before));
    expect(b.hooks('web/0').slice(before)).toEqual(['install', 'leader-elected', 'config-changed', 'start']);
  },
);

test.each([
  ['keep', 'live'],
  ['rerun', 'live'],
  ['keep', 'started again'],
  ['rerun', 'started again'],
] as const)(
  'a unit that has run the last hooks of its charm since the backup begins anew: %s, with an agent that is %s',
  async (state, agent) => {
    const b = await older();
    const unit = b.controller.units.get('web/0')!;
    const { saved } = unit;
    b.controller.onCall = (method) => {
      if (method === 'UnitDead') throw new JujuError('try again', 'connection lost');
    };
    unit.life = 'dying';
    b.controller.changed();
    await b.advanceUntil(() => b.hooks('web/0').includes('remove'));
    const before = b.hooks('web/0').length;
    if (agent === 'started again') await b.agent?.stop();
    b.controller.dropConnections();
    Object.assign(unit, { life: 'alive', saved });
    restoredAs(b, 'held');
    if (agent === 'started again') b.start();
    await b.advanceUntil(() => b.controller.endedUnits.length > 0);
    expect(b.controller.endedUnits).toEqual([['web/0']]);
    restoredAs(b, state);
    await b.advanceUntil(() => b.hooks('web/0').includes('start', before));
    expect(b.hooks('web/0').slice(before)).toEqual(['install', 'leader-elected', 'config-changed', 'start']);
  },
);

test('a unit whose last hook was under way at the restore begins anew, and does not go on after that hook', async () => {
  const b = await older();
  const unit = b.controller.units.get('web/0')!;
  const { saved } = unit;
  let isAsked = false;
  b.controller.onCall = (method, params) => {
    const { op } = (unit.saved ?? {}) as Partial<LocalState>;
    const isStop = op?.kind === 'hook' && op.hook.kind === 'stop';
    if (method !== 'CommitHook' || (params as { unit: string }).unit !== 'web/0' || !isStop) return;
    isAsked = true;
    throw new JujuError('try again', 'the model was restored from a backup');
  };
  unit.life = 'dying';
  b.controller.changed();
  await b.advanceUntil(() => isAsked);
  const before = b.hooks('web/0').length;
  b.controller.dropConnections();
  Object.assign(unit, { life: 'alive', saved });
  restoredAs(b, 'held');
  await b.advanceUntil(() => b.controller.endedUnits.length > 0);
  expect(b.controller.endedUnits).toEqual([['web/0']]);
  b.controller.onCall = () => undefined;
  restoredAs(b, 'keep');
  await b.advanceUntil(() => b.hooks('web/0').includes('start', before));
  expect(b.hooks('web/0').slice(before)).toEqual(['install', 'leader-elected', 'config-changed', 'start']);
});

test('a dying unit whose files were removed since the backup is removed without a hook', async () => {
  const b = await older();
  await b.agent?.stop();
  await (await b.hosts.open('web/0', silentLog)).remove();
  const before = b.hooks('web/0').length;
  b.controller.units.get('web/0')!.life = 'dying';
  restoredAs(b, 'keep');
  b.start();
  await b.advanceUntil(() => !b.controller.units.has('web/0'));
  expect(b.hooks('web/0')).toHaveLength(before);
});

test('a state that the machine has kept damaged is not told', async () => {
  const b = await restored();
  await b.agent?.stop();
  b.controller.kept.length = 0;
  const host = await b.hosts.open('web/0', silentLog);
  await host.saveState('{"agentState":');
  b.start();
  let seconds = 0;
  await b.advanceUntil(() => ++seconds > 60);
  expect(b.controller.kept).toEqual([]);
});

test('units whose statuses are newer than the backup tell them again, without a hook', async () => {
  const b = await restored();
  await b.advanceUntil(() => b.controller.kept.length > 0);
  const hooks = b.hooks('web/0').length;
  const told = b.controller.statuses.length;
  const since = (): string[] => b.controller.statuses.slice(told);
  restoredAs(b, 'keep');
  await b.advanceUntil(() => since().some((text) => text.startsWith('unit-agent web/0: idle')));
  expect(since().filter((text) => text.startsWith('workload web/0: '))).toHaveLength(1);
  expect(b.hooks('web/0')).toHaveLength(hooks);
});

test.each(['web/0', '0'])(
  'a task of %s that a restored controller has open runs where the agent knows that nobody has begun it, and fails elsewhere',
  async (receiver) => {
    const b = await older();
    const name = receiver === '0' ? 'juju-exec' : 'work';
    const add = (id: string, more: { restore?: string } = {}): void =>
      b.controller.addTask({ id, receiver, name, parameters: { command: 'work' }, ...more });
    const { finished } = b.controller;
    const ends = (): string[] => finished.map(({ id, status }) => `${id} ${status}`);
    add('1');
    await b.advanceUntil(() => finished.length === 1);
    await b.agent?.stop();
    b.start();
    if (receiver !== '0') await b.idle('web/0');
    let [isDown, isAsked] = [true, false];
    b.controller.onCall = (method) => {
      if (method !== 'StartTask' || !isDown) return;
      isAsked = true;
      throw new JujuError('try again', 'connection lost');
    };
    add('2');
    await b.advanceUntil(() => isAsked);
    isDown = false;
    b.controller.dropConnections();
    for (const id of ['1', '2']) add(id, { restore: 'restore-1' });
    restoredAs(b, 'keep');
    await b.advanceUntil(() => finished.length === 3);
    expect(ends().toSorted()).toEqual(['1 completed', '1 failed', '2 completed']);
    expect(finished.find(({ status }) => status === 'failed')?.message).toBe(
      'the controller was restored from a backup, and the task may have run after that was made',
    );
    b.controller.dropConnections();
    add('2', { restore: 'restore-2' });
    add('1001');
    await b.advanceUntil(() => finished.length === 5);
    expect(ends().slice(3)).toEqual(['2 failed', '1001 completed']);
  },
);
