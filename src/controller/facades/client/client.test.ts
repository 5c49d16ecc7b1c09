import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { limits } from '../../../core/limits.ts';
import { createCallers, type Callers } from '../../../testing/call.ts';
import type { FullStatus } from '../../../wire/facades/client.ts';
import { deployApplication } from '../../transactions/begin/deploy-application.ts';
import { addRelation } from '../../transactions/begin/add-relation.ts';
import { enterScope } from '../../transactions/agent/enter-scope.ts';
import { setStatus, type Tx } from '../../transactions/tx.ts';

let callers: Callers;
beforeEach(async () => {
  callers = await createCallers();
  await callers.addCharm('web', { requires: { db: 'mysql' } }, { revision: 3, version: 'v3' });
  await callers.addCharm('mysql', { provides: { server: 'mysql' }, peers: { cluster: 'c' } });
  await callers.addCharm('log', {
    subordinate: true,
    requires: { info: { interface: 'juju-info', scope: 'container' } },
  });
  await callers.change((tx) => {
    deploy(tx, 'web', 'local:web-3', 2);
    deploy(tx, 'mysql', 'local:mysql-0', 1);
    deploy(tx, 'log', 'local:log-0', 0);
    addRelation(tx, { endpoints: ['web', 'mysql'] });
    addRelation(tx, { endpoints: ['web', 'log'] });
  });
});
afterEach(() => callers[Symbol.asyncDispose]());

function deploy(tx: Tx, name: string, charmUrl: string, numUnits: number): void {
  deployApplication(tx, {
    name,
    charmUrl,
    charmOrigin: { source: 'local', type: 'charm', id: '' },
    base: { name: 'ubuntu', channel: '24.04/stable' },
    numUnits,
    constraints: numUnits > 0 ? { mem: 1024 } : {},
    placement: [],
    config: {},
    trust: false,
    endpointBindings: {},
  });
}

const status = (patterns: string[] | null = null, how: object = {}): Promise<FullStatus> =>
  callers.call<FullStatus>('Client', 'FullStatus', { patterns, 'include-storage': true }, how);

/** Starts machine 0 and web/0 with a subordinate on it. */
async function bringUp(): Promise<void> {
  await callers.change((tx) => {
    tx.put('machine', '0', {
      ...tx.get('machine', '0')!,
      hostname: 'juju-0',
      instance: {
        id: 'i-0',
        displayName: 'd-0',
        hardware: { arch: 'amd64', cores: 2, mem: 2048 },
        isolation: 'namespaces',
      },
      addresses: [
        { value: '127.0.0.1', type: 'ipv4', scope: 'local-machine', interfaceName: 'lo' },
        {
          value: '10.1.0.2',
          type: 'ipv4',
          scope: 'local-cloud',
          interfaceName: 'eth0',
          macAddress: '00:16:3e:00:00:01',
        },
        { value: '8.8.4.4', type: 'ipv4', scope: 'public' },
      ],
    });
    setStatus(tx, 'instance', '0', 'running', 'Running');
    setStatus(tx, 'machine-agent', '0', 'started');
    tx.put('unit', 'web/0', {
      ...tx.get('unit', 'web/0')!,
      deployed: true,
      ports: { '': ['80/tcp'] },
      workloadVersion: '1.2',
    });
    setStatus(tx, 'unit-agent', 'web/0', 'idle');
    setStatus(tx, 'workload', 'web/0', 'active', 'ready');
    const container = [...tx.find('relation', 'application', 'log')][0]!;
    enterScope(tx, { unit: 'web/0', relation: String(container.id) });
    tx.put('lease', 'web', { application: 'web', holder: 'web/0', expiresAt: '2026-01-01T00:01:00Z' });
  });
  callers.setPresent('0');
}

