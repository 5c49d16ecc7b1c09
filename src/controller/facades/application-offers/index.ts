import { grantee } from '../../../core/access/access-of.ts';
import { hasCode, JujuError, permissionDenied } from '../../../core/errors.ts';
import { parseOfferUrl } from '../../../core/offer/url.ts';
import { macaroonToFirstJson, macaroonToJson } from '../../../kit/macaroon/encode.ts';
import type { applicationOffers as spec } from '../../../wire/facades/application-offers.ts';
import { controllerTag } from '../../../wire/tags.ts';
import type { Call, FacadeTable, ParamsOf, ResultOf } from '../../facade.ts';
import { makeOffer } from '../../transactions/begin/make-offer.ts';
import { destroyOffer } from '../../transactions/end/remove-offer.ts';
import { changeOfferAccess } from '../../transactions/change/change-access.ts';
import { bulk } from '../shared/bulk.ts';
import { changeAccess } from '../shared/change-access.ts';
import { forceRequest } from '../shared/force.ts';
import { callerName, modelAccess, modelOfTag, userOfTag, type State } from '../shared/model-access.ts';
import { endpointsOfOffer } from '../shared/offer-endpoints.ts';
import { describeOffer } from './describe-offer.ts';
import { findApplicationOffers, listApplicationOffers } from './filter-offers.ts';
import { findOffer, modelOfUrl } from './find-offer.ts';

/** Makes or changes one offer. */
async function offer(
  call: Call,
  { Offers: offers }: ParamsOf<typeof spec, 'Offer'>,
): Promise<ResultOf<typeof spec, 'Offer'>> {
  if (offers.length !== 1) throw new JujuError('', `expected exactly one offer, got ${offers.length}`);
  const results = await bulk(call, offers, async (one) => {
    const application = one['application-name'];
    await call.store.change((tx) => {
      const model = modelOfTag(call, one['model-tag'], 'admin', tx);
      makeOffer(tx.in(model.uuid), {
        name: one['offer-name'] || application,
        application,
        endpoints: one.endpoints,
        description: one['application-description'],
        owner: userOfTag(call, one['owner-tag'] || call.by, tx),
      });
    }, call.by);
    return {};
  });
  return { results };
}

async function applicationOffersOf(
  call: Call,
  params: ParamsOf<typeof spec, 'ApplicationOffers'>,
): Promise<ResultOf<typeof spec, 'ApplicationOffers'>> {
  return {
    results: await bulk(call, params['offer-urls'], (url) => ({
      result: describeOffer(call, findOffer(call, url, { needed: 'read' })),
    })),
  };
}

/** Tells what a client needs to consume offers, also from another controller. */
async function getConsumeDetails(
  call: Call,
  params: ParamsOf<typeof spec, 'GetConsumeDetails'>,
): Promise<ResultOf<typeof spec, 'GetConsumeDetails'>> {
  const tag = params['user-tag'] ?? '';
  const user = tag === '' ? undefined : grantee(call.read().in(''), userOfTag(call, tag));
  if (tag !== '' && !user) throw permissionDenied();
  const consumer = user?.name ?? callerName(call);
  const self = call.read().in('').get('controller', 'self');
  const { addresses, caCert } = call.services;
  const { 'offer-urls': urls, 'bakery-version': version = 0 } = params['offer-urls'];
  // Clients that name no version of macaroon-bakery, such as python-libjuju, read version 1 alone.
  const encode = version < 2 ? macaroonToFirstJson : macaroonToJson;
  const results = await bulk(call, urls, (url) => {
    const found = findOffer(call, url, { needed: 'consume', user });
    const {
      'application-name': _name,
      'charm-url': _url,
      connections: _all,
      ...details
    } = describeOffer(call, found);
    return {
      offer: details,
      macaroon: encode(
        call.offerMacaroons.mintNow({
          user: consumer,
          offer: found.offer.uuid,
          model: found.model.uuid,
        }),
      ),
      'external-controller': {
        'controller-tag': controllerTag(self?.uuid ?? ''),
        'controller-alias': self?.name ?? '',
        addrs: addresses,
        'ca-cert': caCert,
      },
    };
  });
  return { results };
}

