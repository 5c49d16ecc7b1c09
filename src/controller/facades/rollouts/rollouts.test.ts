/** Tests of rolling refreshes: their steps, and what --resume, --abort and --rollback change. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createCallers, type Callers } from '../../../testing/call.ts';
import { setUnitCharm } from '../../transactions/agent/unit-agent.ts';
import { destroyApplication } from '../../transactions/end/destroy-application.ts';
import { advanceRollout } from '../../transactions/change/rollout.ts';
import { setStatus } from '../../transactions/tx.ts';

let callers: Callers;
const option = { type: 'string', description: '' } as const;
beforeEach(async () => {
  callers = await createCallers();
  const resources = { data: { type: 'file', filename: 'data' } };
  for (const revision of [0, 1, 2])
    await callers.addCharm('web', { resources }, { revision, config: { motto: option } });
  await callers.call('Application', 'Deploy', {
    applications: [
      { application: 'web', 'charm-url': 'local:web-0', 'num-units': 4, config: { motto: 'old' } },
    ],
  });
  await callers.change((tx) => {
    for (const { name } of tx.list('unit')) healthy(tx, name);
    tx.put('resource', 'web/data', resource('a'));
  });
});
afterEach(() => callers[Symbol.asyncDispose]());

function healthy(tx: Parameters<typeof setStatus>[0], name: string): void {
  setStatus(tx, 'unit-agent', name, 'idle');
  setStatus(tx, 'workload', name, 'active');
}
const resource = (content: string) => ({
  application: 'web',
  name: 'data',
  origin: 'upload' as const,
  revision: 0,
  fingerprint: content.repeat(96),
  sha256: content.repeat(64),
  size: 1,
  username: 'admin',
  timestamp: '2026-01-01T00:00:00Z',
});

const begin = (revision: number, rest: object = {}): Promise<unknown> =>
  callers.call('Rollouts', 'Begin', {
    application: 'web',
    'charm-url': `local:web-${revision}`,
    'config-settings': { motto: 'new' },
    ...rest,
  });
const act = (method: 'Abort' | 'Resume' | 'Rollback'): Promise<unknown> => {
  callers.advance(1000);
  return callers.call('Rollouts', method, { application: 'web' });
};
const advance = (): Promise<string> => {
  callers.advance(1000);
  return callers.change((tx) => advanceRollout(tx, { application: 'web', present: () => true }));
};
const follow = (unit: string, revision: number): Promise<void> =>
  callers.change((tx) => setUnitCharm(tx, { unit, charmUrl: `local:web-${revision}` }));
const fail = (unit: string): Promise<void> => {
  callers.advance(1000);
  return callers.change((tx) =>
    setStatus(tx, 'unit-agent', unit, 'error', 'hook failed: "upgrade-charm"', { hook: 'upgrade-charm' }),
  );
};
const mend = (unit: string): Promise<void> => callers.change((tx) => healthy(tx, unit));
const application = () => callers.view().get('application', 'web')!;
const batch = (): string[] => [...callers.view().find('unit', 'batch', 'web')].map(({ name }) => name);
const charms = (): string[] =>
  [...callers.view().list('unit')].map(({ charmUrl }) => charmUrl.replace('local:web-', ''));
const state = (): string | undefined => application().rollout?.state;
const shown = () => callers.call('Rollouts', 'Get', { application: 'web' });

test('units take the charm batch by batch, and nothing of the roll-out is left', async () => {
  await begin(1, { 'max-unavailable': '50%' });
  await expect(follow('web/3', 1)).rejects.toThrow('is to run charm local:web-0 now');
  expect(await advance()).toBe('release');
  expect(batch()).toEqual(['web/0', 'web/1']);
  expect(await advance()).toBe('wait');
  await follow('web/0', 1);
  await follow('web/1', 1);
  expect(await shown()).toMatchObject({
    charm: 'local:web-1',
    rollout: {
      state: 'rolling',
      batch: 1,
      units: ['web/0', 'web/1'],
      upgraded: 2,
      total: 4,
      from: 'local:web-0',
    },
  });
  expect(await advance()).toBe('release');
  expect(batch()).toEqual(['web/2', 'web/3']);
  await expect(begin(2)).rejects.toThrow('the refresh to local:web-1 is rolling; end it first');
  await expect(
    callers.call('Application', 'SetCharm', { application: 'web', 'charm-url': 'local:web-2' }),
  ).rejects.toThrow('refresh web --resume, --abort or --rollback');
  await follow('web/2', 1);
  await follow('web/3', 1);
  expect(callers.view().get('charm', 'local:web-0'), 'a rollback needs it until the end').toBeDefined();
  expect(await advance()).toBe('finish');
  expect(application()).not.toHaveProperty('rollout');
  expect(callers.view().get('charm', 'local:web-0')).toBeUndefined();
  expect(batch()).toEqual([]);
  expect(await shown()).toEqual({ charm: 'local:web-1' });
});

test('a failed batch stops; resumed, its hooks run again and the rest follows', async () => {
  await begin(1);
  await advance();
  await follow('web/0', 1);
  await fail('web/0');
  expect(await advance()).toBe('stop');
  expect(application().rollout).toMatchObject({
    state: 'stopped',
    problem: { unit: 'web/0', message: 'hook failed: "upgrade-charm"' },
  });
  await mend('web/0');
  expect(await advance(), 'it stays stopped').toBe('rest');
  await fail('web/0');
  await act('Resume');
  expect(callers.view().get('unit', 'web/0')?.resolved).toBe('retry-hooks');
  expect(application().rollout).not.toHaveProperty('problem');
  expect(await advance()).toBe('wait');
  await expect(act('Resume')).rejects.toThrow('is going on');
  await mend('web/0');
  expect(await advance()).toBe('release');
  expect(batch()).toEqual(['web/1']);
});

test('the roll-out pauses after the canary until it is resumed', async () => {
  await begin(1, { 'max-unavailable': '3', 'pause-after-canary': true });
  await advance();
  expect(batch()).toEqual(['web/0']);
  await follow('web/0', 1);
  expect(await advance()).toBe('pause');
  await act('Resume');
  await advance();
  expect(batch()).toEqual(['web/1', 'web/2', 'web/3']);
});

test('an aborted roll-out leaves units as they are until a refresh', async () => {
  await begin(1, { 'max-unavailable': '2' });
  await advance();
  await follow('web/0', 1);
  await act('Abort');
  expect(state()).toBe('aborted');
  await expect(follow('web/1', 1)).rejects.toThrow('is to run charm local:web-0 now');
  expect(await advance()).toBe('rest');
  await expect(act('Abort')).rejects.toThrow('is aborted already');
  await expect(act('Resume')).rejects.toThrow('refresh web --switch local:web-1 --rolling');
  await begin(1, { 'max-unavailable': '3' });
  expect(application().rollout?.before.config, 'a rollback returns to where all began').toEqual({
    motto: 'old',
  });
  await advance();
  expect(batch()).toEqual(['web/1', 'web/2', 'web/3']);
  await act('Abort');
  await callers.call('Application', 'SetCharm', { application: 'web', 'charm-url': 'local:web-2' });
  expect(application()).not.toHaveProperty('rollout');
  for (const unit of ['web/0', 'web/1']) await follow(unit, 2);
});

test('a rollback returns charm, settings and resources, the failed unit first', async () => {
  await begin(1);
  await callers.change((tx) => tx.put('resource', 'web/data', resource('b')));
  await advance();
  await follow('web/0', 1);
  await advance();
  await follow('web/1', 1);
  await fail('web/1');
  await advance();
  await act('Rollback');
  expect(application()).toMatchObject({
    charmUrl: 'local:web-0',
    config: { motto: 'old' },
    forceCharm: true,
    older: { 'local:web-1': { motto: 'new' } },
    rollout: { kind: 'rollback', state: 'rolling', batch: 1, before: { resources: [resource('b')] } },
  });
  expect(callers.view().get('resource', 'web/data')).toEqual(resource('a'));
  expect(batch()).toEqual(['web/1']);
  await expect(act('Rollback')).rejects.toThrow(
    'the rollback of application "web" to local:web-0 is rolling already',
  );
  expect(await advance()).toBe('wait');
  await follow('web/1', 0);
  await mend('web/1');
  await advance();
  expect(batch()).toEqual(['web/0']);
  await follow('web/0', 0);
  expect(await advance()).toBe('finish');
  expect(charms()).toEqual(['0', '0', '0', '0']);
  expect(application()).not.toHaveProperty('rollout');
  expect(application()).not.toHaveProperty('forceCharm');
  expect(callers.view().get('charm', 'local:web-1')).toBeUndefined();
});

test('a rollback goes on when a hook that the new charm has begun fails: the former charm runs it again', async () => {
  await begin(1);
  await advance();
  await follow('web/0', 1);
  await fail('web/0');
  expect(await advance()).toBe('stop');
  await callers.change((tx) => setStatus(tx, 'unit-agent', 'web/0', 'executing'));
  await act('Rollback');
  await fail('web/0');
  expect(await advance()).toBe('wait');
  callers.advance(1000);
  await follow('web/0', 0);
  expect(callers.view().get('unit', 'web/0')?.resolved).toBe('retry-hooks');
  expect(await advance()).toBe('wait');
  await mend('web/0');
  expect(await advance()).toBe('finish');
  expect(callers.view().get('unit', 'web/0')).not.toHaveProperty('takenAt');
});

test('a rollback stops when the former charm fails, too', async () => {
  await begin(1);
  await advance();
  await follow('web/0', 1);
  await fail('web/0');
  await act('Rollback');
  await follow('web/0', 0);
  await callers.change((tx) => setStatus(tx, 'unit-agent', 'web/0', 'executing'));
  await fail('web/0');
  expect(await advance()).toBe('stop');
});

test('a roll-out to the charm that the application has is refused, and so is ending one where none goes on', async () => {
  await expect(begin(0)).rejects.toThrow('has charm "local:web-0" already: nothing to roll out');
  for (const method of ['Abort', 'Resume', 'Rollback'] as const)
    await expect(act(method)).rejects.toThrow('application "web" has no rolling refresh');
});

test('a roll-out ends with the removal of its application', async () => {
  await begin(1);
  await callers.change((tx) => void destroyApplication(tx, { application: 'web' }));
  expect(application()).not.toHaveProperty('rollout');
  expect(await advance()).toBe('rest');
  await expect(shown(), 'who follows it is not told that it has finished').rejects.toThrow(
    'application "web" is dying',
  );
});

test('a roll-out keeps the charm that it returns to, also one that no unit has taken', async () => {
  await begin(1);
  await act('Abort');
  await begin(2, { 'config-settings': {} });
  expect(application().rollout?.before.charmUrl).toBe('local:web-1');
  await act('Rollback');
  expect(application()).toMatchObject({ charmUrl: 'local:web-1', config: { motto: 'new' } });
});

test('a storage pool that a rollback needs stays', async () => {
  await callers.change((tx) => {
    tx.put('storage-pool', 'fast', { name: 'fast', provider: 'rootfs', attributes: {} });
    const wishes = { data: { pool: 'fast', provider: 'rootfs', detachable: false, count: 1, size: 1024 } };
    tx.put('application', 'web', { ...application(), storage: wishes });
  });
  await begin(1);
  expect(application()).not.toHaveProperty('storage');
  const remove = () => callers.call('Storage', 'RemovePool', { pools: [{ name: 'fast' }] });
  expect(await remove()).toMatchObject({ results: [{ error: { message: 'storage pool "fast" in use' } }] });
  await act('Abort');
  await callers.call('Application', 'SetCharm', { application: 'web', 'charm-url': 'local:web-1' });
  expect(await remove()).toEqual({ results: [{}] });
});
