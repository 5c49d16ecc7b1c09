/** What there is to say of a kind of document. `core/kinds.ts` lists all kinds. */
import type { HistoryEvent, PastNames } from './history/event.ts';
import type { Quota } from './quota.ts';

/** The values that an index finds a document by; undefined = it is not found by the index. */
export type IndexOf<D> = (doc: D) => string | readonly string[] | undefined;

/** Words for the change of a document; `before` or `after` is absent when there was, or is, none. */
export type Describe<D> = (
  before: D | undefined,
  after: D | undefined,
  context: { readonly names: PastNames; readonly id: string },
) => HistoryEvent[];

export interface KindSpec<D, I extends string = string> {
  /** Where its documents are: in models' spaces, in the controller's own, or in both. */
  readonly space: 'model' | 'controller' | 'any';
  /** The id that a document is stored under. */
  readonly idOf: (doc: D) => string;
  readonly indexes?: { readonly [P in I]: IndexOf<D> };
  /** The indexes by which removed documents are still found, for the history of what they belonged to. */
  readonly findRemovedBy?: readonly I[];
  /** True for a change that no history tells of, as a lease that is renewed. */
  readonly isQuiet?: (before: D | undefined, after: D | undefined) => boolean;
  readonly quota?: Quota<D>;
  /**
   * Agents and workers still write it when its model is full: `new` = also documents that were not there, `old` = only
   * those that were.
   */
  readonly upkeep?: 'old' | 'new';
  /** Absent: no history tells of it. */
  readonly describe?: Describe<D>;
}

/** The type of a kind's documents, which is nowhere at run time. */
declare const docType: unique symbol;
export type DocOf<S> = S extends { readonly [docType]?: infer D } ? Exclude<D, undefined> : never;

/** Gives a specification its documents' type: `defineKind<UnitDoc>()({ … })`. */
export function defineKind<D>() {
  return <I extends string = never, S extends KindSpec<D, I> = KindSpec<D, I>>(
    spec: S & KindSpec<D, I>,
  ): S & { readonly [docType]?: D } => spec;
}
