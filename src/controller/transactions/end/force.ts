import { earlier, type Ending, type Force } from '../../../core/life.ts';
import type { Tx } from '../tx.ts';

/** --force, as a client asks for it. */
export interface ForceRequest {
  /** How long what goes is left to its agents; 0 = not at all (--no-wait). */
  readonly maxWaitMs: number;
  /** The tag of who asks. */
  readonly by: string;
}

/**
 * What an entity that is to go says of its end: since when (the first time counts) and, forced, until when it is left
 * to its agents (the earliest time counts).
 */
export function ending(tx: Tx, entity: Ending, request?: ForceRequest): Ending {
  const force = earlier(entity.force, request && forceOf(tx, request));
  return { dyingSince: entity.dyingSince ?? tx.now, ...(force ? { force } : {}) };
}

/** True once the deadline has passed and nothing is waited for any more (removal.md#force-one-deadline). */
export function isDue(tx: Tx, entity: Ending | undefined): boolean {
  return entity?.force !== undefined && entity.force.deadline <= tx.now;
}

function forceOf(tx: Tx, { maxWaitMs, by }: ForceRequest): Force {
  return { deadline: new Date(Date.parse(tx.now) + Math.max(maxWaitMs, 0)).toISOString(), by };
}
