/**
 * Documents of a model as the controller that it goes to gets them: what the model has consumed of this controller is
 * another controller's there (migration.md#consumed-applications).
 */
import type { ExternalControllerDoc } from '../../core/external-controller/document.ts';
import type { Entities, Kind } from '../../core/kinds.ts';
import type { RelationDoc } from '../../core/relation/document.ts';
import type { RemoteApplicationDoc, Saas } from '../../core/remote-application/document.ts';
import { formatOfferUrl, parseOfferUrl } from '../../core/offer/url.ts';
import { macaroonToJson } from '../../kit/macaroon/encode.ts';
import type { Reader, Store } from '../../store/store.ts';
import { OfferMacaroons, type Consent } from '../macaroons/offer-macaroons.ts';
import type { Services } from '../services.ts';
import { countDocuments, documentsOf } from '../transactions/end/remove-model.ts';

interface Needs {
  readonly store: Store<Entities>;
  readonly services: Pick<Services, 'addresses' | 'agentKey' | 'caCert' | 'clock' | 'sealer'>;
}

export interface LeavingDocument {
  readonly kind: Kind;
  readonly id: string;
  readonly doc: Entities[Kind];
}

export function* leavingDocuments(needs: Needs, model: string): Generator<LeavingDocument, void> {
  const view = needs.store.read().in(model);
  const abroad = new Abroad(needs, view);
  for (const { kind, id } of documentsOf(view)) {
    const doc = view.get(kind, id);
    if (doc) yield { kind, id, doc: abroad.of(kind, doc) };
  }
  if (needsOwnRecord(view)) {
    const { uuid } = abroad.self;
    yield { kind: 'external-controller', id: uuid, doc: abroad.self };
  }
}

/** Number of documents that leavingDocuments returns. */
export function countLeaving(view: Reader<Entities>): number {
  return countDocuments(view) + (needsOwnRecord(view) ? 1 : 0);
}

/** Whether the model has consumed an offer of another model of this controller. */
export function consumesHere(view: Reader<Entities>): boolean {
  for (const remote of view.find('remote-application', 'saas', 'saas')) if (isHere(view, remote)) return true;
  return false;
}

/** Whether the model will need a record of this controller where it goes. */
function needsOwnRecord(view: Reader<Entities>): boolean {
  const uuid = view.in('').get('controller', 'self')?.uuid ?? '';
  return consumesHere(view) && !view.get('external-controller', uuid);
}

function isHere(view: Reader<Entities>, { saas, model }: RemoteApplicationDoc): boolean {
  return saas !== undefined && !saas.elsewhere && model !== view.space;
}

/** Documents as seen from another controller. */
class Abroad {
  readonly #needs: Needs;
  readonly #view: Reader<Entities>;
  readonly #macaroons: OfferMacaroons;
  /** This controller, as another one knows it. */
  readonly self: ExternalControllerDoc;

  constructor(needs: Needs, view: Reader<Entities>) {
    this.#needs = needs;
    this.#view = view;
    this.#macaroons = new OfferMacaroons(needs);
    const { uuid = '', name = '' } = view.in('').get('controller', 'self') ?? {};
    const { addresses, caCert } = needs.services;
    this.self = { uuid, alias: name, addresses, caCert };
  }

  of(kind: Kind, doc: Entities[Kind]): Entities[Kind] {
    if (kind === 'remote-application') return this.#remote(doc as RemoteApplicationDoc);
    return kind === 'relation' ? this.#relation(doc as RelationDoc) : doc;
  }

  #remote(doc: RemoteApplicationDoc): RemoteApplicationDoc {
    const { saas } = doc;
    if (!saas || !isHere(this.#view, doc)) return doc;
    const macaroon = this.#mint(doc.model, saas);
    const url = formatOfferUrl({ ...parseOfferUrl(saas.url), controller: this.self.alias });
    return { ...doc, saas: { ...saas, url, elsewhere: { controller: this.self.uuid, macaroon } } };
  }

  #relation(doc: RelationDoc): RelationDoc {
    const { remote } = doc;
    if (!remote?.consumed || remote.consumed.state === 'new') return doc;
    const of = this.#view.get('remote-application', remote.application);
    if (!of?.saas || !isHere(this.#view, of)) return doc;
    const macaroon = this.#mint(of.model, of.saas, remote.token);
    return { ...doc, remote: { ...remote, consumed: { ...remote.consumed, macaroon } } };
  }

  /** The right to an offer, or to one relation, in the name of the user who has consumed the offer; sealed. */
  #mint(model: string, { user, offerUuid }: Saas, relation?: string): string {
    const { clock, sealer } = this.#needs.services;
    const consent: Consent = { user, since: clock.now(), offer: offerUuid, model };
    const macaroon = this.#macaroons.mint(relation === undefined ? consent : { ...consent, relation });
    return sealer.seal(JSON.stringify(macaroonToJson(macaroon)));
  }
}
