/**
 * Commands about storage. The commands are drawn from a random stream of their own: no other step of a script depends
 * on them.
 */
import { Chance } from './chance.ts';
import type { Step, StorageCommand, StoragePool } from './script.ts';

/** Generates commands that add, attach, detach and remove storage, and kills of agents and controllers meanwhile. */
export function storageSteps(chance: Chance, endMs: number): Step[] {
  const steps: Step[] = [];
  for (let atMs = 40_000 + chance.below(40_000); atMs < endMs; atMs += 1_000 + chance.below(50_000)) {
    const model = chance.is(0.85) ? 0 : 1;
    steps.push({ atMs, by: chance.is(0.5) ? 'alice' : 'bob', model, ...storageCommand(chance) });
    const step = chance.below(12);
    if (chance.is(0.15))
      steps.push({ atMs: atMs + chance.below(4_000), blow: 'crash-agent', pick: chance.below(4), step });
    if (chance.is(0.15))
      steps.push({ atMs: atMs + chance.below(4_000), blow: 'crash-controller', step: 1 + step });
  }
  return steps;
}

function storageCommand(chance: Chance): StorageCommand {
  const application = chance.of(['db', 'db', 'db2']);
  const pick = chance.below(3);
  const pool = poolOf(chance);
  return chance.of<() => StorageCommand>([
    () => ({ do: 'add-storage', application, pick, pool }),
    () => ({ do: 'add-storage', application, pick, pool }),
    () => ({ do: 'attach-storage', application, pick, storage: chance.below(3) }),
    () => ({ do: 'attach-storage', application, pick, storage: chance.below(3) }),
    () => ({ do: 'detach-storage', pick: chance.below(6), forced: chance.is(0.3) }),
    () => ({ do: 'detach-storage', pick: chance.below(6), forced: chance.is(0.3) }),
    () => ({ do: 'import-filesystem', pick }),
    () => ({ do: 'remove-storage', pick, forced: chance.is(0.3), release: chance.is(0.3) }),
  ])();
}

function poolOf(chance: Chance): StoragePool {
  const share = chance.next();
  return share < 0.7 ? 'simulated' : share < 0.85 ? 'rootfs' : 'loop';
}

/** Returns the step with storage, when it is about an application that has some. */
export function withStorage(step: Step, seed: number): Step {
  if (!('do' in step)) return step;
  const chance = new Chance(seed ^ Math.round(step.atMs) ^ 0x57a6);
  if (step.do === 'deploy' && step.application.startsWith('db') && !step.where?.container && chance.is(0.7))
    return { ...step, storage: poolOf(chance) };
  if (step.do === 'add-unit' && step.application.startsWith('db') && chance.is(0.3))
    return { ...step, attach: chance.below(3) };
  if ((step.do === 'remove-unit' || step.do === 'remove-application') && chance.is(0.3))
    return { ...step, destroyStorage: true };
  if (step.do === 'destroy-model' && chance.is(0.3)) return { ...step, release: true };
  return step;
}
