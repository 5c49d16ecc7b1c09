/**
 * Tests of the requests that the cloud gets for machines, how many at a time (machines.md#many-at-once), and of their
 * results.
 */
import { expect, test } from 'vitest';
import type { MachineDoc } from '../../core/machine/document.ts';
import { ProviderError, type StartParams } from '../../providers/contract/provider.ts';
import { SimulatedCloud } from '../../providers/clouds/simulated/index.ts';
import { modelFixture, type ModelFixture } from '../../testing/model-fixture.ts';
import { provisionerOf } from '../../testing/provisioner.ts';
import { addMachine } from '../transactions/begin/add-machine.ts';
import { addUnits } from '../transactions/begin/add-units.ts';
import { reprovisionMachine } from '../transactions/instance/reprovision-machine.ts';
import { destroyMachine } from '../transactions/end/destroy-machine.ts';
import { eventually } from '../../testing/eventually.ts';

const now = { maxWaitMs: 0, by: 'test' };

function add(model: ModelFixture, count: number): Promise<void> {
  return model.change((tx) => {
    for (let n = 0; n < count; n++)
      addMachine(tx, {
        base: { name: 'ubuntu', channel: '24.04/stable' },
        constraints: {},
        removeWhenEmpty: false,
      });
  });
}

function configure(model: ModelFixture, config: Record<string, unknown>): Promise<void> {
  return model.change((tx) => {
    const root = tx.in('');
    const doc = root.get('model', model.uuid)!;
    root.put('model', model.uuid, { ...doc, config: { ...doc.config, ...config } });
  });
}

const machines = (model: ModelFixture): MachineDoc[] => [...model.view().list('machine')];
const zones = (model: ModelFixture): (string | undefined)[] => machines(model).map(({ zone }) => zone);

async function started(model: ModelFixture, count: number): Promise<void> {
  await eventually(() => expect(machines(model).filter(({ instance }) => instance)).toHaveLength(count));
}

test('instances have tags: model, controller, machine, nonce, units, and those of resource-tags', async () => {
  await using model = await modelFixture();
  await configure(model, { 'resource-tags': { owner: 'me' } });
  const cloud = new SimulatedCloud({ latencyMs: 0 });
  await model.deploy('mysql');
  await model.change((tx) => {
    addUnits(tx, { application: 'mysql', count: 1, placement: [{ scope: '#', directive: '0' }] });
  });
  await using _ = provisionerOf(model, cloud);
  await add(model, 1);
  await started(model, 2);
  const [first, second] = machines(model);
  const tagsOf = (id: string | undefined): unknown =>
    cloud.instances().find(({ instance }) => instance.id === id)?.instance.tags;
  const common = {
    owner: 'me',
    'juju-model-uuid': model.uuid,
    'juju-controller-uuid': model.store.read().get('controller', 'self')!.uuid,
  };
  expect(tagsOf(first?.instance?.id)).toEqual({
    ...common,
    'juju-machine-id': '0',
    'juju-nonce': first?.nonce,
    'juju-units-deployed': 'mysql/0 mysql/1',
  });
  expect(tagsOf(second?.instance?.id)).toEqual({
    ...common,
    'juju-machine-id': '1',
    'juju-nonce': second?.nonce,
  });
});

test('a controller’s machine is marked by its tags', async () => {
  await using model = await modelFixture();
  const cloud = new SimulatedCloud({ latencyMs: 0 });
  await add(model, 1);
  await model.change((tx) => tx.put('machine', '0', { ...tx.get('machine', '0')!, isController: true }));
  await using _ = provisionerOf(model, cloud);
  await started(model, 1);
  expect(cloud.instances()[0]?.instance.tags).toMatchObject({ 'juju-is-controller': 'true' });
});

test('a start records hardware, addresses and the cloud’s name', async () => {
  await using model = await modelFixture();
  const cloud = new SimulatedCloud({ latencyMs: 0 });
  await using _ = provisionerOf(model, cloud);
  await model.change((tx) =>
    addMachine(tx, {
      base: { name: 'ubuntu', channel: '24.04/stable' },
      constraints: { mem: 8192, cores: 4 },
      removeWhenEmpty: false,
    }),
  );
  await started(model, 1);
  const [machine] = machines(model);
  const { instance } = cloud.instances()[0]!;
  expect(machine).toMatchObject({
    instance: {
      id: instance.id,
      displayName: instance.displayName,
      hardware: { mem: 8192, cores: 4, availabilityZone: instance.zone },
    },
    addresses: instance.addresses,
    hostname: instance.displayName,
  });
});

test('parallel starts are bounded by num-provision-workers, one request each', async () => {
  await using model = await modelFixture();
  await configure(model, { 'num-provision-workers': 3 });
  const cloud = new SimulatedCloud({ latencyMs: 0 });
  let atOnce = 0;
  let concurrentMax = 0;
  await using _ = provisionerOf(model, cloud, ({ startGroup: _none, ...environ }) => ({
    ...environ,
    instances: {
      ...environ.instances,
      async start(params, signal) {
        concurrentMax = Math.max(concurrentMax, ++atOnce);
        await new Promise((resolve) => setImmediate(resolve));
        atOnce--;
        return environ.instances.start(params, signal);
      },
    },
  }));
  await add(model, 20);
  await started(model, 20);
  expect(concurrentMax).toBe(3);
});

