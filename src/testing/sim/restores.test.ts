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
async function restoredAfter(happens: () => void): Promise<readonly string[]> {
  const before = hooks.length;
  world.controller.restore();
  await world.runFor(minuteMs);
  happens();
  await world.runFor(minuteMs);
  world.operator((operator) => acceptRestore(world, operator, { blow: 'restore', hooks: 'keep', lookMs: 0 }));
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

test('no hook runs because of a restore to the same moment before whose acceptance all processes are killed', async () => {
  const { settled } = await rested(2);
  const killAll = (): void => {
    world.controller.crash();
    for (const machine of world.machines) machine.crash();
  };
  // No unit renews its leadership before the acceptance, so another one may lead then.
  const ran = await restoredAfter(killAll);
  expect(ran.filter((hook) => !hook.endsWith(' leader-elected'))).toEqual([]);
  expect(settled()).toBe(true);
});
