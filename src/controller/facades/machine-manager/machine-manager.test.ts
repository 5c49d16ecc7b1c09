import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createCallers, type Callers } from '../../../testing/call.ts';
import { verifySecret } from '../../passwords.ts';
import { setStatus } from '../../transactions/tx.ts';

let callers: Callers;
beforeEach(async () => {
  callers = await createCallers();
});
afterEach(() => callers[Symbol.asyncDispose]());

const call = <R = unknown>(method: string, params?: unknown, how?: object): Promise<R> =>
  callers.call<R>('MachineManager', method, params, how);
/** A machine as python-libjuju sends it. */
const machine = (overrides: Record<string, unknown> = {}): Record<string, unknown> => ({
  jobs: ['JobHostUnits'],
  base: null,
  constraints: null,
  disks: null,
  placement: null,
  'parent-id': null,
  'container-type': null,
  'instance-id': null,
  nonce: null,
  addresses: null,
  ...overrides,
});

describe('AddMachines', () => {
  test('AddMachines creates records with a base, constraints and placement', async () => {
    const params = [
      machine(),
      machine({
        base: { name: 'ubuntu', channel: '22.04' },
        constraints: { cores: 2 },
        placement: { scope: 'default', directive: 'zone=z1' },
      }),
    ];
    expect(await call('AddMachines', { params })).toEqual({ machines: [{ machine: '0' }, { machine: '1' }] });
    expect([...callers.view().list('machine')]).toMatchObject([
      { base: { name: 'ubuntu', channel: '24.04/stable' }, removeWhenEmpty: false, clean: true },
      {
        base: { name: 'ubuntu', channel: '22.04/stable' },
        constraints: { cores: 2 },
        placement: { scope: callers.model, directive: 'zone=z1' },
      },
    ]);
  });

  test('AddMachines creates containers, named in the old way or the new', async () => {
    const params = [
      // The call of python-libjuju's add_machine('lxd').
      machine({ placement: { scope: 'lxd', directive: null } }),
      machine({ placement: { scope: 'lxd', directive: '0' } }),
      machine({ 'container-type': 'lxd', 'parent-id': '0' }),
      machine({ 'container-type': 'lxd' }),
    ];
    expect(await call('AddMachines', { params })).toEqual({
      machines: ['0/lxd/0', '0/lxd/1', '0/lxd/2', '1/lxd/0'].map((id) => ({ machine: id })),
    });
  });

  test('AddMachines sets annotations from the beginning, and a machine for a bundle is no spare', async () => {
    const annotations = [{ 'bundle-machine': '0 (mysql)' }, { rack: '3' }];
    await call('AddMachines', { params: annotations.map((one) => machine({ annotations: one })) });
    const view = callers.view();
    expect(annotations.map((_, id) => view.get('annotation', `machine-${id}`)?.values)).toEqual(annotations);
    expect([...view.list('machine')].map(({ clean }) => clean)).toEqual([false, true]);
  });

  test('AddMachines takes the model’s default base', async () => {
    await callers.call('ModelConfig', 'ModelSet', { config: { 'default-base': 'ubuntu@22.04' } });
    await call('AddMachines', { params: [machine()] });
    expect(callers.view().get('machine', '0')?.base.channel).toBe('22.04/stable');
  });

  test.each([
    ['a machine as placement', { placement: { scope: '#', directive: '0' } }, 'bad request'],
    ['a container of a type that the cloud has not', { 'container-type': 'kvm' }, 'not supported'],
    ['a type that there is not', { 'container-type': 'lxc' }, 'not valid'],
    ['a host without a type', { 'parent-id': '0' }, 'bad request'],
    ['a container on no machine', { 'container-type': 'lxd', 'parent-id': '7' }, 'not found'],
    ['a host without a nonce', { 'instance-id': 'manual:10.0.0.1' }, 'bad request'],
    ['a host with a nonce of another kind', { 'instance-id': 'manual:h', nonce: 'machine-0:1' }, 'not valid'],
    ['a host whose name is none', { 'instance-id': "manual:'; rm", nonce: 'manual:h:1' }, 'not valid'],
    [
      'a host that is placed',
      {
        'instance-id': 'manual:h',
        nonce: 'manual:h:1',
        placement: { scope: 'model-uuid', directive: 'zone=a' },
      },
      'bad request',
    ],
    [
      'a directive that the cloud refuses',
      { placement: { scope: 'model-uuid', directive: 'zone=nowhere' } },
      'not valid',
    ],
    ['an unknown base', { base: { name: 'beos', channel: '5' } }, 'not valid'],
  ])('AddMachines refuses %s', async (_, rest, code) => {
    expect(await call('AddMachines', { params: [machine(rest)] })).toMatchObject({
      machines: [{ machine: '', error: { code } }],
    });
    expect(callers.view().count('machine')).toBe(0);
  });
});

