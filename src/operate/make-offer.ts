/** Offers of a model: making them, and giving access to them. */
import { call, only } from '../client/calls.ts';
import { modelTag, userTag } from '../wire/tags.ts';
import type { ControllerSession } from './sessions.ts';

/** Makes or changes an offer of endpoints of an application, under their own names. Errors: the controller's. */
export async function offerEndpoints(
  { connection, user }: ControllerSession,
  model: string,
  offer: { readonly name: string; readonly application: string; readonly endpoints: readonly string[] },
): Promise<void> {
  const { results } = await call(connection, 'ApplicationOffers', 'Offer', {
    Offers: [
      {
        'model-tag': modelTag(model),
        'offer-name': offer.name,
        'application-name': offer.application,
        'application-description': '',
        endpoints: Object.fromEntries(offer.endpoints.map((one) => [one, one])),
        'owner-tag': userTag(user),
      },
    ],
  });
  only(results);
}

/** Grants access to an offer; whoever has as much keeps it. Errors: the controller's. */
export async function grantOffer(
  { connection }: ControllerSession,
  url: string,
  { user, access }: { readonly user: string; readonly access: string },
): Promise<void> {
  const { results } = await call(connection, 'ApplicationOffers', 'ModifyOfferAccess', {
    changes: [{ 'user-tag': userTag(user), action: 'grant', access, 'offer-url': url }],
  });
  const [{ error } = {}] = results;
  // The user who makes an offer is its admin already, and most bundles grant that again.
  if (error && !/user already has "\w+" access or greater$/.test(error.message)) only(results);
}
