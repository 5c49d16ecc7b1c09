/** Sends a model to the controller that it goes to; everything may be sent again. */
import type { Entities } from '../../core/kinds.ts';
import { limits } from '../../core/limits.ts';
import type { MigrationDoc } from '../../core/migration/document.ts';
import { migrationId } from '../../core/migration/phases.ts';
import type { Store } from '../../store/store.ts';
import type { Services } from '../services.ts';
import { contentsOf, describeLeaving, secretsOf, textsOfDocuments } from './export-model.ts';
import { leavingDocuments } from './leaving-documents.ts';
import type { MigrationTarget } from './target.ts';

interface SendNeeds {
  readonly store: Store<Entities>;
  readonly services: Pick<
    Services,
    | 'addresses'
    | 'agentKey'
    | 'blobs'
    | 'caCert'
    | 'clock'
    | 'environ'
    | 'nextTurn'
    | 'sealer'
    | 'secretContents'
    | 'version'
  >;
}

/** Number of secrets of one request: each content may be a megabyte. */
const secretsAtOnce = 4;
const contentsAtOnce = 1_000;
const pieceMax = limits.arrivingPiece.max;

/** Sends everything. Errors: those of the target; a plain Error when a content is lost here. */
export async function sendModel(needs: SendNeeds, doc: MigrationDoc, target: MigrationTarget): Promise<void> {
  const { services } = needs;
  const of = { model: doc.model, migration: migrationId(doc) };
  await target.call('Import', describeLeaving(needs, doc));
  for (const text of textsOfDocuments(leavingDocuments(needs, doc.model), services.sealer)) {
    const bytes = Buffer.from(text);
    for (const piece of piecesOf(bytes)) await target.call('ImportDocuments', { ...of, ...piece });
    await new Promise<void>((resolve) => services.nextTurn(resolve));
  }
  await sendSecrets(needs, of, target);
  await sendContents(needs, of, target);
}

interface Of {
  readonly model: string;
  readonly migration: string;
}

async function sendSecrets({ store, services }: SendNeeds, of: Of, target: MigrationTarget): Promise<void> {
  const secrets = secretsOf(store.read().in(of.model));
  for (let first = 0; first < secrets.length; first += secretsAtOnce) {
    const batch = secrets.slice(first, first + secretsAtOnce).map(async ({ revision, key }) => {
      const content = await services.secretContents.get(key);
      if (!content) throw new Error(`the content of secret revision ${revision} is lost`);
      return { revision, content: { ...content } };
    });
    await target.call('ImportSecrets', { ...of, secrets: await Promise.all(batch) });
  }
}

async function sendContents({ store, services }: SendNeeds, of: Of, target: MigrationTarget): Promise<void> {
  const all = contentsOf(store.read().in(of.model));
  for (let first = 0; first < all.length; first += contentsAtOnce) {
    const { contents } = await target.call('MissingContents', {
      ...of,
      contents: all.slice(first, first + contentsAtOnce),
    });
    for (const sha256 of contents)
      for await (const piece of readPieces(services.blobs, sha256))
        await target.call('ImportContent', { ...of, sha256, ...piece });
  }
}

interface Piece {
  readonly offset: number;
  readonly data: string;
  readonly last: boolean;
}

function* piecesOf(bytes: Buffer): Generator<Piece> {
  for (let offset = 0; offset === 0 || offset < bytes.length; offset += pieceMax) {
    const end = offset + pieceMax;
    yield { offset, data: bytes.subarray(offset, end).toString('base64'), last: end >= bytes.length };
  }
}

/** Pieces of a content, of which one at a time is in memory. */
async function* readPieces(blobs: Services['blobs'], sha256: string): AsyncGenerator<Piece> {
  for (let offset = 0, last = false; !last; offset += pieceMax) {
    const data = await blobs.readPart(sha256, offset, pieceMax);
    last = data.length < pieceMax;
    yield { offset, data: data.toString('base64'), last };
  }
}
