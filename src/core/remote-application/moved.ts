/** What was consumed, once its model is on another controller than it was (migration.md#consumers-follow). */
import type { ExternalControllerDoc } from '../external-controller/document.ts';
import { formatOfferUrl, parseOfferUrl } from '../offer/url.ts';
import type { RelationDoc } from '../relation/document.ts';
import type { RemoteApplicationDoc, Saas } from './document.ts';

/** Makes the right to an offer, or to one relation, in the name of the user who has consumed it; sealed. */
export type MintRight = (model: string, saas: Pick<Saas, 'offerUuid' | 'user'>, relation?: string) => string;

/**
 * The consumed application as one of the controller that its model is on now. One that was this controller's gets a
 * macaroon, which it did not need before.
 */
export function movedTo(
  doc: RemoteApplicationDoc,
  { uuid, alias }: Pick<ExternalControllerDoc, 'alias' | 'uuid'>,
  mint: MintRight,
): RemoteApplicationDoc {
  const { saas, model } = doc;
  if (!saas) return doc;
  const macaroon = saas.elsewhere?.macaroon ?? mint(model, saas);
  const url = formatOfferUrl({ ...parseOfferUrl(saas.url), controller: alias });
  return { ...doc, saas: { ...saas, url, elsewhere: { controller: uuid, macaroon } } };
}

/** A relation with the application `of`: it needs a macaroon where that is no longer this controller's. */
export function relationMoved(doc: RelationDoc, of: RemoteApplicationDoc, mint: MintRight): RelationDoc {
  const { remote } = doc;
  if (!remote?.consumed || remote.consumed.state === 'new' || !of.saas || of.saas.elsewhere) return doc;
  const macaroon = mint(of.model, of.saas, remote.token);
  return { ...doc, remote: { ...remote, consumed: { ...remote.consumed, macaroon } } };
}
