/** Offers of a model, and what it has consumed (offers.md#counts). */
import { defined } from '../../../../core/defined.ts';
import type { RelationDoc } from '../../../../core/relation/document.ts';
import { localEnd, remoteEnd } from '../../../../core/relation/ends.ts';
import type { RemoteApplicationDoc } from '../../../../core/remote-application/document.ts';
import type { OfferStatus, RemoteApplicationStatus } from '../../../../wire/facades/client.ts';
import { endpointsOfOffer } from '../../shared/offer-endpoints.ts';
import { connectionCounts } from '../../../relation-status.ts';
import { detailed } from './detailed.ts';
import type { Selection } from './filter.ts';
import type { StatusScope } from './scope.ts';

/** SAAS applications; in a selection, those that its applications are related with. Proxies are not shown. */
export async function remoteApplicationStatuses(
  scope: StatusScope,
  selection: Selection | undefined,
): Promise<Record<string, RemoteApplicationStatus>> {
  const statuses: Record<string, RemoteApplicationStatus> = {};
  for (const remote of scope.view.find('remote-application', 'saas', 'saas')) {
    await scope.pause();
    const relations = [...scope.view.find('relation', 'application', remote.name)];
    if (selection && !relations.some((one) => selection.applications.has(localEnd(one).application)))
      continue;
    statuses[remote.name] = scope.details.of(remoteApplicationStatus(remote, relations));
  }
  return statuses;
}

function remoteApplicationStatus(
  { name, endpoints, saas, ending }: RemoteApplicationDoc,
  found: readonly RelationDoc[],
): RemoteApplicationStatus {
  const relations: Record<string, string[]> = {};
  for (const relation of found) {
    const names = (relations[remoteEnd(relation)?.name ?? ''] ??= []);
    const { application } = localEnd(relation);
    if (!names.includes(application)) names.push(application);
  }
  for (const names of Object.values(relations)) names.sort();
  return {
    'offer-url': saas?.url ?? '',
    ...defined({ 'offer-uuid': saas?.offerUuid }),
    'offer-name': name,
    endpoints,
    life: ending ? 'dying' : '',
    relations,
    status: detailed(saas?.status ?? { status: 'unknown', message: '', since: '' }),
  };
}

/** Offers, for admins of the model; in a selection, those of its applications. */
export async function offerStatuses(
  scope: StatusScope,
  selection: Selection | undefined,
): Promise<Record<string, OfferStatus>> {
  const statuses: Record<string, OfferStatus> = {};
  if (!scope.showsOffers) return statuses;
  for (const offer of scope.view.list('offer')) {
    await scope.pause();
    if (selection && !selection.applications.has(offer.application)) continue;
    statuses[offer.name] = scope.details.of({
      'offer-name': offer.name,
      'application-name': offer.application,
      charm: scope.view.get('application', offer.application)?.charmUrl ?? '',
      endpoints: Object.fromEntries(endpointsOfOffer(scope.view, offer).map((one) => [one.name, one])),
      ...connectionCounts(scope.view, offer.name),
    });
  }
  return statuses;
}
