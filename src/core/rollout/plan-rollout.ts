/** The next step of a roll-out (refresh.md#rolling). */
import { whyUnhealthy, type UnitHealth } from './health.ts';
import { batchSize, conditionOf, type Rollout, type UnitAttributes } from './rollout.ts';

export interface RolloutSnapshot {
  readonly rollout: Rollout;
  /** The charm or resources that units take, in words. */
  readonly target: string;
  /** Alive units of the current batch. */
  readonly batch: readonly BatchUnit[];
  /** Names of alive units with a machine that are held, in order; read when needed. */
  readonly held: () => Iterable<string>;
  /** Name of the leader; '' = there is none. */
  readonly leader: string;
  /** Number of units of the application. */
  readonly units: number;
}

export interface BatchUnit extends UnitHealth {
  readonly name: string;
  /** Whether the unit has the charm, or the resources, of the roll-out. */
  readonly isUpgraded: boolean;
  /** When the unit took the charm or resources (RFC 3339); absent: before it was released. */
  readonly takenAt?: string;
  /** `blocksCharm`: whether the error keeps the unit from taking another charm. */
  readonly error?: NonNullable<UnitHealth['error']> & { readonly blocksCharm: boolean };
}

export type RolloutStep =
  /** Nothing happens until the unit changes, or the user acts. */
  | { readonly kind: 'wait'; readonly unit: string; readonly why: string }
  | { readonly kind: 'stop'; readonly unit: string; readonly message: string }
  | { readonly kind: 'pause' }
  /** Units that get the new charm next. */
  | { readonly kind: 'release'; readonly units: readonly string[] }
  | { readonly kind: 'finish' }
  /** The user has to act. */
  | { readonly kind: 'rest' };

/** The one step to do next: a batch is gated by the health of the one before. */
export function planRollout(snapshot: RolloutSnapshot): RolloutStep {
  const { rollout, batch } = snapshot;
  if (rollout.state === 'aborted') return isEmpty(snapshot.held()) ? { kind: 'finish' } : { kind: 'rest' };
  if (rollout.state !== 'rolling') return { kind: 'rest' };
  for (const unit of batch)
    if (unit.error && hasFailed(unit.error, unit, snapshot))
      return { kind: 'stop', unit: unit.name, message: unit.error.message };
  const isMet = conditionOf(rollout.waitFor);
  for (const unit of batch) {
    const why = unhealthy(unit, snapshot, isMet);
    if (why !== undefined) return { kind: 'wait', unit: unit.name, why };
  }
  const units = nextUnits(snapshot);
  if (units.length === 0) return { kind: 'finish' };
  return rollout.pauseAfterCanary && rollout.batch > 0 ? { kind: 'pause' } : { kind: 'release', units };
}

/**
 * Whether the error ends the batch: it comes from the charm or resources that the unit was released to, or keeps the
 * unit from taking them at all (refresh.md#failed-batch).
 */
function hasFailed(
  { since, blocksCharm }: NonNullable<BatchUnit['error']>,
  { isUpgraded, takenAt = '' }: BatchUnit,
  { rollout }: RolloutSnapshot,
): boolean {
  // A hook of the previous charm, or its deployment, may end after the release.
  if (!isUpgraded && !blocksCharm) return false;
  if (since > rollout.since) return since > takenAt;
  return !isUpgraded && !rollout.resumed;
}

/**
 * The reason why the batch is not healthy yet because of this unit, as a phrase about the unit; undefined = the unit is
 * healthy.
 */
function unhealthy(
  unit: BatchUnit,
  { rollout, target }: RolloutSnapshot,
  isMet: (unit: UnitAttributes) => boolean,
): string | undefined {
  if (!unit.error && !unit.isUpgraded) return `has not taken ${target} yet`;
  return whyUnhealthy(unit, rollout.waitFor, isMet);
}

/** The first units by their age, the leader after all others. */
function nextUnits({ rollout, held, leader, units }: RolloutSnapshot): string[] {
  const isCanary = rollout.pauseAfterCanary && rollout.batch === 0;
  const size = isCanary ? 1 : batchSize(rollout.maxUnavailable, units);
  const next: string[] = [];
  let last: string | undefined;
  for (const unit of held()) {
    if (next.length === size) return next;
    if (unit === leader) last = unit;
    else next.push(unit);
  }
  return next.length < size && last !== undefined ? [...next, last] : next;
}

function isEmpty(names: Iterable<string>): boolean {
  for (const _ of names) return false;
  return true;
}
