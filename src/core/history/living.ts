/** Descriptions of changes of living entities: created, dying, dead, removed, and fields set in between. */
import { formatConstraints, type Constraints } from '../constraints.ts';
import type { EntityRef } from '../entity-ref.ts';
import type { Ending, Life } from '../life.ts';
import type { HistoryEvent } from './event.ts';
import { changedKeys, changedValues, same, shown, toldOf, type Values } from './values.ts';

interface Living extends Ending {
  readonly life: Life;
}

/**
 * Describes a change. Creation, removal and changes of life are in the history of all of `about`; the rest only in that
 * of the first.
 */
export function describeLiving<D extends Living>(
  subject: string,
  about: readonly EntityRef[],
  before: D | undefined,
  after: D | undefined,
  words: {
    /** The description of a new entity. */
    readonly describeNew?: (now: D) => string;
    readonly changed?: (old: D, now: D) => string[];
    /** Further effects with their details, in the history of all of `about`. */
    readonly describeMore?: (old: D, now: D) => (readonly [what: string, detail: string])[];
  },
): HistoryEvent[] {
  const event = (what: string, detail = ''): HistoryEvent => ({ subject, what, detail, about });
  if (!after) return before ? [event('removed')] : [];
  if (!before) {
    const created = event('created', words.describeNew?.(after));
    return after.life === 'alive' ? [created] : [created, event(`life ${after.life}`)];
  }
  const entityOnly = about.slice(0, 1);
  return [
    ...(before.life === after.life ? [] : [event(`life ${before.life} -> ${after.life}`)]),
    ...(after.force && !same(before.force, after.force)
      ? [event(`forced: what is left of it is removed at ${after.force.deadline}`)]
      : []),
    ...(words.describeMore?.(before, after) ?? []).map(([what, detail]) => event(what, detail)),
    ...(words.changed?.(before, after) ?? []).map((what) => ({ ...event(what), about: entityOnly })),
  ];
}

export function inBrackets(parts: readonly string[]): string {
  return `(${parts.join(', ')})`;
}

export function moved(subject: string, from: string, to: string): string[] {
  return from === to ? [] : [`${subject} ${from === '' ? 'none' : from} -> ${to === '' ? 'none' : to}`];
}

export function keysOf(subject: string, before: Values, after: Values): string[] {
  const keys = changedKeys(before, after);
  return keys === '' ? [] : [`${subject}: ${keys}`];
}

export function constraintsOf(constraints: Constraints): string[] {
  const text = formatConstraints(constraints);
  return text === '' ? [] : [`constraints ${shown(text)}`];
}

export function configChanges(
  old: { readonly config: Values } | undefined,
  now: { readonly config: Values },
  isSecret: (option: string) => boolean,
): string[] {
  return toldOf('config changed', () =>
    changedValues(old?.config, now.config, isSecret).map((text) => `config ${text}`),
  );
}
