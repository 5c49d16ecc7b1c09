/** Generates scripts of worlds whose controller is restored from a backup. */
import { Chance } from './chance.ts';
import { generateScript } from './generate-script.ts';
import type { Script, Step } from './script.ts';

/** Commands whose effects on other parts of the world no restore can take back, or that make models. */
const left: readonly string[] = ['add-model', 'destroy-model', 'secret-backend'];

/** Generates a script like any other whose controller is restored, once or twice, with kills before the acceptance. */
export function generateRestoresScript({ seed, hours }: { seed: number; hours: number }): Script {
  const chance = new Chance(seed ^ 0x4e57);
  const script = generateScript({ seed, hours });
  const endMs = hours * 3_600_000;
  const steps: Step[] = script.steps.filter((step) => !('do' in step && left.includes(step.do)));
  for (let n = 1 + chance.below(2); n > 0; n--) {
    const atMs = 30_000 + chance.below(endMs);
    const lookMs = chance.is(0.5) ? chance.below(10_000) : chance.below(120_000);
    steps.push({ atMs, blow: 'restore', hooks: chance.is(0.7) ? 'keep' : 'rerun', lookMs });
    for (let kills = chance.below(4); kills > 0; kills--) {
      const killMs = atMs + 1 + chance.below(lookMs + 20_000);
      const step = 1 + chance.below(40);
      if (chance.is(0.5)) steps.push({ atMs: killMs, blow: 'crash-controller', step });
      else steps.push({ atMs: killMs, blow: 'crash-agent', pick: chance.below(6), step });
    }
  }
  return { ...script, steps: steps.toSorted((a, b) => a.atMs - b.atMs) };
}
