/** What is limited of a kind of document: its parts, and how many there may be (core/quotas.ts enforces it). */
import type { Limit } from './limits.ts';

/** Settings of the controller that are limits, in bytes; 0 = none but that of requests. */
export const quotaSettings = ['max-charm-state-size', 'max-agent-state-size', 'max-model-size'] as const;

/** Something of a document that is measured: as JSON, as a text, or by its number of entries. */
export interface Measure<D> {
  readonly limit: Limit;
  /** Measured together, and no part of the record's own size. */
  readonly members?: readonly (keyof D & string)[];
  /** What is measured, where it is not members. */
  readonly of?: (doc: D) => unknown;
  /** The controller's setting that has its own number for it. */
  readonly setting?: (typeof quotaSettings)[number];
}

/** How many documents there are under an index's value. */
export interface Count<D> {
  readonly limit: Limit;
  readonly index: string;
  readonly value: (doc: D) => string | undefined;
  /** Whose they are: `user bob`. */
  readonly whose: (doc: D) => string;
}

export interface Quota<D> {
  /** As messages name it: `unit mysql/0`. Default: its kind and its id. */
  readonly name?: (doc: D) => string;
  readonly measures?: readonly Measure<D>[];
  readonly counts?: readonly Count<D>[];
}

/** The index that everything of a kind is in. */
export const all = { index: '', value: () => '' } as const;
export const ofModel = { ...all, whose: () => 'the model' } as const;

/** The longest text, of which a Measure may be. */
export function longest(texts: readonly string[]): string {
  let found = '';
  for (const text of texts) if (text.length > found.length) found = text;
  return found;
}