describe('a host that exists', () => {
  /** A host as juju add-machine ssh:ubuntu@10.0.0.1 sends it. */
  const host = machine({
    base: { name: 'ubuntu', channel: '22.04/stable' },
    'instance-id': 'manual:10.0.0.1',
    nonce: 'manual:10.0.0.1:6a1b',
    'hardware-characteristics': { arch: 'amd64', mem: 2048, 'cpu-cores': 4, 'root-disk': 0 },
    addresses: [{ value: '10.0.0.1', type: 'ipv4', scope: 'local-cloud', cidr: '10.0.0.0/24' }],
  });

  test('an existing host becomes a running machine that no provider starts', async () => {
    expect(await call('AddMachines', { params: [host] })).toEqual({ machines: [{ machine: '0' }] });
    expect(callers.view().get('machine', '0')).toMatchObject({
      nonce: 'manual:10.0.0.1:6a1b',
      base: { name: 'ubuntu', channel: '22.04/stable' },
      instance: { id: 'manual:10.0.0.1', hardware: { arch: 'amd64', mem: 2048, cores: 4 }, unmanaged: true },
      addresses: [{ value: '10.0.0.1', scope: 'local-cloud' }],
    });
    expect(callers.view().get('machine', '0')?.instance?.hardware).not.toHaveProperty('rootDisk');
    expect(callers.view().get('status', 'instance:0')).toMatchObject({
      status: 'running',
      message: 'Manually provisioned machine',
    });
  });

  test('an existing host is one machine, until that machine is removed', async () => {
    await call('AddMachines', { params: [host] });
    const sameHost = machine({ 'instance-id': 'manual:10.0.0.1', nonce: 'manual:10.0.0.1:7c2d' });
    expect(await call('AddMachines', { params: [sameHost] })).toMatchObject({
      machines: [{ error: { code: 'already exists', message: 'manual:10.0.0.1 is machine 0 already' } }],
    });
    await call('DestroyMachineWithParams', { 'machine-tags': ['machine-0'] });
    expect(await call('AddMachines', { params: [sameHost] })).toEqual({ machines: [{ machine: '1' }] });
  });

  test('an existing host gets a script with its own password, for the nonce that it was added with', async () => {
    await call('AddMachines', { params: [host] });
    const params = { 'machine-id': '0', nonce: 'manual:10.0.0.1:6a1b', 'data-dir': '/var/lib/juju' };
    const { script } = await call<{ script: string }>('ProvisioningScript', params);
    const password = /^apipassword: "?([\w-]+)/m.exec(script)?.[1] ?? '';
    expect(verifySecret(password, callers.view().get('machine', '0')!.passwordHash!)).toBe(true);
    for (const [wrong, code] of [
      [{ nonce: 'manual:10.0.0.1:7c2d' }, 'not valid'],
      [{ 'machine-id': '7' }, 'not found'],
      [{ 'data-dir': '/srv' }, 'not supported'],
    ] as const)
      await expect(call('ProvisioningScript', { ...params, ...wrong })).rejects.toMatchObject({ code });
  });

  test('a host whose agent has come keeps its present password', async () => {
    await call('AddMachines', { params: [host] });
    await callers.change((tx) =>
      tx.put('machine', '0', { ...tx.get('machine', '0')!, ownPassword: true as const }),
    );
    const params = { 'machine-id': '0', nonce: 'manual:10.0.0.1:6a1b' };
    await expect(call('ProvisioningScript', params)).rejects.toMatchObject({ code: 'already exists' });
  });

  test('a removed host without an agent is free at once, a host with an agent when the agent has ended', async () => {
    const other = { ...host, 'instance-id': 'manual:10.0.0.2', nonce: 'manual:10.0.0.2:1' };
    await call('AddMachines', { params: [host, other] });
    await callers.change((tx) => setStatus(tx, 'machine-agent', '1', 'started'));
    await call('DestroyMachineWithParams', { 'machine-tags': ['machine-0', 'machine-1'] });
    expect([...callers.view().list('machine')].map(({ id, life }) => [id, life])).toEqual([['1', 'dying']]);
  });
});