test('several machines go in one request when they are alike and in the same zone', async () => {
  await using model = await modelFixture();
  const cloud = new SimulatedCloud({ latencyMs: 0, zones: ['a', 'b'] });
  const requests: (readonly StartParams[])[] = [];
  await using _ = provisionerOf(model, cloud, (environ) => ({
    ...environ,
    startGroup: {
      max: 10,
      start(params, signal) {
        requests.push(params);
        return environ.startGroup!.start(params, signal);
      },
    },
  }));
  await add(model, 30);
  await started(model, 30);
  expect(requests.map((params) => params.length)).toEqual([10, 5, 10, 5]);
  for (const params of requests) expect(new Set(params.map(({ zone }) => zone)).size).toBe(1);
});

test('the status shows the progress of a start', async () => {
  await using model = await modelFixture();
  let go = (): void => undefined;
  const waits = new Promise<void>((resolve) => (go = resolve));
  const cloud = new SimulatedCloud({
    latencyMs: 0,
    onStart({ params }) {
      params.progress('copying the image');
      return waits;
    },
  });
  await using _ = provisionerOf(model, cloud);
  await add(model, 1);
  await eventually(() =>
    expect(model.view().get('status', 'instance:0')).toMatchObject({
      status: 'allocating',
      message: 'copying the image',
    }),
  );
  go();
  await started(model, 1);
});

test('instances spread over the zones, by the applications of their units', async () => {
  await using model = await modelFixture();
  const cloud = new SimulatedCloud({ latencyMs: 0, zones: ['a', 'b', 'c'] });
  await using _ = provisionerOf(model, cloud);
  await model.deploy('mysql', { numUnits: 4 });
  await started(model, 4);
  await model.deploy('wordpress', { numUnits: 3 });
  await started(model, 7);
  expect(zones(model)).toEqual(['a', 'b', 'c', 'a', 'b', 'c', 'a']);
});

test('the intended zone is written with the intent, and the actual one after the start', async () => {
  await using model = await modelFixture();
  const cloud = new SimulatedCloud({ latencyMs: 0, zones: ['a', 'b'] });
  const intendedZones: (string | undefined)[] = [];
  await using _ = provisionerOf(model, cloud, ({ startGroup: _none, ...environ }) => ({
    ...environ,
    instances: {
      ...environ.instances,
      async start(params, signal) {
        intendedZones.push(machines(model)[0]?.zone);
        const result = await environ.instances.start(params, signal);
        return { ...result, instance: { ...result.instance, zone: 'b' } };
      },
    },
  }));
  await add(model, 1);
  await started(model, 1);
  expect([intendedZones, zones(model)]).toEqual([['a'], ['b']]);
});

test.each([
  ['none', 1],
  ['unknown', 1],
  ['destroyed', 0],
  ['all', 0],
])('harvest mode %s: of a removed machine %d instances are left, and no record', async (mode, left) => {
  await using model = await modelFixture();
  const cloud = new SimulatedCloud({ latencyMs: 0 });
  await using _ = provisionerOf(model, cloud);
  await add(model, 1);
  await started(model, 1);
  // The mode takes effect when it is set.
  await configure(model, { 'provisioner-harvest-mode': mode });
  await model.change((tx) => destroyMachine(tx, { machine: '0', keepInstance: false, force: now }));
  await eventually(() => expect(machines(model)).toEqual([]));
  expect(cloud.count).toBe(left);
});

test('instances that the mode kept are stopped when it changes, and a stray is left alone', async () => {
  await using model = await modelFixture();
  await configure(model, { 'provisioner-harvest-mode': 'none' });
  const cloud = new SimulatedCloud({ latencyMs: 0 });
  const { modelUuid, controllerUuid } = {
    modelUuid: model.uuid,
    controllerUuid: model.store.read().get('controller', 'self')!.uuid,
  };
  const plant = (tags: Record<string, string>): Promise<unknown> =>
    cloud.plant({ modelUuid, controllerUuid, tags });
  await plant({ 'juju-machine-id': '0', 'juju-nonce': 'given up' });
  await plant({ 'juju-machine-id': '77', 'juju-nonce': 'nobody knows' });
  await add(model, 1);
  await using _ = provisionerOf(model, cloud);
  await started(model, 1);
  expect(cloud.count).toBe(3);
  await configure(model, { 'provisioner-harvest-mode': 'destroyed' });
  await eventually(() => expect(cloud.count).toBe(2));
});

test('a machine of a restored model that got another instance and is removed leaves neither in the cloud', async () => {
  await using model = await modelFixture();
  await model.change((tx) => {
    const doc = tx.in('').get('model', model.uuid)!;
    const restored = { id: 'r', backup: '', at: '', state: 'held' } as const;
    tx.in('').put('model', model.uuid, { ...doc, restored });
  });
  const cloud = new SimulatedCloud({ latencyMs: 0 });
  let refusals = 1;
  await using provisioner = provisionerOf(model, cloud, (environ) => ({
    ...environ,
    instances: {
      ...environ.instances,
      stop: (ids, signal) =>
        refusals-- > 0
          ? Promise.reject(new ProviderError('transient', 'cannot stop'))
          : environ.instances.stop(ids, signal),
    },
  }));
  await add(model, 1);
  await started(model, 1);
  const [first] = machines(model);
  await model.change((tx) => reprovisionMachine(tx, { machine: '0', present: false, force: true }));
  expect(machines(model)[0]?.givenUp).toEqual([first?.nonce]);
  await model.change((tx) => destroyMachine(tx, { machine: '0', keepInstance: false, force: now }));
  await eventually(() => {
    provisioner.advance(1_000);
    expect(machines(model)).toEqual([]);
  });
  expect(cloud.count).toBe(0);
});
