/** Facade Application: relations, units and settings of what is deployed. */
import { beforeEach, describe, expect, test } from 'vitest';
import { limits } from '../../../core/limits.ts';
import { setStatus } from '../../transactions/tx.ts';
import { enterScope } from '../../transactions/agent/enter-scope.ts';
import { callers, call, type Results, deploy, prepareModel } from '../../../testing/application-calls.ts';

prepareModel();

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

  test('GetCharmURLOrigin returns the origin given at deploy, with the hash of a local charm', async () => {
    expect(await call('GetCharmURLOrigin', { application: 'web' })).toEqual({
      url: 'local:web-2',
      'charm-origin': {
        source: 'local',
        type: 'charm',
        id: '',
        hash: callers.view().get('charm', 'local:web-2')!.sha256,
        base: { name: 'ubuntu', channel: '24.04/stable' },
      },
    });
  });
});
