/** Limits of a kind of document: of its parts, and of the number of documents (core/quotas.ts enforces them). */
import type { Limit } from './limits.ts';

/** Settings of the controller that are limits, in bytes; 0 = limited by the request size only. */
export const quotaSettings = ['max-charm-state-size', 'max-agent-state-size', 'max-model-size'] as const;

/** A measured part of a document: its JSON, a text, or its number of entries. */
export interface Measure<D> {
  readonly limit: Limit;
  /** Members that are measured together and excluded from the record's own size. */
  readonly members?: readonly (keyof D & string)[];
  /** The measured value, where it is not members. */
  readonly of?: (doc: D) => unknown;
  /** The controller's setting that overrides the limit. */
  readonly setting?: (typeof quotaSettings)[number];
}

/** A limit on the number of documents under an index's value. */
interface Count<D> {
  readonly limit: Limit;
  readonly index: string;
  readonly value: (doc: D) => string | undefined;
  /** The owner of the documents: `user bob`. */
  readonly whose: (doc: D) => string;
}

/** A limit on the bytes that the documents under an index's value count for together. */
export interface Sum<D> extends Count<D> {
  /** The largest part of the model that these documents may take, as a divisor: 8 = an eighth. */
  readonly share: number;
}

export interface Quota<D> {
  /** The document's name in messages: `unit mysql/0`. Default: its kind and its id. */
  readonly name?: (doc: D) => string;
  readonly measures?: readonly Measure<D>[];
  readonly counts?: readonly Count<D>[];
  readonly sums?: readonly Sum<D>[];
}

/** The index that contains all documents of a kind. */
export const all = { index: '', value: () => '' } as const;
export const ofModel = { ...all, whose: () => 'the model' } as const;

/** The longest of the texts, for a Measure of several. */
export function longest(texts: readonly string[]): string {
  let found = '';
  for (const text of texts) if (text.length > found.length) found = text;
  return found;
}
