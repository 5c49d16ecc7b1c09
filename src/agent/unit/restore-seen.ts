import type { ModelRecord } from '../../wire/agent-records.ts';

/** The restore that a unit's agent knows of: its state is from after that; undefined = from before any. */
export interface RestoreSeen {
  known: string | undefined;
  /** The restore for which the agent has told its state. */
  told?: string;
}

/** Whether the unit's hooks may run: not from a restore until it is accepted, and the agent has gone over. */
export function mayGoOn(restored: ModelRecord['restored'], { known }: RestoreSeen): boolean {
  return restored === undefined || (restored.state !== 'held' && restored.id === known);
}