describe('removal of a machine that has a unit', () => {
  beforeEach(async () => {
    await callers.addCharm('app');
    const application = { application: 'app', 'charm-url': 'local:app-0', 'num-units': 1 };
    await callers.call('Application', 'Deploy', { applications: [application] });
  });

  test('DestroyMachineWithParams refuses a machine with a unit, unless forced', async () => {
    const params = { 'machine-tags': ['machine-0', 'machine-5'] };
    expect(await call('DestroyMachineWithParams', params)).toMatchObject({
      results: [{ error: { code: 'machine has assigned units' } }, { error: { code: 'not found' } }],
    });
    const forced = { results: [{ info: { 'machine-id': '0', 'destroyed-units': [{ tag: 'unit-app-0' }] } }] };
    expect(
      await call('DestroyMachineWithParams', { 'machine-tags': ['machine-0'], force: true, 'dry-run': true }),
    ).toEqual(forced);
    expect(callers.view().get('machine', '0')?.life).toBe('alive');
    expect(
      await call('DestroyMachineWithParams', { 'machine-tags': ['machine-0'], force: true, keep: true }),
    ).toEqual(forced);
    // The machine was never started, and no agent knows of the unit.
    expect(callers.view().get('machine', '0')).toBeUndefined();
    expect(callers.view().count('unit')).toBe(0);
  });

  test('DestroyMachineWithParams has no dry run in version 9, as in Juju', async () => {
    const params = { 'machine-tags': ['machine-0'], force: true, 'dry-run': true };
    expect(await call('DestroyMachineWithParams', params, { version: 9 })).toMatchObject({ results: [{}] });
    expect(callers.view().get('machine', '0')).toBeUndefined();
  });

  test('RetryProvisioning resets machines whose start failed', async () => {
    expect(
      await call('RetryProvisioning', { machines: ['machine-0', 'machine-9'], all: false }),
    ).toMatchObject({
      results: [{ error: { message: 'machine 0 is not in an error state (pending)' } }, {}],
    });
    const fail = (agent: string): Promise<void> =>
      callers.change((tx) => {
        setStatus(tx, 'instance', '0', 'provisioning error', 'no room');
        setStatus(tx, 'machine-agent', '0', agent);
      });
    await fail('error');
    expect(await call('RetryProvisioning', { all: true })).toEqual({ results: [{}] });
    expect(callers.view().get('status', 'instance:0')).toMatchObject({ status: 'pending', message: '' });
    expect(callers.view().get('status', 'machine-agent:0')).toMatchObject({ status: 'pending' });
    expect(await call('RetryProvisioning', { all: true })).toEqual({ results: [] });
    // An agent that has started reports so only once.
    await fail('started');
    await call('RetryProvisioning', { all: true });
    expect(callers.view().get('status', 'machine-agent:0')).toMatchObject({ status: 'started' });
  });
});
