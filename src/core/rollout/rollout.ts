/** A rolling refresh or rollback: part of its application's document (refresh.md#rolling). */
import type { ApplicationDoc } from '../application/document.ts';
import { JujuError, notValid } from '../errors.ts';
import { parseGoal, type Attributes, type EntityTypes, type Goal } from '../goal/goal.ts';
import { checkLimit, limits } from '../limits.ts';
import type { ResourceDoc } from '../resource/document.ts';
import type { UnitDoc } from '../unit/document.ts';

export interface Rollout {
  readonly kind: 'refresh' | 'rollback';
  /**
   * `paused`: the canary is healthy, and the user has to go on; `stopped`: a batch has failed; `aborted`: units keep
   * the charms that they have until the next refresh.
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
  /** Set when units take other contents of resources, of the charm that they run (refresh.md#rolled-resources). */
  readonly resources?: {
    readonly names: readonly string[];
    /** Values of charmModifiedVersion of units that have not taken these contents. */
    readonly leaves: readonly number[];
  };
  /** The state of the application before the roll-out. */
  readonly before: Revision;
}

/** Parts of an application that a refresh changes. */
export interface Revision extends Pick<
  ApplicationDoc,
  | 'charmUrl'
  | 'charmModifiedVersion'
  | 'charmOrigin'
  | 'config'
  | 'endpointBindings'
  | 'trust'
  | 'base'
  | 'storage'
> {
  readonly resources: readonly ResourceDoc[];
}

/** The requested way in which units are upgraded. */
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
  return {
    maxUnavailable: `${value}${percent}`,
    waitFor: checkCondition(waitFor, '--wait-for'),
    pauseAfterCanary,
  };
}

/**
 * The condition on the health of units, '' being `active`. `of`: the flag or key that states it. Errors: `not valid`;
 * `quota limit exceeded` for a long expression.
 */
export function checkCondition(condition: string, of: string): string {
  checkLimit(limits.rolloutCondition, condition.length);
  if (condition === '' || condition === 'active') return 'active';
  parseCondition(condition, of);
  return condition;
}

/** Number of units of a batch, of so many units in all: 1 to 1,000. */
export function batchSize(maxUnavailable: string, units: number): number {
  const value = Number.parseInt(maxUnavailable, 10);
  const wanted = maxUnavailable.endsWith('%') ? Math.floor((units * value) / 100) : value;
  return Math.min(Math.max(wanted, 1), batchMax);
}

/** Attributes of units that conditions may compare. */
const unitTypes = {
  unit: {
    name: 'text',
    machine: 'text',
    life: 'text',
    status: 'text',
    'agent-status': 'text',
    'workload-status': 'text',
    'workload-message': 'text',
    unplaced: 'truth',
  },
} as const satisfies EntityTypes;

export type UnitAttributes = Readonly<
  Record<Exclude<keyof (typeof unitTypes)['unit'], 'unplaced'>, string> & { unplaced: boolean }
>;

/** Parses a condition. Errors: `not valid`, with the name of the flag or key. */
function parseCondition(condition: string, of: string): Goal {
  try {
    return parseGoal(condition, { types: unitTypes, kind: 'unit' });
  } catch (error) {
    if (!(error instanceof JujuError)) throw error;
    throw new JujuError(error.code, `cannot parse ${JSON.stringify(condition)} in ${of}: ${error.message}`);
  }
}

/**
 * Test of the condition of a roll-out or gate. A condition that an older grigri accepted and this one does not is never
 * met.
 */
export function conditionOf(waitFor: string): (unit: Attributes) => boolean {
  if (waitFor === 'active') return (unit) => unit['workload-status'] === 'active';
  try {
    return parseCondition(waitFor, '--wait-for').isMet;
  } catch {
    return () => false;
  }
}

/** The charm and roll-out that the units of an application follow, as documents and agents' records have them. */
export interface Followed {
  readonly charmUrl: string;
  readonly charmModifiedVersion?: number;
  readonly rollout?: true | 'resources' | Pick<Rollout, 'resources'>;
}

/** The charm and version that a unit runs. */
export type Follower = Pick<UnitDoc, 'charmUrl' | 'charmModifiedVersion' | 'released'>;

/** Whether a roll-out keeps the unit on the charm or contents that it has (refresh.md#held-units). */
export function isHeld({ charmUrl, charmModifiedVersion = 0, rollout }: Followed, unit: Follower): boolean {
  if (rollout === undefined || unit.released === charmUrl) return false;
  if (unit.charmUrl !== charmUrl) return true;
  const isOfResources = rollout === 'resources' || (rollout !== true && rollout.resources !== undefined);
  // A unit that was added since the roll-out began has no version of its own.
  return isOfResources && (unit.charmModifiedVersion ?? charmModifiedVersion) !== charmModifiedVersion;
}

/** Whether the unit has the charm and contents of resources that its application's units are to have. */
export function isUpgraded(application: Followed, unit: Follower): boolean {
  return !isHeld(application, { ...unit, released: '' }) && unit.charmUrl === application.charmUrl;
}

/** The charm that a unit is to run: its application's, or the one that it runs while it is held. */
export function charmOfUnit(application: Followed, unit: Follower): string {
  return isHeld(application, unit) ? unit.charmUrl : application.charmUrl;
}

/** The charm or resources that units take in a roll-out, in words: `local:db-2`, `resources dump, more`. */
export function takenWords(charmUrl: string, resources: readonly string[] = []): string {
  if (resources.length === 0) return charmUrl;
  return `resource${resources.length > 1 ? 's' : ''} ${resources.join(', ')}`;
}

/** Parts of an application and its roll-out that tell what its units take. */
interface Rolled extends Pick<ApplicationDoc, 'charmUrl'> {
  readonly rollout?: Pick<Rollout, 'kind' | 'state'> & {
    readonly resources?: { readonly names: readonly string[] };
  };
}

export function whatUnitsTake({ charmUrl, rollout }: Rolled): string {
  return takenWords(charmUrl, rollout?.resources?.names);
}

/** A version that no unit of the application has had. */
export function nextModifiedVersion({
  charmModifiedVersion = 0,
  highestModifiedVersion = 0,
}: Pick<ApplicationDoc, 'charmModifiedVersion' | 'highestModifiedVersion'>): number {
  return Math.max(charmModifiedVersion, highestModifiedVersion) + 1;
}

/** Refuses another refresh while a roll-out goes on. Errors: ''. */
export function refuseDuringRollout(
  application: Rolled & Pick<ApplicationDoc, 'name'>,
  what = 'refresh application',
): void {
  const { name, rollout } = application;
  if (!rollout || rollout.state === 'aborted') return;
  throw new JujuError(
    '',
    `cannot ${what} "${name}": the ${rollout.kind} to ${whatUnitsTake(application)} is ${rollout.state}; end it first (refresh ${name} --resume, --abort${rollout.kind === 'refresh' ? ' or --rollback' : ''})`,
  );
}
