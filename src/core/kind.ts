/** The specification of a kind of document. `core/kinds.ts` lists all kinds. */
import type { HistoryEvent, PastNames } from './history/event.ts';
import type { Quota } from './quota.ts';

/** The values under which an index has a document; undefined = the index does not have it. */
export type IndexOf<D> = (doc: D) => string | readonly string[] | undefined;

/** Describes the change of a document; `before` is absent for a new document, `after` for a removed one. */
export type Describe<D> = (
  before: D | undefined,
  after: D | undefined,
  context: { readonly names: PastNames; readonly id: string },
) => HistoryEvent[];

export interface KindSpec<D, I extends string = string> {
  /** The space of its documents: models', the controller's own, or both. */
  readonly space: 'model' | 'controller' | 'any';
  /** The id that a document is stored under. */
  readonly idOf: (doc: D) => string;
  readonly indexes?: { readonly [P in I]: IndexOf<D> };
  /** Indexes that also find removed documents, for the history of the entities they belonged to. */
  readonly findRemovedBy?: readonly I[];
  /** True for a change that no history shows, such as the renewal of a lease. */
  readonly isQuiet?: (before: D | undefined, after: D | undefined) => boolean;
  readonly quota?: Quota<D>;
  /**
   * Set when agents and workers may write the documents even while the model is full: `new` = including new documents,
   * `old` = existing ones only.
   */
  readonly upkeep?: 'old' | 'new';
  /** The description for the history; absent: no history shows this kind. */
  readonly describe?: Describe<D>;
}

/** The type of a kind's documents; it does not exist at run time. */
declare const docType: unique symbol;
export type DocOf<S> = S extends { readonly [docType]?: infer D } ? Exclude<D, undefined> : never;

/** Gives a specification its documents' type: `defineKind<UnitDoc>()({ … })`. */
export function defineKind<D>() {
  return <I extends string = never, S extends KindSpec<D, I> = KindSpec<D, I>>(
    spec: S & KindSpec<D, I>,
  ): S & { readonly [docType]?: D } => spec;
}
