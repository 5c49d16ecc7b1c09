import type { ModelRecord } from '../../wire/agent-records.ts';

/** The restore that a unit's agent knows of: its state is from after that; undefined = from before any. */
export interface RestoreSeen {
  known: string | undefined;
  /** The restore for which the agent has told its state. */
  told?: string;
}

/**
 * Returns the restore after which the unit's hooks run, '' when there was none; undefined = they may not: not from a
 * restore until it is accepted, and the agent has gone over.
 */
export function runsAfter(restored: ModelRecord['restored'], { known }: RestoreSeen): string | undefined {
  if (!restored) return '';
  return restored.state !== 'held' && restored.id === known ? known : undefined;
}
