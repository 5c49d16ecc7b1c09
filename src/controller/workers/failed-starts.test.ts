/** Tests of what follows failed starts (machines.md#failure-classes), with the real store and the simulated cloud. */
import { expect, test } from 'vitest';
import type { Constraints } from '../../core/constraints.ts';
import type { MachineDoc } from '../../core/machine/document.ts';
import type { StatusDoc } from '../../core/status/document.ts';
import type { FailureClass } from '../../core/machine/failure.ts';
import { ProviderError } from '../../providers/contract/provider.ts';
import { SimulatedCloud } from '../../providers/clouds/simulated/index.ts';
import { modelFixture, type ModelFixture } from '../../testing/model-fixture.ts';
import { provisionerOf } from '../../testing/provisioner.ts';
import { addMachine } from '../transactions/begin/add-machine.ts';
import { destroyMachine } from '../transactions/end/destroy-machine.ts';
import { destroyUnit } from '../transactions/end/destroy-unit.ts';
import { failStart } from '../transactions/instance/fail-start.ts';
import { reprovisionMachine } from '../transactions/instance/reprovision-machine.ts';
import { retryProvisioning } from '../transactions/instance/retry-provisioning.ts';
import { setStatus } from '../transactions/tx.ts';
import { eventually } from '../../testing/eventually.ts';

const base = { name: 'ubuntu', channel: '24.04/stable' };
const minute = 60_000;

function add(
  model: ModelFixture,
  count = 1,
  args: { constraints?: Constraints; directive?: string } = {},
): Promise<void> {
  const { constraints = {}, directive } = args;
  return model.change((tx) => {
    for (let n = 0; n < count; n++)
      addMachine(tx, {
        base,
        constraints,
        removeWhenEmpty: false,
        ...(directive === undefined ? {} : { placement: { scope: model.uuid, directive } }),
      });
  });
}

function remove(model: ModelFixture, machine: string): Promise<unknown> {
  return model.change((tx) => destroyMachine(tx, { machine, keepInstance: false }));
}

const machine = (model: ModelFixture, id = '0'): MachineDoc | undefined => model.view().get('machine', id);
const status = (model: ModelFixture, id: string): StatusDoc | undefined => model.view().get('status', id);
const running = (model: ModelFixture): MachineDoc[] =>
  [...model.view().list('machine')].filter(({ instance }) => instance !== undefined);

function failStarts(
  cloud: SimulatedCloud,
  failure: FailureClass,
  message: string,
  times = 1,
  when: 'before' | 'after' = 'before',
): void {
  for (let n = 0; n < times; n++)
    cloud.inject({ operation: 'start', when, error: new ProviderError(failure, message) });
}

test('a cloud that cannot list its zones is reported on each machine, and the machines start when it can', async () => {
  await using model = await modelFixture();
  const cloud = new SimulatedCloud({ latencyMs: 0, zones: ['a', 'b'] });
  cloud.inject({
    operation: 'zones',
    when: 'before',
    error: new ProviderError('bad request', 'no zones today'),
  });
  await using provisioner = provisionerOf(model, cloud);
  await add(model, 2);
  await eventually(() => {
    for (const id of ['0', '1'])
      expect(status(model, `instance:${id}`)?.message).toMatch(
        /^attempt 1 failed, next at .*: no zones today$/,
      );
  });
  provisioner.advance(minute);
  await eventually(() => expect(running(model)).toHaveLength(2));
});

test.for(['create', 'list'] as const)(
  'a cloud that does not answer %s is reported on each machine, and the machines start when it answers',
  async (operation) => {
    await using model = await modelFixture();
    const cloud = new SimulatedCloud({ latencyMs: 0 });
    cloud.inject({ operation, when: 'before', error: new ProviderError('transient', 'nobody is there') });
    await add(model, 2);
    await using provisioner = provisionerOf(model, cloud);
    await eventually(() => {
      for (const id of ['0', '1'])
        expect(status(model, `instance:${id}`)).toMatchObject({
          status: 'allocating',
          message: 'not requested yet: nobody is there',
        });
    });
    provisioner.advance(minute);
    await eventually(() => expect(running(model)).toHaveLength(2));
  },
);

