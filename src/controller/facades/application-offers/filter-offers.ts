import { JujuError, permissionDenied } from '../../../core/errors.ts';
import type { ModelDoc } from '../../../core/model/document.ts';
import { userId } from '../../../core/user/document.ts';
import type { z } from 'zod';
import type {
  applicationOffers as spec,
  OfferDetails,
  offerFilter,
} from '../../../wire/facades/application-offers.ts';
import type { Call, ParamsOf, ResultOf } from '../../facade.ts';
import { AnswerSize } from '../shared/answer-size.ts';
import { modelAccess } from '../shared/model-access.ts';
import { pauseOf } from '../shared/pause.ts';
import { endpointsOfOffer } from '../shared/offer-endpoints.ts';
import { describeOffer } from './describe-offer.ts';
import { modelNamed, withLevel, type FoundOffer } from './find-offer.ts';

type Filter = z.output<typeof offerFilter>;

/** Lists offers of models, for their admins. Errors: `not found`; `unauthorized access`. */
export function listApplicationOffers(
  call: Call,
  { Filters: filters }: ParamsOf<typeof spec, 'ListApplicationOffers'>,
): Promise<ResultOf<typeof spec, 'ListApplicationOffers'>> {
  checkFilters(filters);
  return search(call, filters, {
    models: ({ 'owner-name': owner, 'model-name': name }) => {
      const model = modelNamed(call, owner, name);
      if (!model || modelAccess(call, model.uuid) !== 'admin') throw permissionDenied();
      return [model];
    },
    shows: () => true,
  });
}

/** Finds offers that the caller may read: of all models when the only filter names none, else of named ones. */
export function findApplicationOffers(
  call: Call,
  { Filters: filters }: ParamsOf<typeof spec, 'FindApplicationOffers'>,
): Promise<ResultOf<typeof spec, 'FindApplicationOffers'>> {
  if (filters.length !== 1) checkFilters(filters);
  return search(call, filters, {
    models: ({ 'owner-name': owner, 'model-name': name }) => {
      if (name === '')
        return [...call.read().in('').list('model')].filter((model) => owner === '' || model.owner === owner);
      const model = modelNamed(call, owner, name);
      return model ? [model] : [];
    },
    shows: ({ level }) => level !== '',
  });
}

function checkFilters(filters: readonly Filter[]): void {
  if (filters.length === 0) throw new JujuError('', 'at least one offer filter is required');
  if (filters.some(({ 'model-name': model }) => model === ''))
    throw new JujuError('', 'application offer filter must specify a model name');
}

async function search(
  call: Call,
  filters: readonly Filter[],
  {
    models,
    shows,
  }: { readonly models: (filter: Filter) => ModelDoc[]; readonly shows: (offer: FoundOffer) => boolean },
): Promise<{ results: OfferDetails[] }> {
  const pause = pauseOf(call);
  const size = new AnswerSize();
  const results = new Map<string, OfferDetails>();
  for (const filter of filters)
    for (const model of models(filter))
      for (const offer of call.read().in(model.uuid).list('offer')) {
        await pause();
        if (results.has(offer.uuid)) continue;
        const found = withLevel(call, model, offer);
        if (!shows(found) || !matches(call, filter, found)) continue;
        const details = describeOffer(call, found);
        size.checkRoom();
        size.count(details);
        results.set(offer.uuid, details);
      }
  return { results: [...results.values()] };
}

function matches(call: Call, filter: Filter, { model, offer }: FoundOffer): boolean {
  const view = call.read().in(model.uuid);
  const named = filter['offer-name'];
  if (named !== '' && named !== offer.name) return false;
  if (filter['application-name'] !== '' && filter['application-name'] !== offer.application) return false;
  if (!offer.description.includes(filter['application-description'])) return false;
  const users = [
    ...filter['allowed-users'],
    ...(filter['application-user'] ? [filter['application-user']] : []),
  ];
  const root = call.read().in('');
  if (
    users.length > 0 &&
    !users.some((user) => {
      const doc = root.get('user', userId(user));
      return doc && withLevel(call, model, offer, { user: doc }).level !== '';
    })
  )
    return false;
  const connected = new Set(filter['connected-users']);
  if (
    connected.size > 0 &&
    ![...view.find('relation', 'offer', offer.name)].some(({ remote }) =>
      connected.has(remote?.offered?.user ?? ''),
    )
  )
    return false;
  if (filter.endpoints.length === 0) return true;
  return endpointsOfOffer(view, offer).some((endpoint) =>
    filter.endpoints.some(
      (wanted) =>
        (wanted.name === '' || wanted.name === endpoint.name) &&
        (wanted.role === '' || wanted.role === endpoint.role) &&
        (wanted.interface === '' || wanted.interface === endpoint.interface),
    ),
  );
}
