/** Tests of other parts that a roll-out changes: peer relations, LXD profiles and storage (refresh.md#rolled-parts). */
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { RefreshPlan } from '../../../wire/facades/rollouts.ts';
import { createCallers, type Callers } from '../../../testing/call.ts';
import { profilesOf } from '../../machine-profiles.ts';
import { applicationRecord } from '../../watchers/agent-records.ts';
import { setUnitCharm } from '../../transactions/agent/unit-agent.ts';
import { advanceRollout } from '../../transactions/change/rollout.ts';
import { setStatus } from '../../transactions/tx.ts';

let callers: Callers;
beforeEach(async () => {
  callers = await createCallers();
  const profile = (value: string) => ({
    description: '',
    config: { 'linux.kernel_modules': value },
    devices: {},
  });
  await callers.addCharm(
    'web',
    { peers: { kept: { interface: 'k' }, old: { interface: 'o' } } },
    { revision: 0, lxdProfile: profile('overlay') },
  );
  await callers.addCharm(
    'web',
    {
      peers: { kept: { interface: 'k' }, new: { interface: 'n' } },
      storage: { data: { type: 'filesystem' }, more: { type: 'filesystem', multiple: { range: '0-' } } },
    },
    { revision: 1, lxdProfile: profile('zfs') },
  );
  await callers.call('Application', 'Deploy', {
    applications: [{ application: 'web', 'charm-url': 'local:web-0', 'num-units': 2 }],
  });
  await callers.change((tx) => {
    for (const { name } of tx.list('unit')) {
      setStatus(tx, 'unit-agent', name, 'idle');
      setStatus(tx, 'workload', name, 'active');
    }
  });
});
afterEach(() => callers[Symbol.asyncDispose]());

const begin = (): Promise<unknown> =>
  callers.call('Rollouts', 'Begin', { application: 'web', 'charm-url': 'local:web-1' });
const act = (method: 'Abort' | 'Rollback'): Promise<unknown> =>
  callers.call('Rollouts', method, { application: 'web' });
const advance = (): Promise<string> => {
  callers.advance(1000);
  return callers.change((tx) => advanceRollout(tx, { application: 'web', present: () => true }));
};
const take = (unit: string, revision: number): Promise<void> =>
  callers.change((tx) => setUnitCharm(tx, { unit, charmUrl: `local:web-${revision}` }));
const peers = (): Record<string, string> =>
  Object.fromEntries(
    [...callers.view().list('relation')].map(({ endpoints, life }) => [endpoints[0]!.name, life]),
  );
/** Revisions of the charms whose profiles the units' machines get. */
const profiles = (): string[][] => {
  const view = callers.view();
  return [...view.list('unit')].map(({ machine }) =>
    profilesOf(view, machine!).map(({ name }) => name.replace(/^.*-/, '')),
  );
};
const storage = (unit: string): string[] =>
  [...callers.view().find('storage', 'unit', unit)].map(({ id }) => id);

test('a peer relation that only held units have ends with the roll-out', async () => {
  await begin();
  expect(peers()).toEqual({ kept: 'alive', old: 'alive', new: 'alive' });
  for (const unit of ['web/0', 'web/1']) {
    expect(await advance()).toBe('release');
    await take(unit, 1);
  }
  expect(peers()).toMatchObject({ old: 'alive' });
  expect(await advance()).toBe('finish');
  expect(peers()).toMatchObject({ kept: 'alive', new: 'alive' });
  expect(peers()['old']).not.toBe('alive');
});

test('after a rollback the peer relation is the one that units had, and the new one ends', async () => {
  await begin();
  await advance();
  await take('web/0', 1);
  await act('Rollback');
  expect(peers()).toEqual({ kept: 'alive', old: 'alive', new: 'alive' });
  await take('web/0', 0);
  expect(await advance()).toBe('finish');
  expect(peers()).toMatchObject({ kept: 'alive', old: 'alive' });
  expect(peers()['new']).not.toBe('alive');
});

test('an aborted roll-out keeps peer relations until the next refresh', async () => {
  await begin();
  await advance();
  await take('web/0', 1);
  await act('Abort');
  expect(peers()).toMatchObject({ old: 'alive' });
  await callers.call('Application', 'SetCharm', { application: 'web', 'charm-url': 'local:web-1' });
  expect(peers()['old']).not.toBe('alive');
});

