import { userId } from '../../../core/user/document.ts';
import type { OfferDoc } from '../../../core/offer/document.ts';
import { formatOfferUrl } from '../../../core/offer/url.ts';
import { localEnd } from '../../../core/relation/ends.ts';
import type { OfferDetails } from '../../../wire/facades/application-offers.ts';
import { modelTag } from '../../../wire/tags.ts';
import type { Call } from '../../facade.ts';
import { callerName } from '../shared/model-access.ts';
import { endpointsOfOffer } from '../shared/offer-endpoints.ts';
import { relationStatusOf } from '../../relation-status.ts';
import type { View } from '../../transactions/tx.ts';
import type { FoundOffer } from './find-offer.ts';

/** Describes an offer to the caller: to admins all of it, to others no connection and no user but themselves. */
export function describeOffer(call: Call, { model, offer, level }: FoundOffer): OfferDetails {
  const view = call.read().in(model.uuid);
  const application = view.get('application', offer.application);
  const isAdmin = level === 'admin';
  const { owner, name } = model;
  return {
    'source-model-tag': modelTag(model.uuid),
    'offer-uuid': offer.uuid,
    'offer-url': formatOfferUrl({ controller: '', owner, model: name, offer: offer.name }),
    'offer-name': offer.name,
    'application-description': offer.description,
    endpoints: endpointsOfOffer(view, offer),
    users: usersOf(call, offer, level),
    'application-name': isAdmin ? offer.application : '',
    'charm-url': isAdmin ? (application?.charmUrl ?? '') : '',
    ...(isAdmin && { connections: connectionsOf(view, offer) }),
  };
}

function usersOf(
  call: Call,
  offer: OfferDoc,
  level: FoundOffer['level'],
): NonNullable<OfferDetails['users']> {
  const root = call.read().in('');
  const described = (user: string, access: string) => ({
    user,
    'display-name': root.get('user', userId(user))?.displayName ?? '',
    access,
  });
  if (level !== 'admin') return [described(callerName(call), level)];
  return [...root.find('offer-access', 'offer', offer.uuid)].map(({ user, access }) =>
    described(user, access),
  );
}

function connectionsOf(view: View, offer: OfferDoc): NonNullable<OfferDetails['connections']> {
  return [...view.find('relation', 'offer', offer.name)].flatMap((relation) => {
    const { offered } = relation.remote ?? {};
    if (!offered) return [];
    const { status, message, since } = relationStatusOf(view, relation);
    return [
      {
        'source-model-tag': modelTag(offered.model),
        'relation-id': relation.id,
        username: offered.user,
        endpoint: localEnd(relation).name,
        status: { status, info: message, since },
        'ingress-subnets': offered.ingress,
      },
    ];
  });
}
