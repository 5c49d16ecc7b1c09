import { createWorld } from './create-world.ts';
import type { Terminal } from './simulate.ts';
import { deploySmall } from './small-deployment.ts';
import type { Crashable, World } from './world.ts';
import { defined } from '../../core/defined.ts';

type Phase = 'deploying' | 'removing';
type Who = 'controller' | { readonly place: number };

interface CrashPoint {
  readonly step: number;
  /** Problem at the end; absent = everything settled despite the crash. */
  readonly problem?: string;
}

const longEnoughMs = 3_600_000;

/**
 * Repeats a small deployment, or its removal: each time the controller, or the agent of the `place`th machine, is
 * killed once, before its next step, until it has no more steps. `stride`: interval between the steps that are tried.
 */
export async function walkCrashPoints(options: {
  readonly seed: number;
  readonly phase: Phase;
  readonly who: Who;
  readonly stride: number;
}): Promise<CrashPoint[]> {
  const { seed, phase, who } = options;
  const points: CrashPoint[] = [];
  for (let step = 1; ; step += options.stride) {
    const point = await crashAt({ seed, phase, who, step });
    if (!point) return points;
    points.push(point);
  }
}

/**
 * Crashes the controller, and each machine's agent, before each of its steps. Returns whether everything settled
 * every time.
 */
export async function crashEverywhere(seed: number, { say }: Terminal): Promise<boolean> {
  let right = true;
  for (const phase of ['deploying', 'removing'] as const)
    for (const who of ['controller', { place: 0 }, { place: 1 }, { place: 2 }] as const) {
      const points = await walkCrashPoints({ seed, phase, who, stride: 1 });
      const name = who === 'controller' ? 'the controller' : `machine ${who.place}'s agent`;
      const wrong = points.filter(({ problem }) => problem !== undefined);
      say(`${phase}, ${name} killed at each of ${points.length} steps: ${wrong.length} times it went wrong`);
      for (const { step, problem } of wrong) say(`  step ${step}: ${problem}`);
      right &&= wrong.length === 0;
    }
  return right;
}

/** Crashes a process at one step; undefined when everything was over before that step. */
async function crashAt({
  seed,
  phase,
  who,
  step,
}: {
  readonly seed: number;
  readonly phase: Phase;
  readonly who: Who;
  readonly step: number;
}): Promise<CrashPoint | undefined> {
  const world = await createWorld({ seed });
  try {
    const { settled, remove, gone } = deploySmall(world);
    if (phase === 'removing') {
      await world.runUntil(settled, longEnoughMs);
      remove();
    }
    const target = await victim(world, who);
    target.crashAtStep(target.steps + step);
    const ok = await world.runUntil(phase === 'removing' ? gone : settled, longEnoughMs);
    if (target.crashes === 0) return undefined;
    const problem = world.failures[0]?.what ?? (ok ? undefined : 'it never came to rest');
    return { step, ...defined({ problem }) };
  } finally {
    await world.stop();
  }
}

async function victim(world: World, who: Who): Promise<Crashable> {
  if (who === 'controller') return world.controller;
  await world.runUntil(() => world.machines.length > who.place, longEnoughMs);
  const machine = world.machines[who.place];
  if (!machine) throw new Error(`there is no machine at place ${who.place}`);
  return machine;
}
