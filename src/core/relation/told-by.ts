/** Limits on the records of a model that other models fill over offers (offers.md#what-others-fill). */
import type { Limit } from '../limits.ts';
import type { Sum } from '../quota.ts';
import type { RelationDoc } from './document.ts';

/** A record that another model fills. */
export interface ByTeller {
  /** The user who consumes offers of this model, or the application that this one consumes; absent = this model. */
  readonly toldBy?: string;
}

/** The teller, as in `toldBy`, of a relation's other side; undefined when both sides are in this model. */
export function tellerOf({ remote }: Pick<RelationDoc, 'remote'>): string | undefined {
  if (!remote) return undefined;
  return remote.offered ? `user ${remote.offered.user}` : `application ${remote.application}`;
}

/** Value of the index `toldBy` that finds the records of all tellers. */
export const allTellers = 'all';

export function toldBy(doc: ByTeller): readonly string[] | undefined {
  return doc.toldBy === undefined ? undefined : [doc.toldBy, allTellers];
}

/** Largest parts of the model that one teller, and all of them, may fill, as divisors: 8 = an eighth. */
export const shareOfTeller = 8;
export const shareOfTellers = 2;

export function sumsOfTellers(ofOne: Limit, ofAll: Limit): readonly Sum<ByTeller>[] {
  return [
    {
      limit: ofOne,
      index: 'toldBy',
      value: (doc) => doc.toldBy,
      whose: (doc) => doc.toldBy ?? '',
      share: shareOfTeller,
    },
    {
      limit: ofAll,
      index: 'toldBy',
      value: (doc) => doc.toldBy && allTellers,
      whose: () => 'the model',
      share: shareOfTellers,
    },
  ];
}
