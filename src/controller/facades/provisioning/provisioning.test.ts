import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { parseConstraints } from '../../../core/constraints.ts';
import { JujuError } from '../../../core/errors.ts';
import { createCallers, type Callers } from '../../../testing/call.ts';
import { addMachine } from '../../transactions/begin/add-machine.ts';
import { setStatus, statusOf } from '../../transactions/tx.ts';

let callers: Callers;
const prechecked: unknown[] = [];
/** Answer of the cloud to all requests. */
let refusal: JujuError | undefined;
beforeEach(async () => {
  prechecked.length = 0;
  refusal = undefined;
  callers = await createCallers({
    environ: {
      constraints: {
        unsupported: ['tags', 'zones'],
        conflicts: [{ left: ['instance-type'], right: ['mem'] }],
        vocabulary: { arch: ['amd64', 'arm64'] },
      },
      precheck: ({ constraints, placement }) => {
        prechecked.push([constraints, placement]);
        return refusal ? Promise.reject(refusal) : Promise.resolve();
      },
    },
  });
  await callers.addCharm('web');
});
afterEach(() => callers[Symbol.asyncDispose]());

const call = <R = unknown>(method: string, params?: unknown): Promise<R> =>
  callers.call<R>('Provisioning', method, params);
const deploy = (rest: Record<string, unknown>): Promise<unknown> =>
  callers.call('Application', 'Deploy', {
    applications: [{ application: 'web', 'charm-url': 'local:web-0', 'num-units': 1, ...rest }],
  });
const addMachines = (rest: Record<string, unknown>): Promise<unknown> =>
  callers.call('MachineManager', 'AddMachines', { params: [{ jobs: ['JobHostUnits'], ...rest }] });

test('CheckConstraints returns the cloud’s opinion of constraints', async () => {
  expect(await call('CheckConstraints', { constraints: { mem: 1024 } })).toEqual({ warnings: [] });
  expect(await call('CheckConstraints', { constraints: { zones: ['z'], tags: ['a'] } })).toEqual({
    warnings: ['unsupported constraints: tags,zones'],
  });
  await expect(call('CheckConstraints', { constraints: { arch: 's390x' } })).rejects.toMatchObject({
    code: 'not valid',
    message: 'invalid constraint value: arch=s390x, valid values are: [amd64 arm64]',
  });
});

describe('every place that takes constraints', () => {
  type Constraints = Record<string, unknown>;
  const places: [string, (constraints: Constraints) => Promise<unknown>][] = [
    ['Deploy', (constraints) => deploy({ constraints })],
    ['AddMachines', (constraints) => addMachines({ constraints })],
    [
      'SetConstraints',
      async (constraints) => {
        await deploy({ 'num-units': 0 });
        return callers.call('Application', 'SetConstraints', { application: 'web', constraints });
      },
    ],
    [
      'SetModelConstraints',
      (constraints) => callers.call('ModelConfig', 'SetModelConstraints', { constraints }),
    ],
    [
      'RetryMachines',
      async (constraints) => {
        await failed('0');
        return call('RetryMachines', { machines: ['machine-0'], constraints });
      },
    ],
  ];

  test.each(places)('%s refuses an unknown space', async (_, give) => {
    for (const spaces of [['dmz'], ['alpha', '^dmz']]) {
      await callers.addCharm('web');
      const error = await give({ spaces }).then(
        (answer) => Object.values(answer as Record<string, { error?: unknown }[]>)[0]?.[0]?.error,
        (reason: unknown) => reason,
      );
      expect(error).toMatchObject({ code: 'not found', message: 'space "dmz" not found' });
    }
    expect([...callers.view().list('unit')]).toEqual([]);
  });

  test.each(places)(
    '%s refuses constraints that overlap, and values that the cloud lacks',
    async (_, give) => {
      for (const constraints of [{ mem: 1024, 'instance-type': 'm1' }, { arch: 's390x' }]) {
        // A charm that no application uses goes with the refused deploy.
        await callers.addCharm('web');
        const error = await give(constraints).then(
          (answer) => Object.values(answer as Record<string, { error?: unknown }[]>)[0]?.[0]?.error,
          (reason: unknown) => reason,
        );
        expect(error).toMatchObject({
          code: 'not valid',
          message: expect.stringMatching(/^(ambiguous constraints: |invalid constraint value: )/) as string,
        });
      }
      expect([...callers.view().list('unit')]).toEqual([]);
      expect(
        JSON.stringify([...callers.view().list('machine'), ...callers.view().list('application')]),
      ).not.toMatch(/s390x|m1/);
    },
  );

  test.each(places)(
    '%s takes constraints that the cloud ignores, and says so in the model’s log',
    async (_, give) => {
      await give({ tags: ['a'] });
      expect(callers.logged).toMatchObject([
        {
          model: callers.model,
          tag: 'controller-0',
          sev: 'WARNING',
          msg: expect.stringMatching(/: unsupported constraints: tags$/) as string,
        },
      ]);
    },
  );
});

