/** Steps for a bundle's offers: making them, giving access to them, and consuming those of other models. */
import { reaches } from '../access/levels.ts';
import { JujuError } from '../errors.ts';
import { parseEndpointText } from '../relation/key.ts';
import type { Bundle, BundleRelation } from './bundle.ts';
import type { BundleModel } from './bundle-model.ts';
import { ownValue } from './own.ts';
import { ByUser } from '../user/by-user.ts';
import type { BundleStep, OfferStep } from './step.ts';

/**
 * The offers that the model lacks or has with other endpoints, and then the access that it does not give yet. Access
 * that a user has beyond the bundle's stays. Errors: `already exists` (an offer of another application).
 */
export function planOffers({ applications }: Bundle, { state }: Pick<BundleModel, 'state'>): BundleStep[] {
  const owners = new Map(
    Object.entries(state.applications).flatMap(([name, { offers = {} }]) =>
      Object.keys(offers).map((offer) => [offer, name] as const),
    ),
  );
  const offers: OfferStep[] = [];
  const grants: BundleStep[] = [];
  for (const application of Object.keys(applications).sort()) {
    const wanted = ownValue(applications, application)?.offers ?? {};
    for (const offer of Object.keys(wanted).sort()) {
      const owner = owners.get(offer) ?? application;
      if (owner !== application)
        throw new JujuError(
          'already exists',
          `cannot add application offer "${offer}": an offer of application "${owner}" has that name`,
        );
      const { endpoints = [], acl = {} } = ownValue(wanted, offer) ?? {};
      const has = ownValue(ownValue(state.applications, application)?.offers ?? {}, offer);
      if (!has || textOf(has.endpoints) !== textOf(endpoints))
        offers.push({ kind: 'offer', application, offer, endpoints, changes: has !== undefined });
      const held = new ByUser(has?.acl);
      for (const [user, access] of Object.entries(acl).sort(([a], [b]) => (a < b ? -1 : 1)))
        if (!reaches('offer', held.get(user) ?? '', access))
          grants.push({ kind: 'grant', offer, user, access });
    }
  }
  return [...offers, ...grants];
}

function textOf(endpoints: readonly string[]): string {
  return [...new Set(endpoints)].sort().join(' ');
}

/**
 * Consumes offers that the model has not consumed yet, or has consumed by another URL: the controller decides whether
 * that is the same offer.
 */
export function planSaas({ saas = {} }: Bundle, { state, saas: alive }: BundleModel): BundleStep[] {
  return Object.entries(saas)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([name, { url }]): BundleStep[] => {
      if (Object.hasOwn(state.applications, name))
        throw new JujuError(
          'already exists',
          `cannot add saas application "${name}": local application with same name already exists`,
        );
      const isConsumed = Object.hasOwn(alive, name) && ownValue(state.saas ?? {}, name)?.url === url;
      return isConsumed ? [] : [{ kind: 'consume', saas: name, url }];
    });
}

/**
 * Splits relations into those whose endpoints are known and those with a consumed application whose endpoints nobody
 * knows yet, which are made as written.
 */
export function splitRelations(
  { relations, saas = {} }: Bundle,
  known: BundleModel['saas'],
): { readonly known: readonly BundleRelation[]; readonly asWritten: readonly BundleRelation[] } {
  const isUnknown = (end: string): boolean => {
    const { application } = parseEndpointText(end);
    return Object.hasOwn(saas, application) && !Object.hasOwn(known, application);
  };
  return {
    known: relations.filter((ends) => !ends.some(isUnknown)),
    asWritten: relations.filter((ends) => ends.some(isUnknown)),
  };
}