test('a machine gets the profile of the new charm when its unit is released', async () => {
  await begin();
  expect(profiles()).toEqual([['0'], ['0']]);
  await advance();
  expect(profiles()).toEqual([['1'], ['0']]);
  await take('web/0', 1);
  expect(profiles()).toEqual([['1'], ['0']]);
  await act('Rollback');
  expect(profiles(), 'the unit of the batch returns at once').toEqual([['0'], ['0']]);
});

test('an endpoint that only one of the charms has keeps its space for the units that run that charm', async () => {
  for (const name of ['back', 'front'])
    await callers.change((tx) => tx.put('space', name, { id: `${name}-id`, name, createdAt: tx.now }));
  const bind = (endpoint: string, space: string): Promise<unknown> =>
    callers.call('Application', 'MergeBindings', {
      args: [{ 'application-tag': 'application-web', bindings: { [endpoint]: space }, force: true }],
    });
  /** Spaces that units of each charm are told of. */
  const told = (): Record<string, Record<string, string>> => {
    const record = applicationRecord(callers.view(), callers.view().get('application', 'web')!)!;
    const older = Object.entries(record.older ?? {}).map(([url, { bindings }]) => [url, bindings] as const);
    return { ...Object.fromEntries(older), [record.charmUrl]: record.bindings };
  };
  const before = { '': 'alpha', kept: 'alpha', old: 'back' };
  const after = { '': 'alpha', kept: 'alpha', new: 'front' };
  await bind('old', 'back');
  await begin();
  await bind('new', 'front');
  expect(told()).toEqual({ 'local:web-0': before, 'local:web-1': after });
  await advance();
  await take('web/0', 1);
  await act('Rollback');
  expect(told()).toEqual({ 'local:web-0': before, 'local:web-1': after });
  await take('web/0', 0);
  expect(told()).toEqual({ 'local:web-0': before });
  expect(callers.view().get('application', 'web')!.endpointBindings).toEqual({ '': 'alpha', old: 'back' });
});

test('storage that units got from the new charm stays theirs in a rollback, and is not given twice', async () => {
  const charm = callers.view().get('charm', 'local:web-1')!;
  await begin();
  await advance();
  await take('web/0', 1);
  await callers.call('Storage', 'AddToUnit', {
    storages: [{ unit: 'unit-web-0', name: 'more', storage: { count: 2 } }],
  });
  const given = storage('web/0');
  expect(given).toHaveLength(3);
  const planned = await callers.call<RefreshPlan>('Rollouts', 'PlanRollback', { application: 'web' });
  expect(planned.storage).toEqual(given.map((id) => ({ id, unit: 'web/0' })));
  await act('Rollback');
  expect(callers.view().get('application', 'web')).not.toHaveProperty('storage');
  await take('web/0', 0);
  expect(await advance()).toBe('finish');
  expect(storage('web/0')).toEqual(given);
  // The new charm is sent again: it was removed when nothing used it any more.
  await callers.change((tx) => tx.put('charm', charm.url, charm));
  await begin();
  await advance();
  await take('web/0', 1);
  expect(storage('web/0')).toEqual(given);
  expect(storage('web/1')).toEqual([]);
});

test('a canary that is removed while the roll-out is paused is not named', async () => {
  for (const { machine } of callers.view().list('unit')) callers.setPresent(machine!);
  await callers.call('Rollouts', 'Begin', {
    application: 'web',
    'charm-url': 'local:web-1',
    'pause-after-canary': true,
  });
  await advance();
  await take('web/0', 1);
  expect(await advance()).toBe('pause');
  const message = async (): Promise<string> => {
    const get = await callers.call<{ rollout: { message: string } }>('Rollouts', 'Get', {
      application: 'web',
    });
    return get.rollout.message;
  };
  expect(await message()).toBe('unit web/0 is healthy, as the canary');
  await callers.change((tx) => tx.put('unit', 'web/0', { ...tx.get('unit', 'web/0')!, life: 'dying' }));
  expect(await message()).toBe('the canary was healthy, and is removed since');
  await callers.call('Rollouts', 'Resume', { application: 'web' });
  expect(await advance()).toBe('release');
});
