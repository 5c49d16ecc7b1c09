import { defineKind } from '../kind.ts';
import { limits } from '../limits.ts';
import { ofModel } from '../quota.ts';
import type { Made } from '../model-file/ownership.ts';

/**
 * An offer: endpoints of an application that other models may relate to. Model space; id = the offer's name. Its
 * connections are the relations whose index `offer` has its name (offers.md#counts).
 */
export interface OfferDoc extends Made {
  readonly name: string;
  readonly uuid: string;
  readonly application: string;
  /** Name in the offer → name of the application's endpoint. */
  readonly endpoints: Readonly<Record<string, string>>;
  readonly description: string;
  readonly createdAt: string;
}

export const offer = defineKind<OfferDoc>()({
  space: 'model',
  idOf: ({ name }) => name,
  indexes: { application: (doc) => doc.application, uuid: (doc) => doc.uuid },
  quota: {
    name: ({ name }) => `offer ${name}`,
    measures: [
      { limit: limits.offerDescription, members: ['description'] },
      { limit: limits.offerEndpoints, of: ({ endpoints }) => endpoints },
    ],
    counts: [{ limit: limits.offers, ...ofModel }],
  },
  describe: (before, after, { id }) => {
    const offer = after ?? before;
    if (!offer) return [];
    const change = !before ? 'made' : !after ? 'removed' : 'changed';
    return [
      {
        subject: `application ${offer.application}`,
        what: `offer ${id} ${change}`,
        detail: '',
        about: [{ kind: 'application', id: offer.application }],
      },
    ];
  },
});
