/** What a model is when it leaves: its own record and access, and the documents of its space. */
import { defined } from '../../core/defined.ts';
import type { Entities, Kind } from '../../core/kinds.ts';
import type { MigrationDoc } from '../../core/migration/document.ts';
import { migrationId } from '../../core/migration/phases.ts';
import { isTakenOver } from '../../core/migration/taken-over.ts';
import { notFound } from '../../core/errors.ts';
import { sinceOf, type Consents } from '../../core/model/consents.ts';
import type { ModelDoc } from '../../core/model/document.ts';
import { readContentKey } from '../../core/secret/content-key.ts';
import type { Reader, Store } from '../../store/store.ts';
import type { RequestOf } from '../../wire/facade-spec.ts';
import type { modelArrivals as spec } from '../../wire/facades/model-arrivals.ts';
import { goneHosts, hostsOf } from '../transactions/begin/enlist-machine.ts';
import { OfferMacaroons } from '../macaroons/offer-macaroons.ts';
import type { Services } from '../services.ts';
import { opened } from './clear-text.ts';
import { consumesHere, type LeavingDocument } from './leaving-documents.ts';

type Described = RequestOf<typeof spec, 'Import'>;

/** Length of the texts of documents that are sent together; a longer document goes by itself. */
const textMax = 512 * 1024;

interface Needs {
  readonly store: Store<Entities>;
  readonly services: Pick<
    Services,
    'addresses' | 'agentKey' | 'caCert' | 'clock' | 'environ' | 'sealer' | 'version'
  >;
}

/** Describes the model for the target. Errors: `not found`; `not supported` for a cloud whose models stay. */
export function describeLeaving(
  { store, services }: Needs,
  of: Pick<MigrationDoc, 'attempt' | 'model' | 'target'>,
): Described {
  const root = store.read().in('');
  const model = root.get('model', of.model);
  if (!model) throw notFound('model', of.model);
  const credential = model.credential === '' ? undefined : root.get('credential', model.credential);
  const record = (doc: object): Record<string, unknown> =>
    opened(doc, services.sealer) as Record<string, unknown>;
  const all = [...root.in(of.model).list('machine')];
  const { addresses, caCert } = services;
  const source = consumesHere(root.in(of.model))
    ? { addresses: [...addresses], 'ca-cert': caCert }
    : undefined;
  return {
    model: of.model,
    migration: migrationId(of),
    from: root.get('controller', 'self')?.uuid ?? '',
    'cloud-type': root.get('cloud', model.cloud)?.type ?? '',
    version: services.version,
    ticket: services.environ(of.model, root).migration?.ticket ?? '',
    machines: all.filter(isTakenOver).length,
    hosts: hostsOf(all),
    'gone-hosts': goneHosts(root, of.model).map(record),
    record: record({ ...model, ...defined({ consents: consentsTo({ store, services }, model) }) }),
    access: [...root.find('access', 'model', of.model)].map(record),
    'offer-access': [...root.find('offer-access', 'model', of.model)].map(record),
    consumers: consumersOf(root.in(of.model)),
    ...defined({
      credential: credential && record(credential),
      'skip-user-checks': of.target.skipUserChecks,
      'consumes-from': source,
    }),
  };
}

/** Consents to the model's offers, as they will count where it goes; undefined when nobody can have given any. */
function consentsTo({ store, services }: Needs, { uuid, consents }: ModelDoc): Consents | undefined {
  const root = store.read().in('');
  if (!consents && root.in(uuid).count('offer') === 0) return undefined;
  const key = Buffer.from(new OfferMacaroons({ store, services }).rootKeyOf(uuid)).toString('base64');
  const users = (['access', 'offer-access'] as const).flatMap((kind) =>
    [...root.find(kind, 'model', uuid)].map(({ user }) => user),
  );
  return { key: services.sealer.seal(key), since: sinceOf(root, users, consents) };
}

/** Users who have relations by offers of the model, once for each offer. */
function consumersOf(view: Reader<Entities>): NonNullable<Described['consumers']> {
  const found = new Map<string, NonNullable<Described['consumers']>[number]>();
  for (const { remote } of view.find('relation', 'remote', 'offered')) {
    const { user, offer: name } = remote!.offered!;
    const offer = view.get('offer', name)?.uuid;
    if (offer !== undefined) found.set(`${offer} ${user}`, { user, offer, name });
  }
  return [...found.values()];
}

/** Documents of a model's space, as texts of lines: kind, id and document of each. */
export function* textsOfDocuments(
  documents: Iterable<LeavingDocument>,
  sealer: Services['sealer'],
): Generator<string, void> {
  let lines: string[] = [];
  let length = 0;
  for (const { kind, id, doc } of documents) {
    const line = JSON.stringify({ kind, id, doc: opened(doc, sealer) });
    if (length > 0 && length + line.length > textMax) {
      yield lines.join('\n');
      [lines, length] = [[], 0];
    }
    lines.push(line);
    length += line.length;
  }
  if (lines.length > 0) yield lines.join('\n');
}

/** The revisions of secrets, with the key of each one's content. */
export function secretsOf(view: Reader<Entities>): { readonly revision: string; readonly key: string }[] {
  return [...view.list('secret-revision')]
    .filter(({ content }) => readContentKey(content).backend === '')
    .map(({ secret, revision, content }) => ({ revision: `${secret}/${revision}`, key: content }));
}

/** SHA-256 of the archives of charms and contents of resources that the model refers to. */
export function contentsOf(view: Reader<Entities>): readonly string[] {
  const found = new Set<string>();
  for (const kind of ['charm', 'resource'] as const satisfies readonly Kind[])
    for (const { sha256 } of view.list(kind)) if (sha256 !== '') found.add(sha256);
  for (const { rollout } of view.list('application'))
    for (const { sha256 } of rollout?.before.resources ?? []) if (sha256 !== '') found.add(sha256);
  return [...found];
}
