import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createCallers, type Callers } from '../../../testing/call.ts';
import { setStatus } from '../../transactions/tx.ts';

let callers: Callers;
beforeEach(async () => {
  callers = await createCallers();
});
afterEach(() => callers[Symbol.asyncDispose]());

const call = <R = unknown>(method: string, params?: unknown, how?: object): Promise<R> =>
  callers.call<R>('MachineManager', method, params, how);
/** As python-libjuju sends it. */
const machine = (rest: Record<string, unknown> = {}): Record<string, unknown> => ({
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
  ...rest,
});

describe('AddMachines', () => {
  test('makes records with a base, constraints and placement', async () => {
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

  test('makes containers, named in the old way or the new', async () => {
    const params = [
      // python-libjuju's add_machine('lxd').
      machine({ placement: { scope: 'lxd', directive: null } }),
      machine({ placement: { scope: 'lxd', directive: '0' } }),
      machine({ 'container-type': 'lxd', 'parent-id': '0' }),
      machine({ 'container-type': 'lxd' }),
    ];
    expect(await call('AddMachines', { params })).toEqual({
      machines: ['0/lxd/0', '0/lxd/1', '0/lxd/2', '1/lxd/0'].map((id) => ({ machine: id })),
    });
  });

  test('takes the model’s default base', async () => {
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
    ['an instance that exists', { 'instance-id': 'manual:10.0.0.1' }, 'not supported'],
    [
      'a directive that the cloud refuses',
      { placement: { scope: 'model-uuid', directive: 'zone=nowhere' } },
      'not valid',
    ],
    ['an unknown base', { base: { name: 'beos', channel: '5' } }, 'not valid'],
  ])('refuses %s', async (_, rest, code) => {
    expect(await call('AddMachines', { params: [machine(rest)] })).toMatchObject({
      machines: [{ machine: '', error: { code } }],
    });
    expect(callers.view().count('machine')).toBe(0);
  });
});

describe('with a machine that has a unit', () => {
  beforeEach(async () => {
    await callers.addCharm('app');
    const application = { application: 'app', 'charm-url': 'local:app-0', 'num-units': 1 };
    await callers.call('Application', 'Deploy', { applications: [application] });
  });

  test('DestroyMachineWithParams refuses, unless forced', async () => {
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
    // It was never started, and no agent knows of the unit.
    expect(callers.view().get('machine', '0')).toBeUndefined();
    expect(callers.view().count('unit')).toBe(0);
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
    // An agent that came up says so only once.
    await fail('started');
    await call('RetryProvisioning', { all: true });
    expect(callers.view().get('status', 'machine-agent:0')).toMatchObject({ status: 'started' });
  });
});
