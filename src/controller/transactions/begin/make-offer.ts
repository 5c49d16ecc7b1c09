import { endpointsOf } from '../../../core/charm/metadata.ts';
import { JujuError } from '../../../core/errors.ts';
import { checkLimit, limits } from '../../../core/limits.ts';
import { isApplicationName } from '../../../core/names.ts';
import { offerAccessId } from '../../../core/offer-access/document.ts';
import type { OfferDoc } from '../../../core/offer/document.ts';
import { refusalToOffer } from '../../../core/offer/may-offer.ts';
import { localEnd } from '../../../core/relation/ends.ts';
import { mustGetUser } from '../set/set-user.ts';
import { aliveModel, missing, mustGet, type Tx } from '../tx.ts';

/**
 * offer: makes an offer of endpoints of an application, or changes the offer of that name. `owner` is its admin.
 * Errors: `not valid` (name), `not found` (application, endpoint), `user not found` (owner), `already exists` (an offer
 * of another application), `quota limit exceeded`, '' (an endpoint in use that would go; dying model).
 */
export function makeOffer(
  tx: Tx,
  args: {
    readonly name: string;
    readonly application: string;
    /** Name in the offer → the application's endpoint. */
    readonly endpoints: Readonly<Record<string, string>>;
    /** Description of the offer; '' = the charm's. */
    readonly description: string;
    readonly owner: string;
  },
): OfferDoc {
  const { name, application: of, endpoints, owner } = args;
  const refuse = (why: string, code: JujuError['code'] = ''): JujuError =>
    new JujuError(code, `cannot add application offer "${name}": ${why}`);
  aliveModel(tx);
  const application = tx.get('application', of);
  if (application?.life !== 'alive')
    throw new JujuError(
      'not found',
      `cannot add application offer "${name}": getting offered application ${of}: ${missing(tx, 'application', of).message}`,
    );
  if (!isApplicationName(name)) throw refuse(`invalid offer name "${name}"`, 'not valid');
  const { meta } = mustGet(tx, 'charm', application.charmUrl);
  const known = endpointsOf(meta);
  if (Object.keys(endpoints).length === 0) throw refuse('no endpoints were named', 'not valid');
  for (const [alias, endpoint] of Object.entries(endpoints)) {
    checkLimit(limits.recordId, alias.length, 'name of an endpoint in the offer');
    const found = Object.hasOwn(known, endpoint) ? known[endpoint] : undefined;
    const why = refusalToOffer(of, endpoint, found);
    if (why !== undefined) throw refuse(why, found ? 'not valid' : 'not found');
  }
  const existing = tx.get('offer', name);
  if (existing && existing.application !== of)
    throw refuse(`an offer of application "${existing.application}" has that name`, 'already exists');
  if (existing) checkUsedStay(tx, existing, endpoints);
  const description = args.description || (existing?.description ?? meta.description);
  const offer: OfferDoc = existing
    ? { ...existing, endpoints, description }
    : { name, uuid: tx.newUuid(), application: of, endpoints, description, createdAt: tx.now };
  tx.put('offer', name, offer);
  if (existing) return offer;
  const root = tx.in('');
  const access = { user: mustGetUser(root, owner).name, offer: offer.uuid, model: tx.space };
  root.put('offer-access', offerAccessId(access), { ...access, access: 'admin' });
  return offer;
}

function checkUsedStay(tx: Tx, offer: OfferDoc, endpoints: OfferDoc['endpoints']): void {
  const kept = new Set(Object.values(endpoints));
  for (const relation of tx.find('relation', 'offer', offer.name)) {
    const { name } = localEnd(relation);
    if (!kept.has(name))
      throw new JujuError(
        '',
        `updating offer ${offer.application}:${offer.name} would remove endpoint "${name}" which has active consumers`,
      );
  }
}