test('a transient failure is retried without end, with exponential backoff, and status shows the next attempt', async () => {
  await using model = await modelFixture();
  const cloud = new SimulatedCloud({ latencyMs: 0 });
  failStarts(cloud, 'transient', 'the cloud is tired', 12);
  await using provisioner = provisionerOf(model, cloud);
  await add(model);
  const waits: number[] = [];
  for (let attempt = 1; attempt <= 12; attempt++) {
    const message = await eventually(() => {
      const now = status(model, 'instance:0');
      expect(now?.message).toContain(`attempt ${attempt} failed, next at `);
      return now!;
    });
    expect(message.status).toBe('allocating');
    const wait = Date.parse(message.data?.['next'] as string) - model.now();
    waits.push(wait / 1_000);
    provisioner.advance(wait);
  }
  expect(waits).toEqual([2, 4, 8, 16, 32, 64, 128, 256, 300, 300, 300, 300]);
  await eventually(() => expect(machine(model)?.instance).toBeDefined());
});

test('a machine that waits for its next attempt is cleared at once, with the instance of its lost start', async () => {
  await using model = await modelFixture();
  const cloud = new SimulatedCloud({ latencyMs: 0 });
  failStarts(cloud, 'transient', 'lost', 1, 'after');
  await using _ = provisionerOf(model, cloud);
  await add(model);
  await eventually(() => expect(status(model, 'instance:0')?.message).toContain('attempt 1 failed'));
  expect(cloud.count).toBe(1);
  await remove(model, '0');
  await eventually(() => expect([machine(model), cloud.count]).toEqual([undefined, 0]));
});

test('a zonal failure is retried in the next zone at once, and failed zones are remembered for that machine only', async () => {
  await using model = await modelFixture();
  const cloud = new SimulatedCloud({ latencyMs: 0, zones: ['a', 'b'] });
  failStarts(cloud, 'zonal', 'a is full');
  await using _ = provisionerOf(model, cloud);
  await add(model);
  await eventually(() => expect(machine(model)?.instance).toBeDefined());
  expect(machine(model)).toMatchObject({ zone: 'b', instance: { hardware: { availabilityZone: 'b' } } });
  expect(machine(model)?.failedZones).toBeUndefined();
  await add(model);
  await eventually(() => expect(machine(model, '1')?.zone).toBe('a'));
});

test('all zones are tried anew after a while when every zone has failed', async () => {
  await using model = await modelFixture();
  const cloud = new SimulatedCloud({ latencyMs: 0, zones: ['a', 'b', 'c'] });
  failStarts(cloud, 'zonal', 'full', 3);
  await using provisioner = provisionerOf(model, cloud);
  await add(model);
  await eventually(() => expect(status(model, 'instance:0')?.message).toContain('attempt 3 failed'));
  expect(machine(model)?.failedZones).toBeUndefined();
  provisioner.advance(2_000);
  await eventually(() => expect(machine(model)?.zone).toBe('a'));
});

test('a zone that is not available is waited for, and then taken', async () => {
  await using model = await modelFixture();
  const cloud = new SimulatedCloud({ latencyMs: 0, zones: ['a', 'b'] });
  cloud.setZone('b', 'unavailable');
  await using provisioner = provisionerOf(model, cloud);
  await add(model, 1, { directive: 'zone=b' });
  await eventually(() =>
    expect(status(model, 'instance:0')?.message).toMatch(
      /^attempt 1 failed, next at 00:00:02Z: no allowed zone is available$/,
    ),
  );
  expect(machine(model)?.nonce).toBeUndefined();
  cloud.setZone('b', 'available');
  provisioner.advance(2_000);
  await eventually(() => expect(machine(model)?.zone).toBe('b'));
});

test.each<[string, { constraints?: Constraints; directive?: string }, string]>([
  ['zone= not in this cloud', { directive: 'zone=z' }, 'zone "z" is not in this cloud, which has a, b'],
  [
    'zone= against the zones constraint',
    { directive: 'zone=a', constraints: { zones: ['b'] } },
    'placement zone=a is not among constraint zones=b',
  ],
])('a start is a bad request: %s', async (_name, args, expected) => {
  await using model = await modelFixture();
  const cloud = new SimulatedCloud({ latencyMs: 0, zones: ['a', 'b'] });
  await using _ = provisionerOf(model, cloud);
  await add(model, 1, args);
  await eventually(() =>
    expect(status(model, 'instance:0')).toMatchObject({ status: 'provisioning error', message: expected }),
  );
});

