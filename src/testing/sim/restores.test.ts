import { afterEach, expect, test } from 'vitest';
import { isHeld } from '../../core/model/restored.ts';
import { createWorld } from './create-world.ts';
import { acceptRestore } from './restores.ts';
import { deploySmall, type SmallDeployment } from './small-deployment.ts';
import type { World } from './world.ts';

const minuteMs = 60_000;
let world: World;
let hooks: string[];
afterEach(() => world.stop());

/** A small deployment that has come to rest, in a world without faults. */
async function rested(seed: number): Promise<SmallDeployment> {
  world = await createWorld({ seed });
  hooks = [];
  world.onHook(({ phase, unit, name }) => {
    if (phase === 'begin' && name !== 'update-status') hooks.push(`${unit} ${name}`);
  });
  const small = deploySmall(world);
  expect(await world.runUntil(small.settled, 30 * minuteMs)).toBe(true);
  await world.runFor(5 * minuteMs);
  return small;
}

/** Restores the controller, lets things happen before the operator accepts, and returns the hooks that ran since. */
async function restoredAfter(
  happens: () => void,
  accepted: 'keep' | 'rerun' = 'keep',
): Promise<readonly string[]> {
  const before = hooks.length;
  world.controller.restore();
  await world.runFor(minuteMs);
  happens();
  await world.runFor(minuteMs);
  world.operator((operator) =>
    acceptRestore(world, operator, { blow: 'restore', hooks: accepted, lookMs: 0 }),
  );
  const isOver = (): boolean =>
    [...world.controller.read().list('model')].every((model) => model.restored && !isHeld(model));
  expect(await world.runUntil(isOver, 30 * minuteMs)).toBe(true);
  await world.runFor(10 * minuteMs);
  expect(world.failures).toEqual([]);
  return hooks.slice(before);
}

test('no hook runs because of a restore to the same moment, and what is deployed settles as before', async () => {
  const { settled } = await rested(1);
  expect(await restoredAfter(() => undefined)).toEqual([]);
  expect(settled()).toBe(true);
  expect(world.cloud.instances()).toHaveLength(3);
});

const killAll = (): void => {
  world.controller.crash();
  for (const machine of world.machines) machine.crash();
};

test('no hook runs because of a restore to the same moment before whose acceptance all processes are killed', async () => {
  const { settled } = await rested(2);
  expect(withoutLeaders(await restoredAfter(killAll))).toEqual([]);
  expect(settled()).toBe(true);
});

test.each(['keep', 'rerun'] as const)(
  'a unit whose agent was killed after a restore to an older moment runs newer hooks again only with rerun: %s',
  async (accepted) => {
    const { settled } = await rested(3);
    world.controller.backup();
    const before = hooks.length;
    world.machines[0]?.reboot();
    await world.runFor(5 * minuteMs);
    const newer = hooks.slice(before);
    expect(newer).toContain('server/0 start');
    const again = withoutLeaders(await restoredAfter(killAll, accepted));
    expect(again).toEqual(accepted === 'keep' ? [] : newer);
    expect(settled()).toBe(true);
  },
);

/** Leaves out changes of leadership: no unit whose agent was started again renews it before the acceptance. */
function withoutLeaders(ran: readonly string[]): readonly string[] {
  return ran.filter((hook) => !/ leader-(elected|settings-changed)$/.test(hook));
}
