import { externalUsersOf } from '../access/external-users.ts';
import { describeAccess } from '../access/describe-access.ts';
import type { LevelOf } from '../access/levels.ts';
import { defineKind } from '../kind.ts';
import type { Made } from '../model-file/ownership.ts';

/** A user's access to an offer. Controller space; id = `<user> <offer uuid>`. */
interface OfferAccessDoc extends Made {
  readonly user: string;
  readonly offer: string;
  /** UUID of the offer's model. */
  readonly model: string;
  readonly access: LevelOf<'offer'>;
}

/** The id `<user> <offer uuid>`. */
export function offerAccessId({ user, offer }: Pick<OfferAccessDoc, 'user' | 'offer'>): string {
  return `${user} ${offer}`;
}

const external = externalUsersOf<OfferAccessDoc>(
  (doc) => doc.offer,
  (doc) => `offer ${doc.offer}`,
);

export const offerAccess = defineKind<OfferAccessDoc>()({
  space: 'controller',
  idOf: offerAccessId,
  indexes: {
    offer: (doc) => doc.offer,
    model: (doc) => doc.model,
    user: (doc) => doc.user,
    external: external.index,
  },
  quota: external.quota,
  findRemovedBy: ['model'],
  describe: describeAccess(
    ({ offer }) => `offer ${offer}`,
    ({ model }) => model,
  ),
});
