import type { Entities, Kind } from '../kinds.ts';
import { specs } from '../specs.ts';
import type { Describe } from '../kind.ts';
import type { HistoryEvent, PastNames } from './event.ts';
import type { PastChange } from './past-change.ts';
import { ValueGone } from '../value-gone.ts';

/**
 * Describes a change without any secret: only the keys of relation data, leader settings and annotations, neither
 * parameters nor output of tasks, and nothing of agents' state and the controller's documents.
 */
export function describeChange(change: PastChange, names: PastNames): HistoryEvent[] {
  const describe = specs[change.kind].describe as Describe<Entities[Kind]> | undefined;
  try {
    return describe?.(change.before, change.after, { names, id: change.id }) ?? [];
  } catch (error) {
    if (!(error instanceof ValueGone)) throw error;
    return [
      { subject: `${change.kind} ${change.id}`, what: `changed (${error.message})`, detail: '', about: [] },
    ];
  }
}
