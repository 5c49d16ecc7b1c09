import { createHash } from 'node:crypto';
import { defined } from '../../../core/defined.ts';
import { permissionDenied } from '../../../core/errors.ts';
import { checkLimit, limits } from '../../../core/limits.ts';
import { checksumText } from '../../../core/secret/content.ts';
import { ownerKey, type SecretDoc, type SecretOwner } from '../../../core/secret/document.ts';
import { parseSecretUri } from '../../../core/secret/secret-id.ts';
import { timeLimit } from '../../../kit/clock.ts';
import { sideBySide } from '../../../kit/side-by-side.ts';
import { secretRevisionId, type SecretRevisionDoc } from '../../../core/secret-revision/document.ts';
import { readContentKey } from '../../../core/secret/content-key.ts';
import type { secrets as spec } from '../../../wire/facades/secrets.ts';
import { applicationTag, modelTag, parseTag, unitTag } from '../../../wire/tags.ts';
import type { Call, ParamsOf, ResultOf } from '../../facade.ts';
import { requestsAtOnce, wholeMs } from '../../secret-backends/backend.ts';
import { newestRevision, revisionsOf } from '../../transactions/shared/secrets.ts';
import type { View } from '../../transactions/tx.ts';
import { AnswerSize } from '../shared/answer-size.ts';
import { itemError } from '../shared/bulk.ts';
import { modelAccess } from '../shared/model-access.ts';
import { pauseOf } from '../shared/pause.ts';
import { accessOf } from '../shared/secret-access.ts';
import { contentOf } from '../shared/secret-contents.ts';

type Params = ParamsOf<typeof spec, 'ListSecrets'>;
type Listed = ResultOf<typeof spec, 'ListSecrets'>['results'][number];

/**
 * Lists the model's secrets by the filter. Errors: `unauthorized access` for values, which only admins see; `quota
 * limit exceeded` when the answer would be too long.
 */
export async function listSecrets(call: Call, params: Params): Promise<ResultOf<typeof spec, 'ListSecrets'>> {
  const reveal = params['show-secrets'];
  if (reveal && modelAccess(call, call.modelUuid) !== 'admin') throw permissionDenied();
  const pause = pauseOf(call);
  const size = new AnswerSize();
  const limit = timeLimit(call.services.clock, wholeMs);
  let characters = 0;
  const list = async ({ id }: SecretDoc): Promise<Listed[]> => {
    await pause();
    const view = call.read();
    const secret = view.get('secret', id);
    if (!secret) return [];
    size.add(1 + view.count('secret-revision', 'secret', id) + view.count('secret-grant', 'secret', id));
    size.checkRoom();
    const values = reveal
      ? await readValues(call, view, id, params.filter.revision ?? 0, limit.signal)
      : undefined;
    for (const value of Object.values(values?.value.data ?? {})) characters += value.length;
    checkLimit(limits.secretsOfAnswer, characters);
    const listed = describe(call, view, secret, values);
    size.count(listed);
    return [listed];
  };
  try {
    // Contents are the only part of a secret that is waited for.
    const found = selected(call.read(), params.filter);
    return { results: (await sideBySide(found, reveal ? requestsAtOnce : 1, list)).flat() };
  } finally {
    limit.done();
  }
}

function selected(view: View, filter: Params['filter']): SecretDoc[] {
  const { uri = '', label = '', 'owner-tag': ownerTag = '' } = filter;
  const owner = ownerTag === '' ? undefined : ownerKey(ownerOf(view, ownerTag));
  let found: SecretDoc[];
  if (uri === '')
    found = [...(owner === undefined ? view.list('secret') : view.find('secret', 'owner', owner))];
  else {
    const { id, model = view.space } = parseSecretUri(uri);
    const secret = model === view.space ? view.get('secret', id) : undefined;
    found = secret ? [secret] : [];
  }
  return found.filter(
    (secret) =>
      (label === '' || secret.label === label) && (owner === undefined || ownerKey(secret.owner) === owner),
  );
}

function ownerOf(view: View, text: string): SecretOwner {
  const { kind, id } = parseTag(text);
  if (kind === 'application' || kind === 'unit') return { kind, id };
  if (kind === 'model' && id === view.space) return { kind, id: '' };
  throw permissionDenied();
}

function describe(call: Call, view: View, secret: SecretDoc, values: Values | undefined): Listed {
  const { id, owner, rotate, nextRotate, description, label } = secret;
  const newest = newestRevision(view, id);
  return {
    uri: `secret:${id}`,
    version: 1,
    'owner-tag':
      owner.kind === 'model'
        ? modelTag(view.space)
        : owner.kind === 'unit'
          ? unitTag(owner.id)
          : applicationTag(owner.id),
    ...defined({
      'rotate-policy': owner.kind === 'model' ? undefined : rotate,
      'next-rotate-time': nextRotate,
      description: description || undefined,
      label: label || undefined,
      'latest-expire-time': newest?.expires,
    }),
    'latest-revision': secret.latest,
    'latest-revision-checksum': values?.checksum ?? '',
    'create-time': secret.createdAt,
    'update-time': secret.updatedAt,
    revisions: revisionsOf(view, id).map((one) => ({
      revision: one.revision,
      'create-time': one.createdAt,
      'update-time': one.createdAt,
      ...defined({ 'expire-time': one.expires }),
      'backend-name': backendName(call, one),
    })),
    ...defined({ value: values?.value }),
    access: accessOf(view, secret).map(({ target, scope, role }) => ({
      'target-tag': target,
      'scope-tag': scope,
      role,
    })),
  };
}

interface Values {
  readonly value: NonNullable<Listed['value']>;
  /** Checksum of the newest revision: it tells a reader who guesses the content whether that is right. */
  readonly checksum: string;
}

/** Reads values, for callers who may see contents. `revision`: the one whose value is shown, 0 = the newest. */
async function readValues(
  call: Call,
  view: View,
  id: string,
  revision: number,
  signal: AbortSignal,
): Promise<Values> {
  const latest = newestRevision(view, id)?.revision ?? 0;
  const read = (one: number): Promise<Values['value']> =>
    valueOf(call, { secret: id, revision: one }, signal);
  const shown = revision || latest;
  const value = await read(shown);
  const { data } = shown === latest ? value : await read(latest);
  return { value, checksum: data ? createHash('sha256').update(checksumText(data)).digest('hex') : '' };
}

/** Returns the value, or the backend's error in its place: the secret's other facts are shown all the same. */
async function valueOf(
  call: Call,
  revision: { readonly secret: string; readonly revision: number },
  signal: AbortSignal,
): Promise<Values['value']> {
  try {
    const data = await contentOf(call, revision, signal);
    if (data) return { data };
  } catch (error) {
    return { error: itemError(call, error) };
  }
  const message = `secret revision "${secretRevisionId(revision)}" not found`;
  return { error: { message, code: 'not found' } };
}

function backendName(call: Call, { content }: SecretRevisionDoc): string {
  const { backend } = readContentKey(content);
  if (backend === '') return 'internal';
  return call.read().in('').get('secret-backend', backend)?.name ?? backend;
}
