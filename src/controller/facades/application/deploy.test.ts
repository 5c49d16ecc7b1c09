/** Facade Application: deploying, and adding many units. */
import { setImmediate } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { limits } from '../../../core/limits.ts';
import { unitsOfBatch } from '../shared/add-units-in-batches.ts';
import { destroyApplication } from '../../transactions/end/destroy-application.ts';
import {
  callers,
  call,
  type Results,
  deployment,
  deploy,
  prepareModel,
} from '../../../testing/application-calls.ts';

prepareModel();

test('one request may add 100,000 units (bench/deploy-accept.ts does), and is refused at once for more', async () => {
  await deploy('web', { 'num-units': 0 });
  const error = (name: string, count: number): object => ({
    code: 'quota limit exceeded',
    message: `units of ${name} to be added at once: ${count} entries exceed the limit of 100000`,
  });
  for (const count of [limits.unitsAtOnce.max + 1, 2 ** 31])
    await expect(call('AddUnits', { application: 'web', 'num-units': count })).rejects.toMatchObject(
      error('web', count),
    );
  expect((await deploy('mysql', { 'num-units': 2 ** 31 })).results).toMatchObject([
    { error: error('mysql', 2 ** 31) },
  ]);
  expect(callers.view().count('unit')).toBe(0);
});

describe('a request for more units than one turn of the event loop has time for', () => {
  const many = 2 * unitsOfBatch + 1;
  const units = (): number => callers.view().count('unit');
  const batches = async (): Promise<number[]> => {
    const seen = new Set<number>();
    while (units() < many) {
      seen.add(units());
      await setImmediate();
    }
    return [...seen];
  };

  test('units are added in batches with consecutive numbers, and other requests run in between', async () => {
    await deploy('web', { 'num-units': 0 });
    const adding = call<{ units: string[] }>('AddUnits', { application: 'web', 'num-units': many });
    expect(await batches()).toEqual([0, unitsOfBatch, 2 * unitsOfBatch]);
    expect((await adding).units).toEqual(Array.from({ length: many }, (_, n) => `web/${n}`));
  });

  test('a deploy adds units in batches, too', async () => {
    const deploying = deploy('web', { 'num-units': many });
    expect(await batches()).toEqual([0, unitsOfBatch, 2 * unitsOfBatch]);
    expect((await deploying).results).toEqual([{}]);
  });

  test('units with storage are added fewer at a time', async () => {
    const storage = Object.fromEntries(
      Array.from({ length: 50 }, (_, n) => [`s${n}`, { type: 'filesystem' }]),
    );
    await callers.addCharm('store', { storage });
    const largest = async (add: () => Promise<unknown>): Promise<number> => {
      let most = 0;
      const end = callers.store.watch(({ changes }) => {
        most = Math.max(most, changes.filter(({ kind }) => kind === 'storage').length);
      });
      await add();
      end();
      return most;
    };
    const deploying = await largest(() => deploy('store', { 'charm-url': 'local:store-0', 'num-units': 60 }));
    const adding = await largest(() => call('AddUnits', { application: 'store', 'num-units': 60 }));
    expect(callers.view().count('storage')).toBe(120 * 50);
    for (const most of [deploying, adding]) expect(most).toBeLessThanOrEqual(unitsOfBatch);
  });

  test('units are refused before the first when the last cannot be placed', async () => {
    await deploy('web', { 'num-units': 0 });
    const placement = Array.from({ length: many }, (_, n) => ({
      scope: n === many - 1 ? '#' : 'lxd',
      directive: n === many - 1 ? '7' : '',
    }));
    await expect(
      call('AddUnits', { application: 'web', 'num-units': many, placement }),
    ).rejects.toMatchObject({ message: expect.stringContaining('machine 7') });
    expect(units()).toBe(0);
  });

  test('a batch reports the number of added units when the application is removed in the meantime', async () => {
    await deploy('web', { 'num-units': 0 });
    const adding = call('AddUnits', { application: 'web', 'num-units': many });
    const ended = expect(adding).rejects.toMatchObject({
      message: expect.stringMatching(
        /^cannot add unit to application "web": .* not alive \([24]000 of 4001 units of web were added before the error and are kept\)$/,
      ),
    });
    while (units() === 0) await setImmediate();
    await callers.change((tx) => destroyApplication(tx, { application: 'web' }));
    await ended;
  });
});

