/** Agents in containers follow a controller that takes other programs. */
import { afterAll, beforeAll, expect } from 'vitest';
import { followed, testThatAgentsFollow } from '../upgrades/agents-follow.ts';
import type { World } from '../world.ts';
import { allActive, base, containers, hurry, startBoxes } from './places.ts';

let world: World & { readonly uuid: string };

beforeAll(async () => {
  world = await startBoxes('lxdupgrades');
  await hurry(world);
  await world.grigri('deploy', world.charm('app', followed), 'app', '-n', '2', ...base);
  await allActive(world, 2);
});
afterAll(async () => {
  expect((await world?.end()) ?? []).toEqual([]);
  expect(await containers(world?.uuid ?? '')).toEqual([]);
});

testThatAgentsFollow(() => world);
