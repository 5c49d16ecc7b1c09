import { isExternal, userId } from '../../../core/user/document.ts';
import { activeUser } from '../../../core/access/access-of.ts';
import { exportBundle } from '../../../core/bundle/export-bundle.ts';
import { formatBundle } from '../../../core/bundle/format-bundle.ts';
import { JujuError } from '../../../core/errors.ts';
import { compareNames } from '../../../core/names.ts';
import { secretRevisionId } from '../../../core/secret-revision/document.ts';
import { ownerKey } from '../../../core/secret/document.ts';
import { toYaml } from '../../../kit/yaml/write.ts';
import type { modelFiles as spec } from '../../../wire/facades/model-files.ts';
import type { Entities } from '../../../core/kinds.ts';
import { ValueGone } from '../../../core/value-gone.ts';
import { parseTag } from '../../../wire/tags.ts';
import type { Call, ParamsOf, ResultOf } from '../../facade.ts';
import { newestRevision } from '../../transactions/shared/secrets.ts';
import type { View } from '../../transactions/tx.ts';
import { charmInfoOf } from '../charms/charm-info.ts';
import { getModelConstraints } from '../model-config/get-model-constraints.ts';
import { modelGet } from '../model-config/model-get.ts';
import { AnswerSize } from '../shared/answer-size.ts';
import { pastOfModel } from '../shared/past-revision.ts';
import { accessOf } from '../shared/secret-access.ts';
import { usersOfModel } from '../shared/users-of-model.ts';

type Past = ResultOf<typeof spec, 'Past'>;

/** The model then, and the model now. */
interface Views {
  readonly past: View;
  readonly now: View;
}

/**
 * Returns what the model was at a moment. Errors: those of pastOfModel; `not found` when a long value of it is no
 * longer kept, with whose it was; `quota limit exceeded`.
 */
export async function pastModel(call: Call, params: ParamsOf<typeof spec, 'Past'>): Promise<Past> {
  const { revision, view, model } = await pastOfModel(call, params);
  const views = { past: view, now: call.store.read().in(model.uuid) };
  try {
    return answerOf(call, { views, revision, model });
  } catch (error) {
    if (!(error instanceof ValueGone)) throw error;
    const lost = lostIn(views.past, model);
    const more = lost.length > namedMax ? ` and ${lost.length - namedMax} more` : '';
    throw new JujuError(
      'not found',
      `the model of revision ${revision} cannot be read: long values are no longer kept of ${lost.slice(0, namedMax).join(', ')}${more}`,
      { cause: error },
    );
  }
}

/** Maximum number of documents that an error names. */
const namedMax = 10;

/** The documents of which values are no longer kept: `application web`. */
function lostIn(past: View, model: Entities['model']): string[] {
  const named = <D extends object>(word: string, docs: Iterable<D>, nameOf: (doc: D) => string): string[] =>
    [...docs].flatMap((doc) => (isWhole(doc) ? [] : [`${word} ${nameOf(doc)}`]));
  return [
    ...named('model', [model], ({ name }) => name),
    ...named('application', past.list('application'), ({ name }) => name),
    ...named('charm', past.list('charm'), ({ url }) => url),
    ...named('offer', past.list('offer'), ({ name }) => name),
    ...named('annotations of', past.list('annotation'), ({ tag }) => tag),
    ...named('secret', past.list('secret'), ({ label }) => label),
    ...named('storage pool', past.list('storage-pool'), ({ name }) => name),
  ];
}

function isWhole(doc: object): boolean {
  try {
    JSON.stringify(doc);
    return true;
  } catch (error) {
    if (error instanceof ValueGone) return false;
    throw error;
  }
}

