import { expect, test } from 'vitest';
import { ProviderError } from '../../providers/contract/provider.ts';
import { SimulatedCloud, createSimulatedProvider } from '../../providers/clouds/simulated/index.ts';
import { testController, type TestController } from '../../testing/controller.ts';
import { addMachine } from '../transactions/begin/add-machine.ts';
import { destroyMachine } from '../transactions/end/destroy-machine.ts';
import type { View } from '../transactions/tx.ts';
import { eventually } from '../../testing/eventually.ts';

const base = { name: 'ubuntu', channel: '24.04/stable' };

interface World extends AsyncDisposable {
  readonly controller: TestController;
  view(): View;
  add(): Promise<void>;
  forceRemove(...machines: string[]): Promise<void>;
}

async function world(cloud: SimulatedCloud): Promise<World> {
  const controller = await testController(createSimulatedProvider(cloud));
  const uuid = await controller.addModel('m');
  const { store } = controller.running();
  return {
    controller,
    view: () => store.read().in(uuid),
    add: async () => {
      await store.change(
        (tx) => addMachine(tx.in(uuid), { base, constraints: {}, removeWhenEmpty: false }),
        'test',
      );
    },
    forceRemove: async (...machines) => {
      await store.change((tx) => {
        for (const machine of machines)
          destroyMachine(tx.in(uuid), {
            machine,
            force: { maxWaitMs: 0, by: 'test' },
            keepInstance: false,
          });
      }, 'test');
    },
    [Symbol.asyncDispose]: () => controller[Symbol.asyncDispose](),
  };
}

test('an instance whose start was not answered goes with its machine', async () => {
  const cloud = new SimulatedCloud({ latencyMs: 0 });
  await using fixture = await world(cloud);
  cloud.inject({ operation: 'start', when: 'after', error: new ProviderError('transient', 'lost') });
  await fixture.add();
  await eventually(() => {
    expect(cloud.instances()).toHaveLength(1);
    expect(fixture.view().get('status', 'instance:0')?.message).toMatch(
      /^attempt 1 failed, next at .*: lost$/,
    );
  });
  await fixture.forceRemove('0');
  await eventually(() => {
    expect(fixture.view().count('machine')).toBe(0);
    expect(cloud.instances()).toHaveLength(0);
  });
});

test('an instance that cannot be stopped does not delay others', async () => {
  let stuck: string | undefined;
  const cloud = new SimulatedCloud({
    latencyMs: 0,
    stopError: (id) => (id === stuck ? new ProviderError('transient', 'cannot stop') : undefined),
  });
  await using fixture = await world(cloud);
  await fixture.add();
  await fixture.add();
  await eventually(() => expect(cloud.instances()).toHaveLength(2));
  await eventually(() => expect(fixture.view().get('machine', '1')?.instance).toBeDefined());
  await eventually(() => expect(fixture.view().get('machine', '0')?.instance).toBeDefined());
  stuck = fixture.view().get('machine', '0')?.instance?.id;
  await fixture.forceRemove('0', '1');
  await eventually(() => expect(fixture.view().get('machine', '1')).toBeUndefined());
  expect(fixture.view().get('machine', '0')?.life, 'its instance is still there').toBe('dead');
  expect(cloud.instances()).toHaveLength(1);
});

test('an instance that cannot be stopped does not delay a start', async () => {
  const error = new ProviderError('transient', 'cannot stop');
  const cloud = new SimulatedCloud({
    latencyMs: 0,
    chooseFault: (operation) => (operation === 'stop' ? { when: 'before', error } : undefined),
  });
  await using fixture = await world(cloud);
  await fixture.add();
  await eventually(() => expect(fixture.view().get('machine', '0')?.instance).toBeDefined());
  await fixture.forceRemove('0');
  await fixture.add();
  await eventually(() => expect(fixture.view().get('machine', '1')?.instance).toBeDefined());
  expect(fixture.view().get('machine', '0')?.life).toBe('dead');
  await eventually(() =>
    expect(fixture.view().get('status', 'instance:0')).toMatchObject({
      status: 'error',
      message: 'cannot stop',
    }),
  );
});
