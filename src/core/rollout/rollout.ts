/** A rolling refresh or rollback: part of its application's document (refresh.md#rolling). */
import type { ApplicationDoc } from '../application/document.ts';
import { JujuError, notValid } from '../errors.ts';
import { parseGoal, type Attributes } from '../goal.ts';
import { checkLimit, limits } from '../limits.ts';
import type { ResourceDoc } from '../resource/document.ts';

export interface Rollout {
  readonly kind: 'refresh' | 'rollback';
  /**
   * `paused`: the canary is healthy, and the user has to go on; `stopped`: a batch has failed; `aborted`: units keep the
   * charms that they have until the next refresh.
   */
  readonly state: 'rolling' | 'paused' | 'stopped' | 'aborted';
  /** Number of units of a batch, or their share: `2`, `25%`. */
  readonly maxUnavailable: string;
  /** `active`, or an expression about a unit. */
  readonly waitFor: string;
  /** Whether the first batch is one unit, after which the roll-out pauses. */
  readonly pauseAfterCanary?: true;
  /** Number of the current batch; 0 before the first. */
  readonly batch: number;
  /** When the batch was released or resumed (RFC 3339): failures before that do not count. */
  readonly since: string;
  /** Whether the batch was resumed after a failure. */
  readonly resumed?: true;
  /** The unit that stopped the roll-out, and why. */
  readonly problem?: { readonly unit: string; readonly message: string };
  /** What the application was before. */
  readonly before: Revision;
}

/** What a refresh changes of an application. */
export interface Revision extends Pick<
  ApplicationDoc,
  'charmUrl' | 'charmOrigin' | 'config' | 'endpointBindings' | 'trust' | 'base' | 'storage'
> {
  readonly resources: readonly ResourceDoc[];
}

/** How units are to be upgraded. */
export interface RollingRequest {
  readonly maxUnavailable: string;
  readonly waitFor: string;
  readonly pauseAfterCanary: boolean;
}

/** Maximum number of units of a batch, so that no change covers all units of a large application. */
const batchMax = 1_000;

/** The request with its defaults. Errors: `not valid`; `quota limit exceeded` for a long expression. */
export function checkRolling(request: RollingRequest): RollingRequest {
  const { maxUnavailable, waitFor, pauseAfterCanary } = request;
  const [, number = '', percent = ''] = /^(\d{1,6})(%?)$/.exec(maxUnavailable || '1') ?? [];
  const value = Number(number);
  if (number === '' || value < 1 || (percent !== '' && value > 100))
    throw notValid(`cannot parse --max-unavailable "${maxUnavailable}": expected 1 or more, or 1% to 100%`);
  checkLimit(limits.rolloutCondition, waitFor.length);
  if (waitFor !== '' && waitFor !== 'active') parseGoal(waitFor, '--wait-for');
  return { maxUnavailable: `${value}${percent}`, waitFor: waitFor || 'active', pauseAfterCanary };
}

/** Number of units of a batch, of so many units in all: 1 to 1,000. */
export function batchSize(maxUnavailable: string, units: number): number {
  const value = Number.parseInt(maxUnavailable, 10);
  const wanted = maxUnavailable.endsWith('%') ? Math.floor((units * value) / 100) : value;
  return Math.min(Math.max(wanted, 1), batchMax);
}

/** Test of the condition of a roll-out. */
export function conditionOf(waitFor: string): (unit: Attributes) => boolean {
  return waitFor === 'active'
    ? (unit) => unit['workload-status'] === 'active'
    : parseGoal(waitFor, '--wait-for');
}

/**
 * The charm that a unit is to run: its application's, or, while a roll-out has not released the unit, the one that it
 * runs (refresh.md#held-units).
 */
export function charmOfUnit(
  { rollout, charmUrl }: { readonly rollout?: unknown; readonly charmUrl: string },
  unit: { readonly charmUrl: string; readonly released?: string },
): string {
  return rollout !== undefined && unit.released !== charmUrl ? unit.charmUrl : charmUrl;
}

/** Refuses another refresh while a roll-out goes on. Errors: ''. */
export function refuseDuringRollout({ name, charmUrl, rollout }: ApplicationDoc): void {
  if (!rollout || rollout.state === 'aborted') return;
  throw new JujuError(
    '',
    `cannot refresh application "${name}": the ${rollout.kind} to ${charmUrl} is ${rollout.state}; end it first (refresh ${name} --resume, --abort${rollout.kind === 'refresh' ? ' or --rollback' : ''})`,
  );
}