/** Removes offers, for admins of their models. */
async function destroyOffers(
  call: Call,
  params: ParamsOf<typeof spec, 'DestroyOffers'>,
): Promise<ResultOf<typeof spec, 'DestroyOffers'>> {
  const results = await bulk(call, params['offer-urls'], async (url) => {
    await call.store.change((tx) => {
      const { model, offer: name } = modelOfUrl(call, url, tx);
      if (modelAccess(call, model.uuid, tx) !== 'admin') throw permissionDenied();
      destroyOffer(tx.in(model.uuid), { name, ...forceRequest(call, params) });
    }, call.by);
    return {};
  });
  return { results };
}

/** Grants and revokes access to offers, for their admins and those of their models. */
function modifyOfferAccess(
  call: Call,
  { changes }: ParamsOf<typeof spec, 'ModifyOfferAccess'>,
): Promise<ResultOf<typeof spec, 'ModifyOfferAccess'>> {
  return changeAccess(call, changes, {
    check: ({ 'offer-url': url }, tx) => {
      const { model, offer: name } = modelOfUrlForOfferAdmin(call, url, tx);
      if (modelAccess(call, model.uuid, tx) === 'admin') return;
      findOffer(call, `${model.owner}/${model.name}.${name}`, { needed: 'admin', state: tx });
    },
    change: (tx, access, { 'offer-url': url }) => {
      const { model, offer: name } = modelOfUrlForOfferAdmin(call, url, tx);
      changeOfferAccess(tx, { ...access, model: model.uuid, offer: name });
    },
  });
}

/** An offer's admin need not have access to its model. */
function modelOfUrlForOfferAdmin(call: Call, url: string, state: State): ReturnType<typeof modelOfUrl> {
  try {
    return modelOfUrl(call, url, state);
  } catch (error) {
    if (!hasCode(error, 'not found')) throw error;
    try {
      const { model, offer: found } = findOffer(call, withoutController(url), { needed: 'admin', state });
      return { model, offer: found.name };
    } catch (other) {
      // Users other than the offer's admins do not learn that there is such a model.
      throw other instanceof JujuError ? error : other;
    }
  }
}

function withoutController(url: string): string {
  const { owner, model, offer: name } = parseOfferUrl(url);
  return `${owner === '' ? '' : `${owner}/`}${model}.${name}`;
}

/** Describes offered applications for dashboards. */
async function remoteApplicationInfo(
  call: Call,
  params: ParamsOf<typeof spec, 'RemoteApplicationInfo'>,
): Promise<ResultOf<typeof spec, 'RemoteApplicationInfo'>> {
  return {
    results: await bulk(call, params['offer-urls'], (url) => {
      const found = findOffer(call, url, { needed: 'read' });
      const { 'offer-url': shown, 'source-model-tag': tag } = describeOffer(call, found);
      return {
        result: {
          'model-tag': tag,
          name: found.offer.name,
          description: found.offer.description,
          'offer-url': shown,
          'source-model-label': found.model.name,
          endpoints: endpointsOfOffer(call.read().in(found.model.uuid), found.offer),
          'icon-url-path': `rest/1.0/remote-application/${found.offer.name}/icon`,
        },
      };
    }),
  };
}

/** ApplicationOffers facade. Every method checks each model or offer that it is asked about. */
export const applicationOffers = {
  ApplicationOffers: { needs: 'login', run: applicationOffersOf },
  DestroyOffers: { needs: 'login', run: destroyOffers },
  FindApplicationOffers: { needs: 'login', run: findApplicationOffers },
  GetConsumeDetails: { needs: 'login', run: getConsumeDetails },
  ListApplicationOffers: { needs: 'login', run: listApplicationOffers },
  ModifyOfferAccess: { needs: 'login', run: modifyOfferAccess },
  Offer: { needs: 'login', run: offer },
  RemoteApplicationInfo: { needs: 'login', run: remoteApplicationInfo },
} satisfies FacadeTable<typeof spec>;
