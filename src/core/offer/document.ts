import { defineKind } from '../kind.ts';

/** An offer: endpoints of an application that other models may relate to. Model space; id = the offer's name. */
export interface OfferDoc {
  readonly name: string;
  readonly application: string;
  readonly endpoints: readonly string[];
  /** Ids of the relations that use the offer. */
  readonly connections: readonly string[];
}

export const offer = defineKind<OfferDoc>()({
  space: 'model',
  idOf: ({ name }) => name,
  indexes: { application: (doc) => doc.application },
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
