import type { UnitDoc } from '../../../core/unit/document.ts';
import { JujuError } from '../../../core/errors.ts';
import { unitApplication } from '../../../core/names.ts';
import { workloadStatus } from '../../../core/unit/workload-status.ts';
import { parseTag } from '../../../wire/tags.ts';
import { leaderOf } from '../../transactions/agent/leadership.ts';
import { mustGet, type View } from '../../transactions/tx.ts';

export interface Receiver {
  readonly kind: 'unit' | 'machine';
  readonly name: string;
}

/**
 * Finds the receiver `unit-x-0`, `machine-0` or, at the instant `now`, `x/leader`. Errors: `not found`, `not assigned`,
 * '' (tag).
 */
export function receiverOf(view: View, text: string, now: string): Receiver {
  const leader = leaderReceiver(view, text, now);
  if (leader) return leader;
  const { kind, id } = parseTag(text);
  if (kind !== 'unit' && kind !== 'machine')
    throw new JujuError('', `"${text}" is not a valid unit or machine tag`);
  if (kind === 'unit') return unitReceiver(view, id);
  return { kind, name: mustGet(view, kind, id).id };
}

/** Returns a unit as a receiver. Errors: `not found`, `not assigned`. */
export function unitReceiver(view: View, name: string): Receiver {
  return { kind: 'unit', name: onMachine(view, mustGet(view, 'unit', name)).name };
}

/** Returns the leader at the instant `now` for `x/leader`; undefined for another text. Errors: `not found`. */
export function leaderReceiver(view: View, name: string, now: string): Receiver | undefined {
  if (!name.endsWith('/leader')) return undefined;
  const application = mustGet(view, 'application', unitApplication(name));
  const leader = leaderOf(view, application.name, now);
  if (leader === '') throw new JujuError('not found', `could not determine leader for "${application.name}"`);
  return { kind: 'unit', name: leader };
}

/** Returns all units of the application that are on machines. Errors: `not found`; `not assigned` when none is. */
export function unitReceivers(view: View, application: string): Receiver[] {
  mustGet(view, 'application', application);
  const units = [...view.find('unit', 'application', application)];
  const placed = units.filter(({ unplaced }) => !unplaced);
  // The error says why no unit has a machine.
  if (placed.length === 0 && units[0]) onMachine(view, units[0]);
  return placed.map(({ name }) => ({ kind: 'unit', name }));
}

/** Refuses a unit that waits for its requirements: nothing can be run on it. */
function onMachine(view: View, unit: UnitDoc): UnitDoc {
  if (!unit.unplaced) return unit;
  const { message } = workloadStatus(unit, view);
  throw new JujuError('not assigned', `unit "${unit.name}" is not on a machine yet: ${message}`);
}
