/** Containers in the simulated world, started by the agents of simulated machines. */
import { expect, test } from 'vitest';
import { some } from '../thorough.ts';
import { createWorld } from './create-world.ts';
import { deploySmall, type SmallDeployment } from './small-deployment.ts';
import { instancesOf } from './unsettled.ts';
import type { FaultRates } from '../../forecast/world/faults.ts';
import type { SimMachine, World } from './world.ts';

const hourMs = 3_600_000;
const troubled: FaultRates = {
  'controller-crash': 12,
  'agent-crash': 30,
  'machine-reboot': 4,
  partition: 4,
  'message-lost': 0.003,
  'answer-lost': 0.005,
  'answers-reordered': 0.02,
  'connection-reset': 0.003,
  'cloud-transient': 0.2,
  'cloud-answer-lost': 0.2,
  'cloud-slow': 0.1,
  'boot-slow': 0.2,
  'hook-reboot': 0.02,
};

/** Deploys each unit of the small deployment in a container of its own, on a machine created for it. */
async function contained(
  seed: number,
  act: (world: World, small: SmallDeployment) => Promise<void>,
  faults: FaultRates = {},
): Promise<void> {
  const world = await createWorld({ seed, faults });
  try {
    const small = deploySmall(world, { constraints: { container: 'lxd' } });
    await act(world, small);
    expect(world.failures).toEqual([]);
  } finally {
    await world.stop();
  }
}
const running = (world: World): SimMachine[] => world.machines.filter(({ state }) => state === 'running');
const isContainer = ({ id }: SimMachine): boolean => id.includes('/');
const host = (world: World): SimMachine => running(world).find((one) => !isContainer(one))!;

test('units settle in containers, whose hosts are removed with the last of them', () =>
  contained(1, async (world, small) => {
    expect(await world.runUntil(small.settled, hourMs)).toBe(true);
    expect(running(world).filter(isContainer)).toHaveLength(3);
    expect(running(world)).toHaveLength(6);
    expect([...instancesOf(world)]).toEqual([]);
    const places = [...world.controller.read().in(small.model).list('unit')].map(({ machine }) => machine);
    expect(new Set(places)).toEqual(new Set(['0/lxd/0', '1/lxd/0', '2/lxd/0']));
    small.remove();
    expect(await world.runUntil(small.gone, hourMs)).toBe(true);
  }));

test('a host that is rebooted starts its containers again', () =>
  contained(2, async (world, small) => {
    await world.runUntil(small.settled, hourMs);
    const { id, instance } = host(world);
    host(world).reboot();
    const container = world.machines.find((one) => one.id === `${id}/lxd/0`)!;
    expect(container.state).toBe('stopped');
    expect(await world.runUntil(() => container.state === 'running' && container.up, hourMs)).toBe(true);
    expect(await world.runUntil(small.settled, hourMs)).toBe(true);
    expect(world.machines.filter((one) => one.instance.startsWith(instance))).toHaveLength(2);
  }));

test('a container that stops by itself is started again by its host', () =>
  contained(3, async (world, small) => {
    await world.runUntil(small.settled, hourMs);
    const container = running(world).find(isContainer)!;
    container.halt();
    expect(await world.runUntil(() => container.state === 'running' && container.up, 300_000)).toBe(true);
  }));

test('containers disappear with a host that is lost, and with one that is removed by force', () =>
  contained(4, async (world, small) => {
    await world.runUntil(small.settled, hourMs);
    const { id, model } = host(world);
    host(world).lose('stays');
    expect(world.machines.find((one) => one.id === `${id}/lxd/0`)?.state).toBe('lost');
    world.operator(async (operator) => {
      await operator.call(model, 'MachineManager', 'DestroyMachineWithParams', {
        'machine-tags': [`machine-${id}`],
        force: true,
        'max-wait': 1e9,
      });
    });
    const gone = (): boolean => !world.controller.read().in(model).get('machine', id);
    expect(await world.runUntil(gone, hourMs)).toBe(true);
    const left = world.cloud.instances().map(({ tags }) => tags['juju-machine-id']?.split('/')[0]);
    expect(left).not.toContain(id);
    expect([...instancesOf(world)]).toEqual([]);
  }));

test.each(some([11, 12, 13, 14, 15, 16], 1))(
  'containers are never duplicated, orphaned or left behind, whatever fails: seed %i',
  (seed) =>
    contained(
      seed,
      async (world, small) => {
        const doubles = new Set<string>();
        world.onCommit(() => {
          const found = new Set<string>();
          for (const { tags } of world.cloud.instances()) {
            const machine = tags['juju-machine-id'] ?? '';
            if (found.has(machine)) doubles.add(machine);
            found.add(machine);
          }
        });
        await world.runFor(hourMs / 2);
        world.calm();
        expect(await world.runUntil(small.settled, hourMs)).toBe(true);
        expect([...doubles]).toEqual([]);
        expect([...instancesOf(world)]).toEqual([]);
        small.remove();
        await world.runFor(60_000);
        expect(await world.runUntil(small.gone, hourMs)).toBe(true);
      },
      troubled,
    ),
);