describe('FullStatus', () => {
  test('FullStatus shows a model where nothing has started yet', async () => {
    const answer = await status();
    expect(answer.model).toEqual({
      name: 'default',
      type: 'iaas',
      'cloud-tag': 'cloud-home',
      region: 'here',
      version: '3.6.28',
      'available-version': '',
      'model-status': {
        status: 'available',
        info: '',
        data: {},
        since: '2026-01-01T00:00:00.000Z',
        kind: '',
        version: '',
        life: '',
      },
      'meter-status': { color: '', message: '' },
      sla: 'unsupported',
    });
    expect(answer.machines['0']).toMatchObject({
      'instance-id': 'pending',
      'dns-name': '',
      'agent-status': { status: 'pending', version: '' },
      constraints: 'mem=1024M',
      hardware: '',
      jobs: ['JobHostUnits'],
    });
    expect(answer.applications['web']).toMatchObject({
      charm: 'local:web-3',
      'charm-rev': 3,
      'charm-version': 'v3',
      status: { status: 'waiting', info: 'waiting for machine' },
      relations: { db: ['mysql'] },
      units: {
        'web/0': { machine: '0', 'agent-status': { status: 'allocating' } },
        'web/1': { machine: '1' },
      },
    });
    expect(answer.applications['mysql']).toMatchObject({
      relations: { cluster: ['mysql'], server: ['web'] },
    });
    expect(answer.applications['mysql']).not.toHaveProperty('charm-rev');
    expect(answer.applications['log']).toMatchObject({
      'subordinate-to': ['web'],
      units: {},
      status: { status: 'unknown' },
    });
    expect(answer.relations.map((one) => [one.key, one.scope, one.status.status])).toEqual([
      ['mysql:cluster', 'global', 'joining'],
      ['web:db mysql:server', 'global', 'joining'],
      ['log:info web:juju-info', 'container', 'joining'],
    ]);
    expect(answer).toMatchObject({ storage: [], filesystems: [], volumes: [] });
  });

  test('FullStatus shows a started unit with its subordinate below it', async () => {
    await bringUp();
    const { machines, applications, relations } = await status();
    expect(machines['0']).toMatchObject({
      'agent-status': { status: 'started', version: '3.6.28' },
      'instance-status': { status: 'running', info: 'Running (isolation: namespaces)' },
      hostname: 'juju-0',
      'dns-name': '8.8.4.4',
      'ip-addresses': ['8.8.4.4', '10.1.0.2'],
      'instance-id': 'i-0',
      'display-name': 'd-0',
      hardware: 'arch=amd64 cores=2 mem=2048M',
    });
    expect(machines['0']!['network-interfaces']).toEqual({
      eth0: {
        'ip-addresses': ['10.1.0.2'],
        'mac-address': '00:16:3e:00:00:01',
        space: 'alpha',
        'is-up': true,
      },
    });
    expect(applications['web']!.units['web/0']).toMatchObject({
      'agent-status': { status: 'idle', version: '3.6.28' },
      'workload-status': { status: 'active', info: 'ready' },
      'workload-version': '1.2',
      'opened-ports': ['80/tcp'],
      'public-address': '8.8.4.4',
      leader: true,
      charm: '',
      subordinates: { 'log/0': { 'public-address': '8.8.4.4', machine: '' } },
    });
    expect(applications['web']!.units['web/1']).not.toHaveProperty('leader');
    // The status of the worst unit, as the charm never set one.
    expect(applications['web']!.status).toMatchObject({ status: 'waiting' });
    expect(relations.at(-1)).toMatchObject({
      status: { status: 'joined' },
      endpoints: [
        { application: 'web', name: 'juju-info', role: 'provider', subordinate: false },
        { application: 'log', name: 'info', role: 'requirer', subordinate: true },
      ],
    });
  });

  test('an agent without a connection is lost, and its machine down', async () => {
    await bringUp();
    await callers.change((tx) => {
      setStatus(tx, 'machine-agent', '1', 'started');
      setStatus(tx, 'unit-agent', 'web/1', 'idle');
      setStatus(tx, 'workload', 'web/1', 'active');
    });
    const { machines, applications } = await status();
    expect(machines['1']!['agent-status']).toMatchObject({
      status: 'down',
      info: 'agent is not communicating with the server',
    });
    expect(applications['web']!.units['web/1']).toMatchObject({
      'agent-status': { status: 'lost' },
      'workload-status': { status: 'unknown', info: "agent lost, see 'juju show-status-log web/1'" },
    });
  });

  test('a hook error is shown as the status of the workload, and dying as the life of the agent', async () => {
    await bringUp();
    await callers.change((tx) => {
      setStatus(tx, 'unit-agent', 'web/0', 'error', 'hook failed: "install"', { hook: 'install' });
      tx.put('unit', 'web/0', {
        ...tx.get('unit', 'web/0')!,
        life: 'dying',
        dyingSince: '2026-01-01T00:00:00Z',
        charmUrl: 'local:web-2',
      });
    });
    callers.advance(5 * 60_000);
    const { applications } = await status();
    expect(applications['web']!.units['web/0']).toMatchObject({
      'agent-status': { status: 'idle', life: 'dying' },
      'workload-status': {
        status: 'error',
        info: 'hook failed: "install" (dying for 5m: "resolved" helps)',
        data: { hook: 'install' },
      },
      charm: 'local:web-2',
    });
    expect(applications['web']!.status).toMatchObject({ status: 'error' });
  });

  test('the message of a dying entity says what it waits for', async () => {
    await bringUp();
    await callers.change((tx) => {
      const end = { life: 'dying', dyingSince: tx.now } as const;
      tx.put('application', 'web', { ...tx.get('application', 'web')!, ...end });
      tx.put('machine', '0', { ...tx.get('machine', '0')!, ...end });
      const [relation] = [...tx.find('relation', 'application', 'log')];
      tx.put('relation', String(relation!.id), { ...relation!, ...end });
      const root = tx.in('');
      root.put('model', callers.model, { ...root.get('model', callers.model)!, ...end });
    });
    callers.advance(90_000);
    const { model, machines, applications, relations } = await status();
    expect(model['model-status'].info).toBe('waiting for 3 applications and 3 machines');
    expect(machines['0']!['instance-status'].info).toBe('dying for 1m: waiting for unit web/0 and 1 more');
    expect(machines['1']!['instance-status'].info).toBe('');
    expect(applications['web']!.status.info).toBe('dying for 1m: waiting for 2 units');
    expect(relations.at(-1)!.status.info).toBe('dying for 1m: waiting for web/0 to leave');
    expect(relations[0]!.status.info).toBe('');
  });

  test('an interface may have the name of a built-in property', async () => {
    await callers.change((tx) => {
      const machine = tx.get('machine', '0')!;
      const address = { type: 'ipv4', scope: 'local-cloud' } as const;
      tx.put('machine', '0', {
        ...machine,
        addresses: ['constructor', 'eth0', 'constructor', '__proto__'].map((interfaceName, n) => ({
          ...address,
          value: `10.0.0.${n}`,
          interfaceName,
        })),
      });
    });
    const { machines } = await status();
    const interfaces = machines['0']?.['network-interfaces'] ?? {};
    expect(Object.entries(interfaces).map(([name, one]) => [name, one['ip-addresses']])).toEqual([
      ['constructor', ['10.0.0.0', '10.0.0.2']],
      ['eth0', ['10.0.0.1']],
    ]);
  });

  test('a machine without an instance says what it waits for, and has its containers below it', async () => {
    await callers.change((tx) => {
      setStatus(tx, 'model', '', 'suspended', 'quota of 2 exceeded; next try at 00:01:00Z', {
        class: 'quota',
      });
      setStatus(tx, 'instance', '1', 'provisioning error', 'no such zone');
      setStatus(tx, 'machine-agent', '1', 'error', 'no such zone');
      const host = tx.get('machine', '0')!;
      tx.put('machine', '0/lxd/0', { ...host, id: '0/lxd/0', parent: '0', containerType: 'lxd' });
    });
    const { model, machines } = await status();
    expect(model['model-status']).toMatchObject({
      status: 'suspended',
      info: 'quota of 2 exceeded; next try at 00:01:00Z',
    });
    expect(Object.keys(machines)).not.toContain('0/lxd/0');
    expect(machines['0']).toMatchObject({
      'instance-status': { status: 'pending', info: 'waiting: starts are suspended' },
      containers: { '0/lxd/0': { 'instance-status': { info: 'waiting for machine 0' } } },
    });
    expect(machines['1']!['instance-status'].info).toBe('no such zone');
    expect(machines['1']!['agent-status'].version).toBe('');
  });

  test('version 6 of the facade has no storage', async () => {
    expect(await status(null, { version: 6 })).not.toHaveProperty('storage');
  });

  test.each([
    [['web'], ['log', 'web'], ['web/0', 'web/1'], ['0', '1']],
    [['web/0'], ['log', 'web'], ['web/0'], ['0']],
    [['web/leader'], ['log', 'web'], ['web/0'], ['0']],
    [['mysql/leader'], [], [], []],
    [['web/*'], ['log', 'web'], ['web/0', 'web/1'], ['0', '1']],
    [
      ['mysql', 'web/1'],
      ['mysql', 'web'],
      ['mysql/0', 'web/1'],
      ['1', '2'],
    ],
    [['2'], ['mysql'], ['mysql/0'], ['2']],
    [['log/0'], ['log', 'web'], ['web/0'], ['0']],
    [['active'], ['log', 'web'], ['web/0'], ['0']],
    [['80/tcp'], ['log', 'web'], ['web/0'], ['0']],
    [['10.1.0.*'], ['log', 'web'], ['web/0'], ['0']],
    [['my?ql'], ['mysql'], ['mysql/0'], ['2']],
    [['[mw]*'], ['log', 'mysql', 'web'], ['mysql/0', 'web/0', 'web/1'], ['0', '1', '2']],
    [['exposed'], ['mysql'], ['mysql/0'], ['2']],
    [
      ['not', 'exposed'],
      ['log', 'web'],
      ['web/0', 'web/1'],
      ['0', '1'],
    ],
    [['nothing'], [], [], []],
  ])(
    'FullStatus with the patterns %j shows the matches and what belongs to them',
    async (patterns, applications, units, machines) => {
      await bringUp();
      await callers.call('Application', 'Expose', { application: 'mysql' });
      const answer = await status(patterns);
      expect(Object.keys(answer.applications).sort()).toEqual(applications);
      expect(
        Object.values(answer.applications)
          .flatMap((one) => Object.keys(one.units))
          .sort(),
      ).toEqual(units);
      expect(Object.keys(answer.machines).sort()).toEqual(machines);
    },
  );

  test('patterns that are not names have a maximum number, since each reads the whole model', async () => {
    const { max } = limits.statusPatterns;
    const patterns = Array.from({ length: max }, (_, n) => `nobody${n}*`);
    const { applications } = await status([...patterns, 'mysql', 'mysql', 'mysql']);
    expect(Object.keys(applications)).toContain('mysql');
    await expect(status([...patterns, 'nothing'])).rejects.toThrow(
      'wildcard patterns of a status request: 101 entries exceed the limit of 100',
    );
  });

  test('a pattern that can match nothing is refused', async () => {
    await expect(status(['a b'])).rejects.toThrow('pattern "a b" contains invalid characters');
  });

  test('FullStatus yields the event loop during a long answer', async () => {
    await callers.change((tx) => deploy(tx, 'many', 'local:web-3', 1000));
    let turns = 0;
    let going = true;
    const count = (): void => {
      turns++;
      if (going) setImmediate(count);
    };
    setImmediate(count);
    const { applications } = await status(['many']);
    going = false;
    expect(Object.keys(applications['many']!.units)).toHaveLength(1000);
    expect(turns).toBeGreaterThan(5);
  });
});

test('WatchAll creates a watcher that returns everything at first', async () => {
  const { 'watcher-id': id } = await callers.call<{ 'watcher-id': string }>('Client', 'WatchAll');
  const { deltas } = await callers.call<{ deltas: [string, string, Record<string, unknown>][] }>(
    'AllWatcher',
    'Next',
    {},
    { id },
  );
  expect(new Set(deltas.map(([kind]) => kind))).toEqual(
    new Set(['model', 'machine', 'charm', 'application', 'relation', 'unit']),
  );
  const next = callers.call<{ deltas: unknown[] }>('AllWatcher', 'Next', {}, { id });
  await callers.change((tx) => setStatus(tx, 'workload', 'web/0', 'active'));
  expect((await next).deltas).toMatchObject([
    ['unit', 'change', { name: 'web/0', 'workload-status': { current: 'active' } }],
  ]);
  await callers.call('AllWatcher', 'Stop', {}, { id });
  await callers.call('AllWatcher', 'Stop', {}, { id });
  await expect(callers.call('AllWatcher', 'Next', {}, { id })).rejects.toMatchObject({ code: 'not found' });
});
