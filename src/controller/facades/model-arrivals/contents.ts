import { JujuError } from '../../../core/errors.ts';
import type { Entities, Kind } from '../../../core/kinds.ts';
import { checkLimit, limits } from '../../../core/limits.ts';
import { parseJson } from '../../../core/parse-json.ts';
import type { modelArrivals as spec } from '../../../wire/facades/model-arrivals.ts';
import type { Call, ParamsOf, ResultOf } from '../../facade.ts';
import { sealed } from '../../migration/clear-text.ts';
import { isModelKind } from '../../transactions/end/remove-model.ts';
import {
  arrivalOf,
  putArriving,
  putArrivingContent,
  type ArrivingDocument,
} from '../../transactions/remote/arrivals.ts';

type Params<M extends keyof (typeof spec)['methods']> = ParamsOf<typeof spec, M>;
type None = Record<string, never>;

/** Number of documents of one transaction. */
const documentsAtOnce = 500;

export async function importDocuments(call: Call, params: Params<'ImportDocuments'>): Promise<None> {
  const { migration, offset, last } = params;
  arrivalOf(call.read().in(''), params);
  const data = dataOf(params.data);
  const whole = call.services.arrivingTexts.add(migration, { offset, data }, last);
  if (whole === undefined) return {};
  const documents = whole.split('\n').flatMap((line) => (line === '' ? [] : [documentOf(call, line)]));
  for (let first = 0; first < documents.length; first += documentsAtOnce) {
    const batch = documents.slice(first, first + documentsAtOnce);
    try {
      await call.store.change((tx) => putArriving(tx.in(''), params, batch), call.by);
    } catch (error) {
      // The indexes of the store cannot read a document of another shape.
      if (!(error instanceof TypeError)) throw error;
      throw new JujuError('bad request', 'a record of the model has another shape', { cause: error });
    }
  }
  return {};
}

function documentOf(call: Call, line: string): ArrivingDocument {
  const parsed = parsedLine(line);
  const { kind, id, doc } = (typeof parsed === 'object' && parsed !== null ? parsed : {}) as {
    readonly kind?: unknown;
    readonly id?: unknown;
    readonly doc?: unknown;
  };
  if (typeof kind !== 'string' || !isModelKind(kind) || typeof id !== 'string')
    throw new JujuError('bad request', 'a line is no record of a model');
  if (typeof doc !== 'object' || doc === null || Array.isArray(doc))
    throw new JujuError('bad request', `${kind} ${id} has no record`);
  return { kind, id, doc: sealed(doc, call.services.sealer) as Entities[Kind] };
}

function parsedLine(line: string): unknown {
  try {
    return parseJson(line);
  } catch (error) {
    if (error instanceof JujuError) throw error;
    throw new JujuError('bad request', 'a line is no record of a model', { cause: error });
  }
}

export async function importSecrets(call: Call, params: Params<'ImportSecrets'>): Promise<None> {
  const { secretContents } = call.services;
  const space = call.read().in(params.model);
  for (const { revision, content } of params.secrets) {
    arrivalOf(call.read().in(''), params);
    const known = space.get('secret-revision', revision);
    if (!known) throw new JujuError('not found', `secret revision "${revision}" not found`);
    const key = secretContents.arrivedKey(known.content, content);
    await secretContents.using(
      [{ key, content }],
      () => call.store.change((tx) => putArrivingContent(tx.in(''), params, revision, key), call.by),
      (one) => call.read().in(params.model).count('secret-revision', 'content', one) > 0,
    );
  }
  return {};
}

export function missingContents(
  call: Call,
  params: Params<'MissingContents'>,
): ResultOf<typeof spec, 'MissingContents'> {
  arrivalOf(call.read().in(''), params);
  return { contents: params.contents.filter((sha256) => call.services.blobs.path(sha256) === undefined) };
}

export async function importContent(call: Call, params: Params<'ImportContent'>): Promise<None> {
  const { model, sha256, offset, last } = params;
  arrivalOf(call.read().in(''), params);
  if (!/^[0-9a-f]{64}$/.test(sha256)) throw new JujuError('not valid', `"${sha256}" is not a SHA-256 in hex`);
  await call.services.arrivingContents.add({ model, sha256 }, { offset, data: dataOf(params.data) }, last);
  return {};
}

function dataOf(base64: string): Buffer {
  const data = Buffer.from(base64, 'base64');
  checkLimit(limits.arrivingPiece, data.length);
  return data;
}