test('a bad request stops at once with status error and the provider’s words, without instance id, until retry-provisioning', async () => {
  await using model = await modelFixture();
  const cloud = new SimulatedCloud({ latencyMs: 0 });
  failStarts(cloud, 'bad request', 'no such size');
  await using provisioner = provisionerOf(model, cloud);
  await add(model);
  await eventually(() =>
    expect(status(model, 'machine-agent:0')).toMatchObject({ status: 'error', message: 'no such size' }),
  );
  expect(status(model, 'instance:0')).toMatchObject({
    status: 'provisioning error',
    message: 'no such size',
  });
  expect(machine(model)?.instance).toBeUndefined();
  provisioner.advance(60 * minute);
  await model.change((tx) => retryProvisioning(tx, { machine: '0' }));
  await eventually(() => expect(machine(model)?.instance).toBeDefined());
});

test('an agent that has come is not reported as failed when only the answer was lost', async () => {
  await using model = await modelFixture();
  const cloud = new SimulatedCloud({ latencyMs: 0 });
  failStarts(cloud, 'transient', 'lost', 1, 'after');
  await using provisioner = provisionerOf(model, cloud);
  await add(model);
  await eventually(() => expect(status(model, 'instance:0')?.message).toContain('attempt 1 failed'));
  await model.change((tx) => setStatus(tx, 'machine-agent', '0', 'started'));
  failStarts(cloud, 'bad request', 'no such size');
  provisioner.advance(2_000);
  // The instance exists: it is looked for, and found.
  await eventually(() => expect(machine(model)?.instance).toBeDefined());
  expect([status(model, 'machine-agent:0')?.status, cloud.count]).toEqual(['started', 1]);
});

test.for<[string, string]>([
  ['stopped', 'allocating'],
  ['running', 'running'],
])(
  'an instance that was seen %s before the answer to its second start failed is %s',
  async ([seen, shown]) => {
    await using model = await modelFixture();
    await using _ = provisionerOf(model, new SimulatedCloud({ latencyMs: 0 }));
    await add(model);
    await eventually(() => expect(machine(model)?.instance).toBeDefined());
    const failure = {
      class: 'transient',
      message: 'lost',
      attempt: 1,
      next: { kind: 'later', failedZones: [] },
      leftNothing: false,
    } as const;
    await model.change((tx) => setStatus(tx, 'instance', '0', seen, ''));
    await model.change((tx) => failStart(tx, { machine: '0', failure }));
    expect(status(model, 'instance:0')?.status).toBe(shown);
  },
);

test('an instance that disappeared before it was recorded is given up, and its units begin anew elsewhere', async () => {
  await using model = await modelFixture();
  const cloud = new SimulatedCloud({ latencyMs: 0 });
  failStarts(cloud, 'transient', 'lost', 1, 'after');
  await using provisioner = provisionerOf(model, cloud);
  await add(model);
  await eventually(() => expect(status(model, 'instance:0')?.message).toContain('attempt 1 failed'));
  const nonce = machine(model)?.nonce;
  await model.change((tx) => setStatus(tx, 'machine-agent', '0', 'started'));
  for (const { instance } of cloud.instances()) await cloud.vanish(instance.id);
  provisioner.advance(2_000);
  await eventually(() => expect(machine(model)?.instance).toBeDefined());
  expect(machine(model)?.nonce).not.toBe(nonce);
  expect(status(model, 'machine-agent:0')?.status).toBe('pending');
});

test('a machine that never got an instance goes in the change that removes it, without the cloud', async () => {
  await using model = await modelFixture();
  const cloud = new SimulatedCloud({ latencyMs: 0 });
  failStarts(cloud, 'bad request', 'no such size');
  await using _ = provisionerOf(model, cloud);
  await add(model);
  await eventually(() => expect(status(model, 'instance:0')?.status).toBe('provisioning error'));
  cloud.refuseCredential('expired');
  await remove(model, '0');
  expect(machine(model)).toBeUndefined();
});

