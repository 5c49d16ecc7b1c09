import { defineKind } from '../kind.ts';
import { limits } from '../limits.ts';
import { ofModel } from '../quota.ts';

/**
 * The end of a relation with an offer that was removed by force before the offering side had heard of its end
 * (offers.md#told-before-gone): the offering side is told later. Model space; id = the relation's token.
 */
export interface RelationEndDoc {
  readonly token: string;
  /** UUID by which the offering side knows the application of this model. */
  readonly applicationToken: string;
  /** UUID of the offering model. */
  readonly model: string;
  /** UUID of the offering model's controller; '' = this one. */
  readonly controller: string;
  /** The right to tell another controller of the end: a macaroon in JSON, sealed. */
  readonly macaroon?: string;
}

export const relationEnd = defineKind<RelationEndDoc>()({
  space: 'model',
  idOf: ({ token }) => token,
  indexes: { controller: ({ controller }) => controller },
  quota: {
    name: ({ token }) => `end of relation ${token}`,
    counts: [{ limit: limits.relationEnds, ...ofModel }],
  },
  describe: () => [],
});
