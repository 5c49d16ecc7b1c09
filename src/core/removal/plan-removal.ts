import type { EntityRef } from '../entity-ref.ts';
import type { Refs } from '../impediments.ts';
import type { PlannedTarget, RemovalOptions, RemovalPlan } from './plan.ts';
import { Planner } from './planner.ts';

/**
 * What removing `targets`, one after the other, would come to when agents and workers do their part and nobody else
 * does anything: what dies, what is kept, what refuses it, what is waited for. `refs` reads the targets' model. Costs
 * what it touches; `planning` is the same with pauses.
 */
export function planRemoval(
  refs: Refs,
  targets: readonly EntityRef[],
  options: RemovalOptions = {},
): RemovalPlan {
  const steps = planning(refs, targets, options);
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

/** Yields every so often, after well under a millisecond of work; what it reads may change meanwhile. */
export function* planning(
  refs: Refs,
  targets: readonly EntityRef[],
  options: RemovalOptions = {},
): Generator<void, RemovalPlan> {
  for (let kept: readonly string[] = []; ;) {
    const planner = new Planner(refs, options, kept);
    const planned: PlannedTarget[] = [];
    for (const target of targets) planned.push(yield* planner.remove(target));
    // What all this sets going waits for agents and workers: until then the last target counts as much as the first.
    if (planner.keptLate.size > 0) {
      kept = [...kept, ...planner.keptLate];
      continue;
    }
    yield* planner.tell();
    return { targets: planned, keeps: planner.keeps.list(), waits: planner.waits.list() };
  }
}
