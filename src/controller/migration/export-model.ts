/** What a model is when it leaves: its own record and access, and the documents of its space. */
import { defined } from '../../core/defined.ts';
import type { Entities, Kind } from '../../core/kinds.ts';
import type { MigrationDoc } from '../../core/migration/document.ts';
import { migrationId } from '../../core/migration/phases.ts';
import { isTakenOver } from '../../core/migration/taken-over.ts';
import { notFound } from '../../core/errors.ts';
import { readContentKey } from '../../core/secret/content-key.ts';
import type { Reader } from '../../store/store.ts';
import type { RequestOf } from '../../wire/facade-spec.ts';
import type { modelArrivals as spec } from '../../wire/facades/model-arrivals.ts';
import type { Services } from '../services.ts';
import { opened } from './clear-text.ts';
import { consumesHere, type LeavingDocument } from './leaving-documents.ts';

type Described = RequestOf<typeof spec, 'Import'>;

/** Length of the texts of documents that are sent together; a longer document goes by itself. */
const textMax = 512 * 1024;

/** Describes the model for the target. Errors: `not found`; `not supported` for a cloud whose models stay. */
export function describeLeaving(
  services: Pick<Services, 'addresses' | 'caCert' | 'environ' | 'sealer' | 'version'>,
  root: Reader<Entities>,
  of: Pick<MigrationDoc, 'attempt' | 'model' | 'target'>,
): Described {
  const model = root.get('model', of.model);
  if (!model) throw notFound('model', of.model);
  const credential = model.credential === '' ? undefined : root.get('credential', model.credential);
  const record = (doc: object): Record<string, unknown> =>
    opened(doc, services.sealer) as Record<string, unknown>;
  const machines = [...root.in(of.model).list('machine')].filter(isTakenOver).length;
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
    machines,
    record: record(model),
    access: [...root.find('access', 'model', of.model)].map(record),
    ...defined({
      credential: credential && record(credential),
      'skip-user-checks': of.target.skipUserChecks,
      'consumes-from': source,
    }),
  };
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
