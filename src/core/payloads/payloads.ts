/** Changes of a unit's payloads by the payload tools, and filters for the payloads that an operator asks for. */
import { notFound } from '../errors.ts';
import type { Payload } from './document.ts';

export const payloadStatuses = ['starting', 'running', 'stopping', 'stopped'] as const;
export type PayloadStatus = (typeof payloadStatuses)[number];

/** The change that a tool asks for, of the payload with the class and id. */
export type PayloadChange =
  | { readonly kind: 'register'; readonly type: string; readonly labels: readonly string[] }
  | { readonly kind: 'set status'; readonly status: PayloadStatus }
  | { readonly kind: 'unregister' };

/**
 * The payloads of a unit after a change. Registering a payload again replaces it; unregistering an unknown payload
 * changes nothing. Errors: `not found` for the status of an unknown payload.
 */
export function changedPayloads(
  before: Readonly<Record<string, Payload>>,
  { class: name, id, change }: Pick<Payload, 'class' | 'id'> & { readonly change: PayloadChange },
): Readonly<Record<string, Payload>> {
  const key = `${name}/${id}`;
  const known = Object.hasOwn(before, key) ? before[key] : undefined;
  switch (change.kind) {
    case 'register': {
      const { type, labels } = change;
      return { ...before, [key]: { class: name, id, type, labels, status: 'running' } };
    }
    case 'set status':
      if (!known) throw notFound('payload', key);
      return known.status === change.status
        ? before
        : { ...before, [key]: { ...known, status: change.status } };
    case 'unregister':
      return known ? Object.fromEntries(Object.entries(before).filter(([one]) => one !== key)) : before;
  }
}

/** A payload with the unit that has it and the unit's machine, '' without one. */
export interface PlacedPayload extends Payload {
  readonly unit: string;
  readonly machine: string;
}

/**
 * Returns a filter for payloads: any pattern must equal the unit, machine, type, class, id, status or a label, whatever
 * the case of letters. Without patterns all payloads pass.
 */
export function payloadFilter(patterns: readonly string[]): (payload: PlacedPayload) => boolean {
  if (patterns.length === 0) return () => true;
  const wanted = new Set(patterns.map((pattern) => pattern.toLowerCase()));
  return ({ unit, machine, type, class: name, id, status, labels }) =>
    [unit, machine, type, name, id, status, ...labels].some((text) => wanted.has(text.toLowerCase()));
}