describe('machines are checked with the cloud before they are made', () => {
  const zone = (name: string) => ({ scope: callers.model, directive: `zone=${name}` });
  beforeEach(() =>
    callers.call('ModelConfig', 'SetModelConstraints', { constraints: { mem: 1024, cores: 2 } }),
  );

  test('machines are checked with the model’s constraints, and each directive once', async () => {
    await deploy({
      'num-units': 4,
      constraints: { 'instance-type': 'm1' },
      placement: [zone('z1'), zone('z2'), zone('z1')],
    });
    const constraints = parseConstraints('cores=2 instance-type=m1');
    expect(prechecked).toEqual([
      [constraints, 'zone=z1'],
      [constraints, 'zone=z2'],
      [constraints, undefined],
    ]);
    prechecked.length = 0;
    await callers.call('Application', 'AddUnits', {
      application: 'web',
      'num-units': 1,
      placement: [zone('z3')],
    });
    expect(prechecked).toEqual([[constraints, 'zone=z3']]);
    expect(callers.view().get('machine', '0')?.constraints).toEqual(constraints);
  });

  test('existing machines are not checked, but new containers on them are', async () => {
    await addMachines({});
    prechecked.length = 0;
    await deploy({ placement: [{ scope: '#', directive: '0' }] });
    expect(prechecked).toEqual([]);
    await deploy({ application: 'boxed', placement: [{ scope: 'lxd', directive: '0' }] });
    // The check includes the model's constraints.
    expect(prechecked).toEqual([[{ cores: 2, mem: 1024 }, undefined]]);
  });

  test('a custom image needs an explicit base, also when the model sets the image', async () => {
    const refusal = {
      code: 'not valid',
      message: expect.stringMatching(/^base must be explicitly provided when image-id/) as string,
    };
    expect(await deploy({ constraints: { 'image-id': 'i' } })).toMatchObject({
      results: [{ error: refusal }],
    });
    await callers.call('ModelConfig', 'SetModelConstraints', { constraints: { 'image-id': 'i' } });
    expect(await addMachines({})).toMatchObject({ machines: [{ error: refusal }] });
    const base = { name: 'ubuntu', channel: '24.04' };
    expect(await addMachines({ base })).toEqual({ machines: [{ machine: '0' }] });
  });
});

test.each([
  ['AddMachines', () => addMachines({ placement: { scope: 'ssh', directive: 'me@there' } })],
  ['Deploy', () => deploy({ placement: [{ scope: 'ssh', directive: 'me@there' }] })],
])('%s by ssh says how a host becomes a machine', async (_, give) => {
  const answer = Object.values((await give()) as Record<string, { error: unknown }[]>)[0]![0]!;
  expect(answer.error).toEqual({
    code: 'not supported',
    message:
      "cannot use ssh:me@there as a placement: add the host with 'add-machine ssh:me@there', then use its machine number",
  });
});

test('AddMachines refuses the constraint container', async () => {
  expect(await addMachines({ constraints: { container: 'lxd' } })).toMatchObject({
    machines: [{ error: { message: 'container constraint "lxd" not allowed when adding a machine' } }],
  });
});

describe('reuse of spare machines', () => {
  beforeEach(() => addMachines({}));
  const reuseParams = { 'reuse-machines': true };

  test('reuse is requested for each command, whose result lists the reused machines', async () => {
    expect(await deploy({ 'num-units': 2, ...reuseParams })).toEqual({
      results: [{ reused: [{ unit: 'web/0', machine: '0' }] }],
    });
    await addMachines({});
    const add = { application: 'web', 'num-units': 1, placement: [] };
    expect(await callers.call('Application', 'AddUnits', add)).toEqual({ units: ['web/2'] });
    expect(await callers.call('Application', 'AddUnits', { ...add, ...reuseParams })).toEqual({
      units: ['web/3'],
      reused: [{ unit: 'web/3', machine: '2' }],
    });
  });

  test('reuse may be the model’s default, unless a command says otherwise', async () => {
    await callers.call('ModelConfig', 'ModelSet', { config: { 'reuse-machines': true } });
    expect(await deploy({ 'reuse-machines': false })).toEqual({ results: [{}] });
    const add = { application: 'web', 'num-units': 1, placement: [] };
    expect(await callers.call('Application', 'AddUnits', add)).toMatchObject({
      reused: [{ unit: 'web/1', machine: '0' }],
    });
  });
});