describe('Deploy', () => {
  test('a charm may not set the model’s own settings unless it is forced', async () => {
    const lxdProfile = { description: '', config: { 'limits.cpu': '1' }, devices: {} };
    await callers.addCharm('greedy', {}, { lxdProfile });
    const error = {
      code: 'not valid',
      message: 'invalid lxd-profile.yaml: contains config value "limits.cpu"',
    };
    expect((await deploy('greedy', { Force: true })).results).toEqual([{}]);
    expect((await deploy('greedy', { application: 'again', 'config-yaml': '' })).results).toMatchObject([
      { error },
    ]);
  });

  test('Deploy creates the application with its settings, machine and unit', async () => {
    expect(
      await deploy('web', {
        'num-units': 2,
        'config-yaml': 'web:\n  port: 8080\n  title: from yaml\n',
        config: { title: 'from map', trust: 'true' },
        constraints: { mem: 512, arch: 'amd64' },
      }),
    ).toEqual({ results: [{}] });
    const view = callers.view();
    expect(view.get('application', 'web')).toMatchObject({
      config: { port: 8080, title: 'from map' },
      trust: true,
      constraints: { mem: 512, arch: 'amd64' },
      base: { name: 'ubuntu', channel: '24.04/stable' },
      endpointBindings: { '': 'alpha' },
    });
    expect([...view.list('unit')].map((unit) => [unit.name, unit.machine])).toEqual([
      ['web/0', '0'],
      ['web/1', '1'],
    ]);
  });

  test.each([
    [
      'a charm that is not there',
      { 'charm-url': 'local:web-9' },
      'not found',
      'charm "local:web-9" not found',
    ],
    ['a bad name', { application: 'Web', 'config-yaml': '' }, 'not valid', 'invalid application name "Web"'],
    ['an unknown option', { config: { colour: 'red' } }, 'not valid', 'unknown option "colour"'],
    [
      'a value of the wrong type',
      { config: { port: 'high' } },
      'not valid',
      'option "port" expected int, got "high"',
    ],
    ['YAML that is none', { 'config-yaml': '{' }, 'not valid', /^cannot parse settings data: /],
    ['YAML for another application', { 'config-yaml': 'db: {}' }, 'not valid', 'no settings found for "web"'],
    [
      'an unknown base',
      { 'charm-origin': { source: 'local', base: { name: 'beos', channel: '5' } } },
      'not valid',
      /^base "beos@5" is not supported/,
    ],
    [
      'a machine that is not there',
      { placement: [{ scope: '#', directive: '7' }] },
      'not found',
      'machine 7 not found',
    ],
    [
      'a directive that the cloud refuses',
      { placement: [{ scope: 'model-uuid', directive: 'zone=nowhere' }] },
      'not valid',
      'unknown placement directive: zone=nowhere',
    ],
    [
      'another model in a placement',
      { placement: [{ scope: 'elsewhere', directive: 'x' }] },
      'not valid',
      'invalid model name "elsewhere"',
    ],
    [
      'an unknown endpoint in bindings',
      { 'endpoint-bindings': { nope: 'alpha' } },
      'not valid',
      'unknown endpoint "nope" of charm "web" in bindings',
    ],
    [
      'an unknown space in bindings',
      { 'endpoint-bindings': { db: 'dmz' } },
      'not found',
      'space "dmz" not found',
    ],
    [
      'storage that the charm does not have',
      { storage: { data: { Pool: 'x', Size: 1, Count: 1 } } },
      'not valid',
      'the charm has no storage "data"',
    ],
    ['an unknown architecture', { constraints: { arch: 'z80' } }, 'not valid', /z80/],
  ])('Deploy refuses %s, and leaves nothing', async (_, rest, code, message) => {
    const { results } = await deploy('web', rest);
    expect(results[0]!.error).toEqual({
      code,
      message: typeof message === 'string' ? message : expect.stringMatching(message),
    });
    expect(callers.view().count('application')).toBe(0);
    expect(callers.view().count('machine')).toBe(0);
  });

  test('Deploy refuses a name that is taken', async () => {
    await deploy('web');
    expect((await deploy('web')).results[0]!.error).toEqual({
      code: 'already exists',
      message: 'cannot add application "web": application already exists',
    });
  });

  test('Deploy refuses units of a subordinate', async () => {
    expect((await deploy('log')).results[0]!.error?.message).toBe(
      'subordinate application must be deployed without units',
    );
    await callers.addCharm('log', {
      subordinate: true,
      requires: { host: { interface: 'juju-info', scope: 'container' } },
    });
    const { results } = await deploy('log', { 'num-units': 0 });
    expect(results).toMatchObject([{ requirements: { pending: [{ application: 'log', units: 0 }] } }]);
  });

  test('Deploy reports one failure and goes on with the next, in order', async () => {
    const { results } = await call<Results>('Deploy', {
      applications: [deployment('web', { 'charm-url': 'local:none-0' }), deployment('mysql')],
    });
    expect(results.map((result) => result.error?.code)).toEqual(['not found', undefined]);
  });

  test('a negative memory is an error of the request', async () => {
    await expect(deploy('web', { constraints: { mem: -50 } })).rejects.toThrow(/cannot unmarshal/);
  });
});