test('the removal of a unit whose machine never got an instance does not call the cloud', async () => {
  await using model = await modelFixture();
  const cloud = new SimulatedCloud({ latencyMs: 0 });
  failStarts(cloud, 'bad request', 'no such size');
  await using _ = provisionerOf(model, cloud);
  await model.deploy('mysql');
  await eventually(() => expect(status(model, 'instance:0')?.status).toBe('provisioning error'));
  await model.change((tx) => destroyUnit(tx, { unit: 'mysql/0' }));
  expect([model.view().get('unit', 'mysql/0'), machine(model)]).toEqual([undefined, undefined]);
});

test('the other machines of a request start when some fail', async () => {
  await using model = await modelFixture();
  const cloud = new SimulatedCloud({ latencyMs: 0, zones: ['a'] });
  failStarts(cloud, 'bad request', 'not this one');
  const groups: number[] = [];
  await using _ = provisionerOf(model, cloud, (environ) => ({
    ...environ,
    startGroup: {
      max: 4,
      start(params, signal) {
        groups.push(params.length);
        return environ.startGroup!.start(params, signal);
      },
    },
  }));
  await add(model, 10);
  await eventually(() => expect(running(model)).toHaveLength(9));
  expect(groups.toSorted((a, b) => a - b)).toEqual([2, 4, 4]);
  expect([...model.view().list('status')].filter((one) => one.status === 'provisioning error')).toHaveLength(
    1,
  );
});

test('all machines of a request are tried again when its outcome is unknown, and none is doubled', async () => {
  await using model = await modelFixture();
  const cloud = new SimulatedCloud({ latencyMs: 0, zones: ['a'] });
  cloud.inject({ operation: 'start group', when: 'after', error: new ProviderError('transient', 'lost') });
  await using provisioner = provisionerOf(model, cloud);
  await add(model, 5);
  await eventually(() => expect(status(model, 'instance:4')?.message).toContain('attempt 1 failed'));
  provisioner.advance(2_000);
  await eventually(() => expect(running(model)).toHaveLength(5));
  expect(cloud.count).toBe(5);
});

test.each(['before', 'after'] as const)(
  'retry-provisioning with constraints does not wait for the next attempt, and gives up a request that was lost %s its effect',
  async (when) => {
    await using model = await modelFixture();
    const cloud = new SimulatedCloud({ latencyMs: 0 });
    failStarts(cloud, 'transient', 'lost', 1, when);
    await using _ = provisionerOf(model, cloud);
    await add(model, 1, { constraints: { mem: 8192 } });
    await eventually(() => expect(status(model, 'instance:0')?.message).toContain('attempt 1 failed'));
    await model.change((tx) => retryProvisioning(tx, { machine: '0', constraints: { mem: 2048 } }));
    await eventually(() => expect(machine(model)?.instance?.hardware.mem).toBe(2048));
    await eventually(() => expect(cloud.count).toBe(1));
  },
);

test('an abandoned instance is stopped, also when its machine is removed before it has another instance', async () => {
  await using model = await modelFixture();
  let isOpen = true;
  let open = (): void => undefined;
  const gate = new Promise<void>((resolve) => (open = resolve));
  const cloud = new SimulatedCloud({ latencyMs: 0 });
  await using _ = provisionerOf(model, cloud, (environ) => ({
    ...environ,
    instances: {
      ...environ.instances,
      // A pass that began before the instance was given up ends after that moment.
      async get(ids, signal) {
        if (!isOpen) await gate;
        return environ.instances.get(ids, signal);
      },
    },
  }));
  await add(model);
  await eventually(() => expect(machine(model)?.instance).toBeDefined());
  isOpen = false;
  await model.change((tx) => setStatus(tx, 'instance', '0', 'stopped', 'Stopped'));
  await new Promise((resolve) => setTimeout(resolve, 20));
  await model.change((tx) => reprovisionMachine(tx, { machine: '0', present: false, force: true }));
  await model.change((tx) =>
    destroyMachine(tx, { machine: '0', keepInstance: false, force: { maxWaitMs: 0, by: 'test' } }),
  );
  open();
  await eventually(() => expect([machine(model), cloud.count]).toEqual([undefined, 0]));
});
