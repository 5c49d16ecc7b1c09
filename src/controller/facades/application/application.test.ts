import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { limits } from '../../../core/limits.ts';
import { unitsOfBatch } from '../shared/add-units-in-batches.ts';
import { createCallers, type Callers } from '../../../testing/call.ts';
import { destroyApplication } from '../../transactions/end/destroy-application.ts';
import { setStatus } from '../../transactions/tx.ts';
import { enterScope } from '../../transactions/agent/enter-scope.ts';

let callers: Callers;
beforeEach(async () => {
  callers = await createCallers();
  await callers.addCharm(
    'web',
    { requires: { db: 'mysql' } },
    {
      revision: 2,
      config: {
        port: { type: 'int', description: 'Where', default: 80 },
        title: { type: 'string', description: 'What' },
      },
    },
  );
  await callers.addCharm('mysql', { provides: { server: 'mysql' }, peers: { cluster: 'mysql-cluster' } });
  await callers.addCharm('log', {
    subordinate: true,
    requires: { info: { interface: 'juju-info', scope: 'container' } },
  });
});
afterEach(() => callers[Symbol.asyncDispose]());

const call = <R = unknown>(method: string, params?: unknown, how?: object): Promise<R> =>
  callers.call<R>('Application', method, params, how);
type Results = { results: { error?: { message: string; code: string } }[] };

/** Deployment as python-libjuju sends it: null for all that is unset. */
function deployment(name: string, overrides: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    application: name,
    'charm-url': `local:${name}-${name === 'web' ? 2 : 0}`,
    'charm-origin': { source: 'local', type: null, id: null, base: { name: 'ubuntu', channel: '24.04' } },
    channel: null,
    'num-units': 1,
    config: null,
    'config-yaml': `${name}: {}\n`,
    constraints: null,
    placement: null,
    storage: null,
    devices: null,
    ...overrides,
  };
}
const deploy = (name: string, rest: Record<string, unknown> = {}): Promise<Results> =>
  call<Results>('Deploy', { applications: [deployment(name, rest)] });

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

