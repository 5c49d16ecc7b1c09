import { earlier, type Ending, type Force } from '../../../core/life.ts';
import type { Tx } from '../tx.ts';
import { defined } from '../../../core/defined.ts';

/** Request for --force, as a client sends it. */
export interface ForceRequest {
  /** Time in milliseconds that agents get for an orderly end; 0 = none (--no-wait). */
  readonly maxWaitMs: number;
  /** Tag of the requesting user. */
  readonly by: string;
}

/**
 * Fields that an ending entity gets: since when it is ending (the first time counts) and, with force, until when it is
 * left to its agents (the earliest time counts).
 */
export function ending(tx: Tx, entity: Ending, request?: ForceRequest): Ending {
  const force = earlier(entity.force, request && forceOf(tx, request));
  return { dyingSince: entity.dyingSince ?? tx.now, ...defined({ force }) };
}

/** True once the deadline has passed and nothing is waited for any more (removal.md#force-one-deadline). */
export function isDue(tx: Tx, entity: Ending | undefined): boolean {
  return entity?.force !== undefined && entity.force.deadline <= tx.now;
}

function forceOf(tx: Tx, { maxWaitMs, by }: ForceRequest): Force {
  return { deadline: new Date(Date.parse(tx.now) + Math.max(maxWaitMs, 0)).toISOString(), by };
}
