/** Relations that calls from another controller name, and whether the calls' macaroons allow that. */
import { JujuError } from '../../../core/errors.ts';
import type { Offered, RelationDoc } from '../../../core/relation/document.ts';
import type { Call } from '../../facade.ts';
import type { Consent, Shown } from '../../macaroons/offer-macaroons.ts';
import { localModel, type OfferingModel } from '../../offering-model.ts';
import type { View } from '../../transactions/tx.ts';

/** Members of every item. */
export interface Proof {
  readonly macaroons: unknown;
  readonly 'bakery-version'?: number;
}

export interface OfferedRelation {
  readonly relation: RelationDoc;
  readonly offered: Offered;
  readonly token: string;
}

export const viewOf = (call: Call): View => call.read().in(call.modelUuid);

/** The model of the call, by the contract that everything between models goes through. */
export const modelOf = ({ store, services, modelUuid }: Call): OfferingModel =>
  localModel(store, services, modelUuid);

export function shownBy({ host }: Call, { macaroons, 'bakery-version': bakeryVersion = 0 }: Proof): Shown {
  return { macaroons, bakeryVersion, host };
}

/** The offering side of a relation, by its token; undefined when there is none. */
export function findRelation(call: Call, token: string): OfferedRelation | undefined {
  for (const relation of viewOf(call).find('relation', 'token', token)) {
    const { offered } = relation.remote ?? {};
    if (offered) return { relation, offered, token };
  }
  return undefined;
}

/**
 * The relation that an item names, if its macaroons allow it. Errors: `not found`; those of OfferMacaroons.check.
 */
export function allowedRelation(
  call: Call,
  item: Proof & { readonly 'relation-token': string },
): OfferedRelation & { readonly consent: Consent } {
  const token = item['relation-token'];
  const found = findRelation(call, token);
  if (!found) throw new JujuError('not found', `relation "${token.slice(0, 100)}" not found`);
  return { ...found, consent: checkRelation(call, token, item) };
}

export function checkRelation(call: Call, token: string, item: Proof): Consent {
  return call.offerMacaroons.check(shownBy(call, item), { model: call.modelUuid, relation: token });
}
