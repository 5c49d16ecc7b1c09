/**
 * Blocks and access in scripts: drawn from random streams of their own, so that they change no other part of a script.
 */
import type { BlockType } from '../../core/block/blocks.ts';
import { guest } from './access.ts';
import { Chance } from './chance.ts';
import type { Command, Step } from './script.ts';

const sets: readonly BlockType[] = ['BlockDestroy', 'BlockRemove', 'BlockChange'];

/**
 * Generates steps about access: in every second world, sets of commands are disabled for some seconds; in every second
 * world, a guest gives commands all the time, with access or without.
 */
export function accessSteps(seed: number, endMs: number): Step[] {
  const chance = new Chance(seed ^ 0xacce55);
  return [...(chance.is(0.5) ? blocks(chance, endMs) : []), ...(chance.is(0.5) ? visits(chance, endMs) : [])];
}

function blocks(chance: Chance, endMs: number): Step[] {
  const steps: Step[] = [];
  for (let atMs = 60_000; atMs < endMs; atMs += 20_000 + chance.below(120_000)) {
    const of = { by: 'alice', model: chance.is(0.8) ? 0 : 1 } as const;
    const set = chance.of(sets);
    steps.push({ atMs, ...of, do: 'disable-command', set });
    steps.push({ atMs: atMs + chance.below(20_000), ...of, do: 'enable-command', set });
  }
  return steps;
}

function visits(chance: Chance, endMs: number): Step[] {
  const steps: Step[] = [];
  for (let atMs = 60_000; atMs < endMs; atMs += 5_000 + chance.below(60_000)) {
    const model = chance.is(0.8) ? 0 : 1;
    const access = chance.of(['read', 'write', 'write', 'admin'] as const);
    const to = { by: 'bob', model } as const;
    steps.push({ atMs, ...to, do: 'grant', access });
    for (let n = chance.below(3); n >= 0; n--)
      steps.push({ atMs: atMs + chance.below(15_000), by: guest, model, ...guestCommand(chance) });
    if (chance.is(0.8)) steps.push({ atMs: atMs + chance.below(10_000), ...to, do: 'revoke' });
  }
  return steps;
}

function guestCommand(chance: Chance): Command {
  const application = chance.of(['db', 'db', 'web', 'cache']);
  return chance.of<Command>([
    { do: 'config', application, option: 'n', value: String(chance.below(1000)) },
    { do: 'config', application, option: 'n', value: String(chance.below(1000)) },
    { do: 'add-unit', application, units: 1 },
    { do: 'remove-unit', application, pick: chance.below(3), fresh: false },
  ]);
}