describe('RetryMachines', () => {
  const status = (id: string): string => statusOf(callers.view(), 'instance', id, '').status;

  test('RetryMachines answers for each machine that is named', async () => {
    await failed('0');
    await failed('1');
    await addMachines({});
    const machines = ['machine-0', 'machine-2', 'machine-9', 'machine-1', 'unit-web-0'];
    expect(await call('RetryMachines', { machines })).toEqual({
      results: [
        { machine: 'machine-0' },
        {
          machine: 'machine-2',
          error: { message: 'machine 2 is not in an error state (pending)', code: '' },
        },
        { machine: 'machine-9', error: { message: 'machine 9 not found', code: 'not found' } },
        { machine: 'machine-1' },
        { machine: 'unit-web-0', error: expect.anything() as unknown },
      ],
    });
    expect([status('0'), status('1')]).toEqual(['pending', 'pending']);
  });

  test('RetryMachines takes all that failed, containers too, and clears their failed zones', async () => {
    await failed('0', { failedZones: ['z1'] });
    await failed('1/lxd/0', { parent: '1', containerType: 'lxd' });
    await addMachines({});
    expect(await call('RetryMachines', { all: true })).toEqual({
      results: [{ machine: 'machine-0' }, { machine: 'machine-1-lxd-0' }],
    });
    expect(callers.view().get('machine', '0')).not.toHaveProperty('failedZones');
    expect([status('0'), status('1/lxd/0')]).toEqual(['pending', 'pending']);
  });

  test('RetryMachines takes a machine that waits for its next attempt', async () => {
    await failed('0');
    await callers.change((tx) =>
      setStatus(tx, 'instance', '0', 'allocating', 'attempt 2 failed', { next: '2026-01-01T00:01:00Z' }),
    );
    expect(await call('RetryMachines', { machines: ['machine-0'] })).toEqual({
      results: [{ machine: 'machine-0' }],
    });
    expect(statusOf(callers.view(), 'instance', '0', '')).toMatchObject({ status: 'pending', data: {} });
  });

  test('RetryMachines with constraints abandons an attempt that may have left an instance', async () => {
    await failed('0', { nonce: 'n', passwordHash: 'p', zone: 'z1' });
    await call('RetryMachines', { machines: ['machine-0'] });
    expect(callers.view().get('machine', '0')?.nonce).toBe('n');
    await callers.change((tx) => setStatus(tx, 'instance', '0', 'provisioning error', 'no'));
    await call('RetryMachines', { machines: ['machine-0'], constraints: { mem: 1024 } });
    const machine = callers.view().get('machine', '0');
    expect(machine?.nonce).toMatch(/^machine-0:/);
    for (const key of ['passwordHash', 'zone']) expect(machine).not.toHaveProperty(key);
  });

  test('RetryMachines with constraints replaces all constraints of the machine', async () => {
    await failed('0', { constraints: parseConstraints('mem=8G cores=8') });
    const retry = (constraints: unknown): Promise<unknown> =>
      call('RetryMachines', { machines: ['machine-0'], constraints });
    expect(await retry({ container: 'lxd' })).toMatchObject({ results: [{ error: { code: 'not valid' } }] });
    expect(status('0')).toBe('provisioning error');
    expect(await retry({ mem: 2048 })).toEqual({ results: [{ machine: 'machine-0' }] });
    expect(callers.view().get('machine', '0')?.constraints).toEqual({ mem: 2048 });
    await callers.change((tx) => setStatus(tx, 'instance', '0', 'provisioning error', 'no'));
    await retry({});
    expect(callers.view().get('machine', '0')?.constraints).toEqual({});
  });

  test('RetryMachines with constraints first asks the cloud whether it can ever create such a machine', async () => {
    await failed('0', { placement: { scope: callers.model, directive: 'zone=zone1' } });
    await failed('1', { placement: { scope: 'lxd', directive: '0' } });
    const [constraints, machines] = [{ mem: 2 }, ['machine-0', 'machine-1', 'machine-9']];
    expect(await call('RetryMachines', { machines, constraints })).toMatchObject({
      results: [{}, {}, { error: { code: 'not found' } }],
    });
    expect(prechecked).toEqual([
      [constraints, 'zone=zone1'],
      [constraints, undefined],
    ]);
    refusal = new JujuError('not valid', 'too little');
    await callers.change((tx) => setStatus(tx, 'instance', '0', 'provisioning error', 'no'));
    expect(await call('RetryMachines', { machines: ['machine-0'], constraints: { mem: 3 } })).toMatchObject({
      results: [{ error: { code: 'not valid', message: 'too little' } }],
    });
    expect(status('0')).toBe('provisioning error');
    expect(callers.view().get('machine', '0')?.constraints).toEqual(constraints);
  });

  test('unknown machines are errors for Juju’s own clients too', async () => {
    await failed('0');
    expect(
      await callers.call('MachineManager', 'RetryProvisioning', {
        machines: ['machine-0', 'machine-9'],
        all: false,
      }),
    ).toEqual({ results: [{}, { error: { message: 'machine 9 not found', code: 'not found' } }] });
  });
});

/** A machine whose start failed. */
async function failed(id: string, overrides: Record<string, unknown> = {}): Promise<void> {
  await callers.change((tx) => {
    const base = { name: 'ubuntu', channel: '24.04/stable' };
    const machine = addMachine(tx, { base, constraints: {}, removeWhenEmpty: false });
    tx.remove('machine', machine.id);
    tx.put('machine', id, { ...machine, id, ...overrides });
    setStatus(tx, 'machine-agent', id, 'error', 'no room');
    setStatus(tx, 'instance', id, 'provisioning error', 'no room');
  });
}
