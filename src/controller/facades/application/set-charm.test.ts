/** Tests of refreshes: what a SetCharm changes, and what units change by following it. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createCallers, type Callers } from '../../../testing/call.ts';
import { enterScope } from '../../transactions/agent/enter-scope.ts';
import { setUnitCharm } from '../../transactions/agent/unit-agent.ts';
import { destroyUnit } from '../../transactions/end/destroy-unit.ts';
import { leaveScope } from '../../transactions/end/leave-scope.ts';

let callers: Callers;
const option = (type: 'int' | 'string') => ({ type, description: '' });
beforeEach(async () => {
  callers = await createCallers();
  await callers.addCharm(
    'web',
    { peers: { ring: 'ring' } },
    { config: { port: option('int'), old: option('string') } },
  );
  await callers.addCharm(
    'web',
    { peers: { ring: 'ring' } },
    { revision: 1, config: { port: option('int') } },
  );
  await callers.addCharm('web', { peers: { circle: 'circle' } }, { revision: 2 });
  await callers.call('Application', 'Deploy', {
    applications: [
      { application: 'web', 'charm-url': 'local:web-0', 'num-units': 2, config: { port: '80', old: 'x' } },
    ],
  });
});
afterEach(() => callers[Symbol.asyncDispose]());

const setCharm = (revision: number, rest: object = {}): Promise<unknown> =>
  callers.call('Application', 'SetCharm', {
    application: 'web',
    'charm-url': `local:web-${revision}`,
    ...rest,
  });
const follow = (unit: string, revision: number): Promise<void> =>
  callers.change((tx) => setUnitCharm(tx, { unit, charmUrl: `local:web-${revision}` }));
const application = () => callers.view().get('application', 'web')!;
const charms = (): string[] => [...callers.view().list('charm')].map(({ url }) => url).sort();
const peers = () => [...callers.view().list('relation')].map(({ key, life }) => `${key} ${life}`);

test('the application has the new charm at once, its units keep theirs until they deploy it', async () => {
  expect(await setCharm(1, { 'config-settings': { port: '81' }, 'force-units': true })).toEqual({});
  expect(application()).toMatchObject({
    charmUrl: 'local:web-1',
    config: { port: 81 },
    forceCharm: true,
    older: { 'local:web-0': { port: 80, old: 'x' } },
  });
  await follow('web/0', 1);
  expect(application().older).toHaveProperty(['local:web-0']);
  expect(charms()).toContain('local:web-0');
  await follow('web/1', 1);
  expect(application()).not.toHaveProperty('older');
  expect(charms()).toEqual(['local:web-1', 'local:web-2']);
  await setCharm(2);
  expect(application()).not.toHaveProperty('forceCharm');
});

test('config reaches units of the old charm, too, where the old charm has the option', async () => {
  await setCharm(1);
  const set = { application: 'web', config: { port: '82' } };
  await callers.call('Application', 'SetConfigs', { Args: [set] });
  const unset = { application: 'web', options: ['port'] };
  expect(application()).toMatchObject({
    config: { port: 82 },
    older: { 'local:web-0': { port: 82, old: 'x' } },
  });
  await callers.call('Application', 'UnsetApplicationsConfig', { Args: [unset] });
  expect(application()).toMatchObject({ config: {}, older: { 'local:web-0': { old: 'x' } } });
});

test('the charm of a unit that goes instead of following is removed with it', async () => {
  await setCharm(1);
  await follow('web/0', 1);
  await callers.change((tx) => destroyUnit(tx, { unit: 'web/1' }));
  expect(callers.view().get('unit', 'web/1')).toBeUndefined();
  expect(application()).not.toHaveProperty('older');
  expect(charms()).not.toContain('local:web-0');
});

test('a unit cannot follow to a charm that the application has left', async () => {
  await setCharm(1);
  await setCharm(2);
  // An agent repeats a call that is answered with `try again`; after another error it plans anew.
  await expect(follow('web/0', 1)).rejects.toMatchObject({ code: '' });
  expect(charms(), 'which nobody has').not.toContain('local:web-1');
});

test('a refresh to the same charm takes the settings of the call, too', async () => {
  await setCharm(0, { 'config-settings-yaml': 'web: {port: 8080, trust: true}' });
  expect(application()).toMatchObject({ config: { port: 8080, old: 'x' }, trust: true });
  expect(application()).not.toHaveProperty('older');
});

describe('peer relations', () => {
  test('new peer relations are made, and those that the charm lacks end', async () => {
    await setCharm(2);
    expect(peers()).toEqual(['web:circle alive']);
  });

  test('a peer relation that is still ending is made anew when it has ended', async () => {
    const [ring] = [...callers.view().list('relation')];
    const relation = String(ring!.id);
    await callers.change((tx) => enterScope(tx, { unit: 'web/0', relation }));
    await setCharm(2);
    expect(peers()).toEqual(['web:ring dying', 'web:circle alive']);
    await setCharm(0);
    expect(peers()).toEqual(['web:ring dying']);
    await callers.change((tx) => leaveScope(tx, { unit: 'web/0', relation }));
    expect(peers()).toEqual(['web:ring alive']);
  });
});

test.each([
  [{ 'storage-constraints': { data: {} } }, 'the charm has no storage "data"'],
  [{ 'resource-ids': { file: 'x' } }, 'file'],
  [{ 'config-settings': { nope: 'x' } }, 'unknown option "nope"'],
])('a refused refresh changes nothing, and its charm is removed (%j)', async (rest, message) => {
  const before = application();
  await expect(setCharm(1, rest)).rejects.toThrow(message);
  expect(application()).toEqual(before);
});

test('a charm that was uploaded for a refused refresh goes with it', async () => {
  await expect(setCharm(1, { 'config-settings': { nope: 'x' } })).rejects.toThrow();
  expect(charms()).toEqual(['local:web-0', 'local:web-2']);
});

describe('storage', () => {
  const data = { type: 'filesystem' };
  const logs = { type: 'filesystem', multiple: { range: '0-3' } };
  const declare = (revision: number, storage: object, rest: object = {}): Promise<string> =>
    callers.addCharm('web', { storage, ...rest }, { revision });
  const storageOf = (unit: string) =>
    [...callers.view().find('storage', 'unit', unit)].map(({ name, size, pool }) => ({ name, size, pool }));

  test('storage that is new in the charm is added to a unit when it takes the charm, and to a new unit at once', async () => {
    await declare(3, { data, logs });
    await setCharm(3, { 'storage-constraints': { data: { pool: 'tmpfs', size: 2048 } } });
    expect(application().storage).toMatchObject({ data: { pool: 'tmpfs', size: 2048, count: 1 } });
    expect(storageOf('web/0'), 'the charm before does not know it').toEqual([]);
    await callers.call('Application', 'AddUnits', { application: 'web', 'num-units': 1 });
    await follow('web/0', 3);
    const one = { name: 'data', size: 2048, pool: 'tmpfs' };
    expect([storageOf('web/0'), storageOf('web/2')]).toEqual([[one], [one]]);
    expect([...callers.view().find('storage', 'unit', 'web/0')]).toMatchObject([
      { machine: '0', number: '0/1', attachment: { unit: 'web/0', life: 'alive' } },
    ]);

    // Storage that units have stays; a raised minimum is met, and a directive counts for units to come.
    await declare(4, { data, logs: { ...logs, multiple: { range: '2-4' } } });
    await setCharm(4, { 'storage-constraints': { data: { size: 4096 } } });
    await follow('web/0', 4);
    expect(storageOf('web/0').map(({ name, size }) => [name, size])).toEqual([
      ['data', 2048],
      ['logs', 1024],
      ['logs', 1024],
    ]);
    expect(application().storage).toMatchObject({
      data: { pool: 'rootfs', size: 4096 },
      logs: { count: 2 },
    });
  });

  test('storage that a unit has cannot be removed from the charm; optional storage that no unit has can', async () => {
    await declare(3, { logs });
    await setCharm(3);
    await follow('web/0', 3);
    await declare(4, {});
    await callers.call('Storage', 'AddToUnit', {
      storages: [{ unit: 'unit-web-0', name: 'logs', storage: {} }],
    });
    await expect(setCharm(4)).rejects.toThrow('in-use storage "logs" removed');
    await callers.change((tx) => destroyUnit(tx, { unit: 'web/0' }));
    await callers.change((tx) => {
      for (const { id } of tx.find('storage', 'unit', 'web/0')) tx.remove('storage', id);
    });
    await declare(4, {});
    await setCharm(4);
    expect(application()).not.toHaveProperty('storage');
  });
});

describe('the base of a refresh', () => {
  const jammy = { name: 'ubuntu', channel: '22.04/stable' };
  const rebase = (base: object): Promise<unknown> =>
    setCharm(1, { 'charm-origin': { source: 'local', type: 'charm', base }, 'force-base': true });

  test('the base is that of units from now on', async () => {
    const { base: before } = application();
    await rebase({ name: 'ubuntu', channel: '22.04' });
    await callers.call('Application', 'AddUnits', { application: 'web', 'num-units': 1 });
    const units = ['web/0', 'web/2'].map((name) => callers.view().get('unit', name)!.base);
    expect(units).toEqual([before, jammy]);
    expect(application()).toMatchObject({ base: jammy, charmOrigin: { base: jammy } });
  });

  test('the base is refused while a subordinate with another base is on the same machines', async () => {
    await callers.addCharm('log', {
      subordinate: true,
      requires: { host: { interface: 'juju-info', scope: 'container' } },
    });
    await callers.call('Application', 'Deploy', {
      applications: [{ application: 'log', 'charm-url': 'local:log-0', 'num-units': 0 }],
    });
    await callers.call('Application', 'AddRelation', { endpoints: ['web', 'log'] });
    await expect(rebase(jammy)).rejects.toThrow(
      'cannot change the base of application "web" to ubuntu@22.04: relation "log:host web:juju-info" puts it',
    );
  });

  test('the base can be set without another charm', async () => {
    const update = (tag: string, channel: string, force = true): Promise<unknown> =>
      callers.call('Application', 'UpdateApplicationBase', { args: [{ tag: { tag }, channel, force }] });
    expect(await update('application-web', '22.04', false)).toMatchObject({
      results: [
        { error: { message: expect.stringContaining('base "ubuntu@22.04" not supported') as string } },
      ],
    });
    expect(await update('application-web', '')).toMatchObject({
      results: [{ error: { message: 'base missing from args' } }],
    });
    expect(await update('application-web', '22.04')).toEqual({ results: [{}] });
    expect(application()).toMatchObject({ base: jammy, charmOrigin: { base: jammy } });
  });
});
