import { createHash } from 'node:crypto';
import { defined } from '../../../core/defined.ts';
import { permissionDenied } from '../../../core/errors.ts';
import { checkLimit, limits } from '../../../core/limits.ts';
import { checksumText } from '../../../core/secret/content.ts';
import { ownerKey, type SecretDoc, type SecretOwner } from '../../../core/secret/document.ts';
import { parseSecretUri } from '../../../core/secret/secret-id.ts';
import { secretRevisionId, type SecretRevisionDoc } from '../../../core/secret-revision/document.ts';
import { readContentKey } from '../../../core/secret/content-key.ts';
import type { secrets as spec } from '../../../wire/facades/secrets.ts';
import { applicationTag, modelTag, parseTag, unitTag } from '../../../wire/tags.ts';
import type { Call, ParamsOf, ResultOf } from '../../facade.ts';
import { newestRevision, revisionsOf } from '../../transactions/secrets.ts';
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
 * Lists the model's secrets by the filter. Errors: `unauthorized access` for values, which only admins see; `quota limit
 * exceeded` when the answer would be too long.
 */
export async function listSecrets(call: Call, params: Params): Promise<ResultOf<typeof spec, 'ListSecrets'>> {
  const reveal = params['show-secrets'];
  if (reveal && modelAccess(call, call.modelUuid) !== 'admin') throw permissionDenied();
  const results: Listed[] = [];
  const pause = pauseOf(call);
  const size = new AnswerSize();
  let characters = 0;
  for (const { id } of selected(call.read(), params.filter)) {
    await pause();
    const view = call.read();
    const secret = view.get('secret', id);
    if (!secret) continue;
    size.add(1 + view.count('secret-revision', 'secret', id) + view.count('secret-grant', 'secret', id));
    const listed = await describe(call, view, secret, reveal ? (params.filter.revision ?? 0) : undefined);
    for (const value of Object.values(listed.value?.data ?? {})) characters += value.length;
    checkLimit(limits.secretsOfAnswer, characters);
    results.push(listed);
  }
  return { results };
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

/** `revision`: the one whose value is shown, 0 = the newest; undefined = none. */
async function describe(
  call: Call,
  view: View,
  secret: SecretDoc,
  revision: number | undefined,
): Promise<Listed> {
  const { id, owner, rotate, nextRotate, description, label } = secret;
  const newest = newestRevision(view, id);
  const value = revision === undefined ? undefined : await valueOf(call, id, revision || newest?.revision);
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
    'latest-revision-checksum': revision === undefined ? '' : await checksumOf(call, newest),
    'create-time': secret.createdAt,
    'update-time': secret.updatedAt,
    revisions: revisionsOf(view, id).map((one) => ({
      revision: one.revision,
      'create-time': one.createdAt,
      'update-time': one.createdAt,
      ...defined({ 'expire-time': one.expires }),
      'backend-name': backendName(call, one),
    })),
    ...defined({ value }),
    access: accessOf(view, secret).map(({ target, scope, role }) => ({
      'target-tag': target,
      'scope-tag': scope,
      role,
    })),
  };
}

/** An error of the backend is the value's: what is known of the secret is shown beside it. */
async function valueOf(call: Call, id: string, revision = 0): Promise<Listed['value']> {
  try {
    const data = await contentOf(call, { secret: id, revision });
    if (data) return { data };
  } catch (error) {
    return { error: itemError(call, error) };
  }
  const message = `secret revision "${secretRevisionId({ secret: id, revision })}" not found`;
  return { error: { message, code: 'not found' } };
}

/** A checksum tells who can guess a content that it is right, so only those get it who see the content. */
async function checksumOf(call: Call, revision: SecretRevisionDoc | undefined): Promise<string> {
  const content = revision && (await contentOf(call, revision).catch(() => undefined));
  return content ? createHash('sha256').update(checksumText(content)).digest('hex') : '';
}

function backendName(call: Call, { content }: SecretRevisionDoc): string {
  const { backend } = readContentKey(content);
  if (backend === '') return 'internal';
  return call.read().in('').get('secret-backend', backend)?.name ?? backend;
}