describe('more units than one turn has time for', () => {
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
  ])('refuses %s, and leaves nothing', async (_, rest, code, message) => {
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

describe('settings', () => {
  beforeEach(() => deploy('web', { config: { title: 'a' } }));

  test('Get shows values, defaults and where they come from', async () => {
    expect(await call('Get', { application: 'web', branch: '' })).toEqual({
      application: 'web',
      charm: 'web',
      config: {
        port: { type: 'int', description: 'Where', source: 'default', value: 80, default: 80 },
        title: { type: 'string', description: 'What', source: 'user', value: 'a' },
      },
      'application-config': {
        trust: {
          type: 'bool',
          description: 'Does this application have access to trusted credentials',
          source: 'default',
          value: false,
          default: false,
        },
      },
      constraints: {},
      base: { name: 'ubuntu', channel: '24.04/stable' },
      channel: '',
      'endpoint-bindings': { '': 'alpha', db: 'alpha' },
    });
  });

  test('SetConfigs and UnsetApplicationsConfig change settings, trust too', async () => {
    const set = { Args: [{ application: 'web', config: { port: '81', trust: 'yes?' } }] };
    expect((await call<Results>('SetConfigs', set)).results[0]!.error?.message).toBe(
      'option "trust" expected bool, got "yes?"',
    );
    await call('SetConfigs', {
      Args: [{ application: 'web', config: { port: '81', trust: 'True' }, generation: '' }],
    });
    expect(callers.view().get('application', 'web')).toMatchObject({
      config: { port: 81, title: 'a' },
      trust: true,
    });
    await call('UnsetApplicationsConfig', { Args: [{ application: 'web', options: ['title', 'trust'] }] });
    expect(callers.view().get('application', 'web')).toMatchObject({ config: { port: 81 }, trust: false });
    const { results } = await call<Results>('UnsetApplicationsConfig', {
      Args: [{ application: 'web', options: ['nope'] }],
    });
    expect(results[0]!.error?.message).toBe('unknown option "nope"');
  });

  test('GetConfig and CharmConfig return the same', async () => {
    const config = { port: { source: 'default' }, title: { source: 'user' } };
    const byTag = { entities: [{ tag: 'application-web' }, { tag: 'application-no' }] };
    expect(await call('GetConfig', byTag)).toMatchObject({
      Results: [{ config }, { config: {}, error: { code: 'not found' } }],
    });
    expect(await call('CharmConfig', { args: [{ application: 'web' }] })).toMatchObject({
      Results: [{ config }],
    });
  });

  test('constraints are replaced, and subordinates have none', async () => {
    await deploy('log', { 'num-units': 0 });
    await call('SetConstraints', { application: 'web', constraints: { cores: 2, zones: ['a', 'b'] } });
    await call('SetConstraints', { application: 'web', constraints: { mem: 0, tags: [] } });
    const entities = [{ tag: 'application-web' }, { tag: 'application-log' }];
    expect(await call('GetConstraints', { entities })).toEqual({
      results: [
        { constraints: { mem: 0, tags: [] } },
        {
          constraints: {},
          error: { message: 'constraints do not apply to subordinate applications', code: '' },
        },
      ],
    });
    await expect(call('SetConstraints', { application: 'log', constraints: {} })).rejects.toThrow(
      /do not apply/,
    );
  });

  test('an application is exposed endpoint by endpoint', async () => {
    await call('Expose', { application: 'web' });
    const everybody = { 'expose-to-cidrs': ['0.0.0.0/0', '::/0'] };
    const info = async (): Promise<unknown> =>
      (
        await call<{ results: { result: unknown }[] }>('ApplicationsInfo', {
          entities: [{ tag: 'application-web' }],
        })
      ).results[0]!.result;
    expect(await info()).toMatchObject({ exposed: true, 'exposed-endpoints': { '': everybody } });
    await call('Expose', {
      application: 'web',
      'exposed-endpoints': { db: { 'expose-to-cidrs': ['10.0.0.0/8'] } },
    });
    await call('Unexpose', { application: 'web', 'exposed-endpoints': [''] });
    expect(await info()).toMatchObject({
      exposed: true,
      'exposed-endpoints': { db: { 'expose-to-cidrs': ['10.0.0.0/8'] } },
    });
    await expect(call('Unexpose', { application: 'web', 'exposed-endpoints': [''] })).rejects.toThrow(
      'endpoint "" is not exposed',
    );
    await call('Unexpose', { application: 'web', 'exposed-endpoints': null });
    expect(await info()).not.toHaveProperty('exposed-endpoints');
    await expect(call('Expose', { application: 'web', 'exposed-endpoints': { x: {} } })).rejects.toThrow(
      'endpoint "x" not found',
    );
    const wrong = { db: { 'expose-to-cidrs': ['10.0.0.0'] } };
    await expect(call('Expose', { application: 'web', 'exposed-endpoints': wrong })).rejects.toThrow(
      'unable to parse "10.0.0.0" as a CIDR',
    );
  });
});

describe('relations and units', () => {
  beforeEach(async () => {
    await deploy('web', { 'num-units': 2 });
    await deploy('mysql');
  });

  test('AddRelation answers with both ends; DestroyRelation takes names or an id', async () => {
    const relation = { interface: 'mysql', optional: false, limit: 0, scope: 'global' };
    expect(await call('AddRelation', { endpoints: ['web', 'mysql:server'] })).toEqual({
      endpoints: {
        web: { name: 'db', role: 'requirer', ...relation },
        mysql: { name: 'server', role: 'provider', ...relation },
      },
    });
    await expect(call('AddRelation', { endpoints: ['web', 'mysql'] })).rejects.toMatchObject({
      code: 'already exists',
    });
    await call('DestroyRelation', { endpoints: ['web', 'mysql'] });
    await call('AddRelation', { endpoints: ['web:db', 'mysql:server'] });
    const [made] = [...callers.view().find('relation', 'application', 'web')];
    await call('DestroyRelation', { 'relation-id': made!.id });
    expect(callers.view().count('relation', 'application', 'web')).toBe(0);
    await expect(call('DestroyRelation', { 'relation-id': 0 })).rejects.toThrow(/is a peer relation/);
  });

  test('CharmRelations names the endpoints', async () => {
    expect(await call('CharmRelations', { application: 'mysql' })).toEqual({
      'charm-relations': ['juju-info', 'server', 'cluster'],
    });
  });

  test('UnitsInfo shows relations with their databags', async () => {
    await call('AddRelation', { endpoints: ['web', 'mysql'] });
    const [relation] = [...callers.view().find('relation', 'application', 'web')];
    const id = String(relation!.id);
    await callers.change((tx) => {
      enterScope(tx, { unit: 'web/0', relation: id });
      enterScope(tx, { unit: 'mysql/0', relation: id });
      tx.put('settings', `${id}#mysql`, {
        relation: id,
        owner: 'mysql',
        values: { version: '8' },
        version: 1,
      });
      tx.put('settings', `${id}#mysql/0`, {
        relation: id,
        owner: 'mysql/0',
        values: { host: 'h' },
        version: 2,
      });
      tx.put('lease', 'web', { application: 'web', holder: 'web/0', expiresAt: '2026-01-01T00:01:00Z' });
      tx.put('unit', 'web/0', {
        ...tx.get('unit', 'web/0')!,
        ports: { '': ['443/tcp', '80/tcp'], db: ['80/tcp'] },
      });
      tx.put('machine', '0', {
        ...tx.get('machine', '0')!,
        addresses: [
          { value: '127.0.0.1', type: 'ipv4', scope: 'local-machine' },
          { value: '10.1.0.2', type: 'ipv4', scope: 'local-cloud' },
        ],
      });
    });
    const { results } = await call<{ results: { result: Record<string, unknown> }[] }>('UnitsInfo', {
      entities: [{ tag: 'application-web' }],
    });
    expect(results).toHaveLength(2);
    expect(results[0]!.result).toMatchObject({
      tag: 'unit-web-0',
      machine: '0',
      charm: 'local:web-2',
      leader: true,
      life: 'alive',
      'opened-ports': ['80/tcp', '443/tcp'],
      'public-address': '10.1.0.2',
      'relation-data': [
        {
          endpoint: 'db',
          'related-endpoint': 'server',
          'relation-id': relation!.id,
          ApplicationData: { version: '8' },
          'unit-relation-data': {
            'web/0': { InScope: true },
            'mysql/0': { InScope: true, UnitData: { host: 'h' } },
          },
        },
      ],
    });
    const missing = await call<Results>('UnitsInfo', { entities: [{ tag: 'unit-web-9' }] });
    expect(missing.results[0]!.error).toEqual({ message: 'unit "web/9" not found', code: 'not found' });
  });

  test('UnitsInfo returns no more settings than an answer may have', async () => {
    // Each unit sees all others: their square is just within the limit.
    const count = Math.floor(Math.sqrt(limits.databagsOfAnswer.max));
    await deploy('mysql2', { 'charm-url': 'local:mysql-0', 'config-yaml': '', 'num-units': count });
    const [relation] = [...callers.view().find('relation', 'application', 'mysql2')];
    await callers.change((tx) => {
      for (const { name } of callers.view().find('unit', 'application', 'mysql2'))
        enterScope(tx, { unit: name, relation: String(relation!.id) });
    });
    const info = async (...tags: string[]): Promise<Results['results']> =>
      (await call<Results>('UnitsInfo', { entities: tags.map((tag) => ({ tag })) })).results;
    const whole = await info('application-mysql2');
    expect(whole).toHaveLength(count);
    expect(whole.filter(({ error }) => error)).toEqual([]);
    const twice = await info('application-mysql2', 'application-mysql2');
    expect(twice.at(-1)!.error).toEqual({
      code: 'quota limit exceeded',
      message: `settings in an answer: ${count ** 2 + count} entries exceed the limit of ${limits.databagsOfAnswer.max}`,
    });
  });

  test('Leader is the unit whose lease is valid', async () => {
    const leader = (): Promise<unknown> => call('Leader', { tag: 'application-web' });
    expect(await leader()).toEqual({
      result: '',
      error: { code: 'not found', message: 'leader for application "web" not found' },
    });
    await callers.change((tx) =>
      tx.put('lease', 'web', { application: 'web', holder: 'web/1', expiresAt: '2026-01-01T00:01:00Z' }),
    );
    expect(await leader()).toEqual({ result: 'web/1' });
    callers.advance(61_000);
    expect(await leader()).toMatchObject({ result: '' });
  });

  test('AddUnits takes placements in order', async () => {
    expect(
      await call('AddUnits', {
        application: 'web',
        'num-units': 2,
        placement: [{ scope: '#', directive: '0' }],
      }),
    ).toEqual({
      units: ['web/2', 'web/3'],
    });
    expect(callers.view().get('unit', 'web/2')?.machine).toBe('0');
    await expect(call('AddUnits', { application: 'no', 'num-units': 1 })).rejects.toMatchObject({
      code: 'not found',
    });
  });

  test.each([
    ["add_unit(to='lxd:0')", { scope: 'lxd', directive: '0' }, '0/lxd/0'],
    ["add_unit(to='lxd')", { scope: 'lxd', directive: null }, '3/lxd/0'],
  ])('AddUnits puts units into containers, as python-libjuju asks: %s', async (_, placement, machine) => {
    await call('AddUnits', { application: 'web', 'num-units': 1, placement: [placement] });
    expect(callers.view().get('unit', 'web/2')?.machine).toBe(machine);
  });

  test('a dry run reports what would be removed, and changes nothing', async () => {
    const before = callers.store.read().revision;
    const params = { applications: [{ 'application-tag': 'application-web', 'dry-run': true }] };
    expect(await call('DestroyApplication', params)).toEqual({
      results: [{ info: { 'destroyed-units': [{ tag: 'unit-web-0' }, { tag: 'unit-web-1' }] } }],
    });
    const units = [
      { 'unit-tag': 'unit-web-0', 'dry-run': true },
      { 'unit-tag': 'unit-web-8', 'dry-run': true },
    ];
    expect(await call('DestroyUnit', { units })).toMatchObject({
      results: [{ info: {} }, { error: { code: 'not found' } }],
    });
    expect(callers.store.read().revision).toBe(before);
  });

  test('DestroyUnit and DestroyApplication remove entities', async () => {
    expect(await call('DestroyUnit', { units: [{ 'unit-tag': 'unit-web-0' }] })).toEqual({
      results: [{ info: {} }],
    });
    expect(callers.view().get('unit', 'web/0')).toBeUndefined();
    await call('DestroyApplication', {
      applications: [{ 'application-tag': 'application-mysql', force: true, 'max-wait': 0 }],
    });
    expect(callers.view().get('application', 'mysql')).toBeUndefined();
  });

  test('ResolveUnitErrors resolves units in error, by name or all', async () => {
    await callers.change((tx) => {
      setStatus(tx, 'unit-agent', 'web/0', 'error', 'hook failed: "install"');
      setStatus(tx, 'unit-agent', 'mysql/0', 'error', 'hook failed: "start"');
    });
    const tags = { entities: [{ tag: 'unit-web-0' }, { tag: 'unit-web-1' }] };
    expect(await call('ResolveUnitErrors', { retry: true, tags })).toEqual({
      results: [{}, { error: { message: 'unit "web/1" is not in an error state', code: '' } }],
    });
    expect(
      (await call<Results>('ResolveUnitErrors', { retry: true, tags })).results[0]!.error?.message,
    ).toMatch(/already resolved/);
    expect(await call('ResolveUnitErrors', { all: true })).toEqual({ results: [{}] });
    expect(callers.view().get('unit', 'web/0')?.resolved).toBe('retry-hooks');
    expect(callers.view().get('unit', 'mysql/0')?.resolved).toBe('no-hooks');
  });

  test('resolving all units needs write access, as resolving one does', async () => {
    await callers.addUser('eve');
    await callers.grant('eve', 'read');
    await callers.change((tx) => setStatus(tx, 'unit-agent', 'web/0', 'error', 'hook failed: "install"'));
    await expect(call('ResolveUnitErrors', { all: true }, { as: 'eve' })).rejects.toMatchObject({
      code: 'unauthorized access',
    });
    expect(callers.view().get('unit', 'web/0')?.resolved).toBe('');
  });

  test('GetCharmURLOrigin returns the origin given at deploy', async () => {
    expect(await call('GetCharmURLOrigin', { application: 'web' })).toEqual({
      url: 'local:web-2',
      'charm-origin': {
        source: 'local',
        type: 'charm',
        id: '',
        base: { name: 'ubuntu', channel: '24.04/stable' },
      },
    });
  });
});
