/**
 * Documents of a model as the controller that it goes to gets them: what the model has consumed of this controller is
 * another controller's there (migration.md#consumed-applications).
 */
import type { ExternalControllerDoc } from '../../core/external-controller/document.ts';
import type { Entities, Kind } from '../../core/kinds.ts';
import type { RelationDoc } from '../../core/relation/document.ts';
import type { RemoteApplicationDoc } from '../../core/remote-application/document.ts';
import { movedTo, relationMoved, type MintRight } from '../../core/remote-application/moved.ts';
import type { Reader, Store } from '../../store/store.ts';
import type { Services } from '../services.ts';
import { countDocuments, documentsOf } from '../transactions/end/remove-model.ts';
import { rights } from './rights.ts';

interface Needs {
  readonly store: Store<Entities>;
  readonly services: Pick<Services, 'addresses' | 'agentKey' | 'caCert' | 'clock' | 'sealer'>;
}

export interface LeavingDocument {
  readonly kind: Kind;
  readonly id: string;
  readonly doc: Entities[Kind];
}

/** Kind whose documents are about files of the past, which stay with it. */
const stays = 'past-blob';

export function* leavingDocuments(needs: Needs, model: string): Generator<LeavingDocument, void> {
  const view = needs.store.read().in(model);
  const abroad = new Abroad(needs, view);
  for (const { kind, id } of documentsOf(view)) {
    const doc = view.get(kind, id);
    if (doc && kind !== stays) yield { kind, id, doc: abroad.of(kind, doc) };
  }
  if (needsOwnRecord(view)) {
    const { uuid } = abroad.self;
    yield { kind: 'external-controller', id: uuid, doc: abroad.self };
  }
}

/** Number of documents that leavingDocuments returns. */
export function countLeaving(view: Reader<Entities>): number {
  return countDocuments(view) - view.count(stays) + (needsOwnRecord(view) ? 1 : 0);
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

/** This controller, as others know it. */
function ownRecord({ store, services: { addresses, caCert } }: Needs): ExternalControllerDoc {
  const { uuid = '', name = '' } = store.read().in('').get('controller', 'self') ?? {};
  return { uuid, alias: name, addresses, caCert };
}

/** Documents as seen from another controller. */
class Abroad {
  readonly #view: Reader<Entities>;
  readonly #mint: MintRight;
  readonly self: ExternalControllerDoc;

  constructor(needs: Needs, view: Reader<Entities>) {
    this.#view = view;
    this.#mint = rights(needs);
    this.self = ownRecord(needs);
  }

  of(kind: Kind, doc: Entities[Kind]): Entities[Kind] {
    // Only this controller itself says how it is reached.
    if (kind === 'external-controller' && (doc as ExternalControllerDoc).uuid === this.self.uuid)
      return this.self;
    if (kind === 'remote-application') return this.#remote(doc as RemoteApplicationDoc);
    return kind === 'relation' ? this.#relation(doc as RelationDoc) : doc;
  }

  #remote(doc: RemoteApplicationDoc): RemoteApplicationDoc {
    return isHere(this.#view, doc) ? movedTo(doc, this.self, this.#mint) : doc;
  }

  #relation(doc: RelationDoc): RelationDoc {
    const of = this.#view.get('remote-application', doc.remote?.application ?? '');
    return of && isHere(this.#view, of) ? relationMoved(doc, of, this.#mint) : doc;
  }
}
