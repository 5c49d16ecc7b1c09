/** The batches of a roll-out before it begins, for `refresh --rolling --dry-run`. */
import { planRollout, type RolloutSnapshot } from './plan-rollout.ts';

interface PlannedBatch {
  readonly units: readonly string[];
  /** Whether the roll-out pauses after the batch, until --resume. */
  readonly pauses: boolean;
}

/**
 * The batches that planRollout releases one after the other when each gets healthy and the user resumes the roll-out
 * after the canary. The current batch is not among them.
 */
export function planBatches(snapshot: RolloutSnapshot): PlannedBatch[] {
  const { leader } = snapshot;
  const units = [...snapshot.held()];
  const others = units.filter((name) => name !== leader);
  let isLeaderHeld = others.length < units.length;
  // Number of units in `others` that are released: each batch takes the first that are left.
  let released = 0;
  const held = function* (): Iterable<string> {
    if (isLeaderHeld) yield leader;
    for (let i = released; i < others.length; i++) yield others[i]!;
  };
  const batches: PlannedBatch[] = [];
  let { rollout } = snapshot;
  for (;;) {
    const step = planRollout({ ...snapshot, rollout, batch: [], held });
    if (step.kind === 'pause') {
      const { pauseAfterCanary: _, ...resumed } = rollout;
      rollout = resumed;
      batches.push({ ...batches.pop()!, pauses: true });
    } else if (step.kind === 'release') {
      rollout = { ...rollout, batch: rollout.batch + 1 };
      isLeaderHeld &&= !step.units.includes(leader);
      released += step.units.filter((name) => name !== leader).length;
      batches.push({ units: step.units, pauses: false });
    } else return batches;
  }
}
