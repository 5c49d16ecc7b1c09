import type { Refs } from '../impediments.ts';
import type { PlannedTarget, RemovalOptions, RemovalPlan, RemovalTarget } from './plan.ts';
import { Planner } from './planner.ts';

/**
 * Plans the removal of `targets`, one after the other, provided that agents and workers do their part and nothing else
 * changes: what dies, what is kept, what is refused, what is waited for. `refs` reads the targets' model. The cost is
 * proportional to the entities affected; `planning` is the same with pauses.
 */
export function planRemoval(
  refs: Refs,
  targets: readonly RemovalTarget[],
  options: RemovalOptions = {},
): RemovalPlan {
  const steps = planning(refs, targets, options);
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

/**
 * The generator behind planRemoval: yields after well under a millisecond of work; the model may change between steps.
 */
export function* planning(
  refs: Refs,
  targets: readonly RemovalTarget[],
  options: RemovalOptions = {},
): Generator<void, RemovalPlan> {
  for (let keptMachines: readonly string[] = []; ;) {
    const planner = new Planner(refs, options, keptMachines);
    const planned: PlannedTarget[] = [];
    for (const target of targets) planned.push(yield* planner.remove(target));
    // Everything set going here waits for agents and workers, so the last target's options count from the start.
    if (planner.keptLate.size > 0) {
      keptMachines = [...keptMachines, ...planner.keptLate];
      continue;
    }
    yield* planner.addKeepsAndWaits();
    return { targets: planned, keeps: planner.keeps.list(), waits: planner.waits.list() };
  }
}