function answerOf(
  call: Call,
  {
    views,
    revision,
    model,
  }: { readonly views: Views; readonly revision: number; readonly model: Entities['model'] },
): Past {
  // Readings of today, as they would have been then.
  const then: Call = { ...call, read: () => views.past };
  const users = knownUsers(views);
  const isOwn = ([, { source }]: [string, { source: string }]): boolean => source === 'model';
  const answer: Past = {
    revision,
    time: call.store.timeOf(revision),
    bundle: bundleText(views.past, (user) => users.has(user)),
    config: Object.fromEntries(Object.entries(modelGet(then).config).filter(isOwn)),
    ...getModelConstraints(then),
    access: usersOfModel(then, model)
      .filter(({ user }) => users.has(user))
      .map(({ user, access }) => ({ user, access })),
    'storage-pools': [...views.past.list('storage-pool')].map(({ name: pool, provider, attributes }) => ({
      name: pool,
      provider,
      attrs: { ...attributes },
    })),
    secrets: secretsOf(views),
    charms: charmsOf(call, views),
    resources: resourcesOf(call, views),
    'added-machines': addedMachines(views),
    'missing-users': users.missing(),
  };
  const size = new AnswerSize();
  size.count(answer);
  size.checkRoom();
  return answer;
}

/** Users who are still the same: somebody else may have the name today. */
function knownUsers({ past, now }: Views) {
  const missing = new Set<string>();
  return {
    has(user: string): boolean {
      if (isExternal(user)) return true;
      const was = past.in('').get('user', userId(user));
      const known = activeUser(now.in(''), user);
      if (known && known.createdAt === was?.createdAt) return true;
      missing.add(user);
      return false;
    },
    missing: () => [...missing].sort(compareNames),
  };
}

function bundleText(past: View, isKnown: (user: string) => boolean): string {
  const bundle = exportBundle(past, {
    charmDefaults: false,
    accessTo: ({ uuid }) =>
      Object.fromEntries(
        [...past.in('').find('offer-access', 'offer', uuid)]
          .filter(({ user }) => isKnown(user))
          .map(({ user, access }) => [user, access]),
      ),
  });
  return formatBundle(bundle)
    .map((document) => toYaml(document))
    .join('--- # overlay.yaml\n');
}

function secretsOf({ past, now }: Views): Past['secrets'] {
  return [...past.find('secret', 'owner', ownerKey({ kind: 'model', id: '' }))].map((secret) => {
    const { id, label, description } = secret;
    const revision = newestRevision(past, id)?.revision ?? 0;
    const isKept = now.get('secret-revision', secretRevisionId({ secret: id, revision })) !== undefined;
    const isNewest = newestRevision(now, id)?.revision === revision;
    const grants = accessOf(past, secret).flatMap(({ target }) => {
      const { kind, id: subject } = parseTag(target);
      return kind === 'application' ? [subject] : [];
    });
    return {
      uri: `secret:${id}`,
      label,
      description,
      grants: grants.sort(compareNames),
      revision,
      content: isKept ? (isNewest ? 'used' : 'kept') : 'gone',
    };
  });
}

function charmsOf(call: Call, { past, now }: Views): Past['charms'] {
  const applications = [...past.list('application')].filter(({ life }) => life === 'alive');
  return [...new Set(applications.map(({ charmUrl }) => charmUrl))].flatMap((url): Past['charms'] => {
    const doc = past.get('charm', url);
    if (!doc) return [];
    const isUsed = now.get('charm', url)?.sha256 === doc.sha256;
    return [{ charm: charmInfoOf(doc), archive: isUsed ? 'used' : fileOf(call, doc.sha256) }];
  });
}

function resourcesOf(call: Call, { past, now }: Views): Past['resources'] {
  return [...past.list('resource')]
    .filter(({ pendingId, sha256 }) => pendingId === undefined && sha256 !== '')
    .map(({ application, name, sha256 }) => {
      const isUsed = [...now.find('resource', 'application', application)].some(
        (one) => one.name === name && one.sha256 === sha256,
      );
      return { application, name, content: isUsed ? 'used' : fileOf(call, sha256) };
    });
}

function fileOf({ services }: Call, sha256: string): 'kept' | 'gone' {
  return services.blobs.path(sha256) === undefined ? 'gone' : 'kept';
}

function addedMachines({ past, now }: Views): string[] {
  return [...now.list('machine')]
    .filter(
      ({ id, life, removeWhenEmpty }) => life === 'alive' && !removeWhenEmpty && !past.get('machine', id),
    )
    .map(({ id }) => id)
    .sort(compareNames);
}
