/** The entities that a change is about, as names and references. */
import type { EntityRef } from '../entity-ref.ts';
import type { HistoryEvent, PastNames } from './event.ts';

export function ofUnit(unit: string): Omit<HistoryEvent, 'what'> {
  return { subject: `unit ${unit}`, detail: '', about: [unitRef(unit)] };
}

export function unitRef(id: string): EntityRef {
  return { kind: 'unit', id };
}

export function applicationRef(id: string): EntityRef {
  return { kind: 'application', id };
}

export function relationRef(id: string): EntityRef {
  return { kind: 'relation', id };
}

export function relationName(id: string, names: PastNames): string {
  const key = names.relationKey(id);
  return key === undefined ? `relation ${id}` : `relation ${id} (${key})`;
}
