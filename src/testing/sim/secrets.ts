/** Secrets in the simulated world: the leader of db has a password, which related applications read and remember. */
import { backendOfModel } from '../../controller/transactions/shared/secret-backends.ts';
import { joinContentKey, readContentKey } from '../../core/secret/content-key.ts';
import { joinSecretKey } from '../../core/secret/secret-id.ts';
import { scopeId } from '../../core/scope/document.ts';
import { secretGrantId } from '../../core/secret-grant/document.ts';
import { secretRevisionId } from '../../core/secret-revision/document.ts';
import type { World } from './world.ts';
import { secretConsumerId } from '../../core/secret-consumer/document.ts';
import { mayRead } from '../../controller/transactions/agent/secret-access.ts';
import { hasCode, JujuError } from '../../core/errors.ts';
import type { Entities } from '../../core/kinds.ts';
import type { HookContext } from '../../hooks/context.ts';
import type { OwnSecret } from '../../hooks/secrets.ts';
import type { ContentStore } from '../../store/contents.ts';
import type { Reader } from '../../store/store.ts';

type View = Reader<Entities>;
const label = 'pw';
/** Key of the password's id in the application's databag. */
const bagKey = 'pw';

/** Returns the content of a revision, which names the revision. */
const contentOf = (revision: number): { password: string } => ({
  password: btoa(`needle number ${revision}`),
});
/** Returns what a reader remembers of a content. */
const seenOf = (password = ''): string => atob(password).replace('needle number', 'revision');
/** Whether a text has a content: in clear, or in base64, where fifteen letters make twenty. */
export const tellsContent = (text: string): boolean => /needle number|bmVlZGxlIG51bWJl/.test(text);
const rememberedAs = (secret: string): string => `secret ${secret}`;

/** Acts as the leader: adds, rotates, removes and grants the application's password. */
export async function keepSecret(
  hook: string,
  context: HookContext,
  bag: (relation: number) => Map<string, string>,
): Promise<void> {
  const { secrets } = context.changes;
  const own = await ownSecret(context);
  const id = own?.id ?? (await context.secrets.newId());
  if (!own) {
    const settings = { label, owner: 'application', rotate: 'hourly', content: contentOf(1) } as const;
    secrets.create.set(id, settings);
  }
  const { event } = context;
  if (own && ['secret-rotate', 'update-status'].includes(hook))
    secrets.update.set(id, { content: contentOf(own.revision + 1) });
  if (hook === 'secret-remove' && event.secret?.revision !== undefined)
    secrets.remove.push({ id: event.secret.id, revision: event.secret.revision });
  for (const relation of context.relations()) {
    if (relation.endpoint !== 'server') continue;
    bag(relation.id).set(bagKey, id);
    const subject = { kind: 'application', id: relation.remoteApplication } as const;
    secrets.grant.push({ id, subject, relation: relation.id });
  }
}

async function ownSecret(context: HookContext): Promise<OwnSecret | undefined> {
  try {
    return (await context.secrets.own({ label }))[0];
  } catch (error) {
    if (hasCode(error, 'not found')) return undefined;
    throw error;
  }
}

/** Acts as a reader: reads the secret that it is told of, and remembers its content. */
export async function readSecret(hook: string, context: HookContext): Promise<void> {
  const { event, changes } = context;
  let id = event.secret?.id;
  if (event.relation && hook.endsWith('-relation-changed') && event.remoteApplication !== undefined) {
    id = (await context.relationSettings(event.relation.id, event.remoteApplication))[bagKey];
    const model = context.relationModelUuid(event.relation.id);
    if (id !== undefined && model !== context.model.uuid) id = joinSecretKey({ id, model });
  }
  if (id === undefined) return;
  try {
    const { content } = await context.secrets.read({ id, label: '', peek: false, refresh: true });
    changes.charmState.set.set(rememberedAs(id), seenOf(content['password']));
  } catch (error) {
    // The secret has been revoked, or is gone with its application.
    if (!(error instanceof JujuError) || !['not found', 'unauthorized access'].includes(error.code))
      throw error;
  }
}

/** Yields sentences about readers that do not know the newest revision, and about rotations that were not done. */
export function* secretsIn(view: View, where: string, skipped: (unit: string) => boolean): Iterable<string> {
  for (const secret of view.list('secret')) {
    const { id, owner, latest, rotating } = secret;
    const isKept = view.count('unit', 'application', owner.id) > 0;
    if (rotating !== undefined && isKept) yield `secret ${id} ${where} is to be rotated`;
    for (const { unit, current } of view.find('secret-consumer', 'secret', id)) {
      const doc = view.get('unit', unit);
      if (!doc || skipped(unit) || !mayRead(view, secret, doc)) continue;
      if (current !== latest)
        yield `unit ${unit} ${where} tracks revision ${current} of secret ${id}, not ${latest}`;
      const seen = view.get('unit-state', unit)?.charm[rememberedAs(id)];
      if (seen !== seenOf(contentOf(latest).password))
        yield `unit ${unit} ${where} knows "${seen}" of secret ${id}, not revision ${latest}`;
    }
  }
}

/** Yields sentences about units that read a secret of another model and do not know its newest revision. */
export function* farSecretsIn(
  view: View,
  where: string,
  skipped: (unit: string) => boolean,
): Iterable<string> {
  for (const { secret: key, unit, current, relation = '' } of view.list('secret-consumer')) {
    const [model = '', id] = key.split('/');
    const side = view.get('relation', relation);
    if (id === undefined || !side?.remote || side.suspended || skipped(unit)) continue;
    const there = view.in(model);
    const latest = there.get('secret', id)?.latest;
    const proxies = [...there.find('relation', 'token', side.remote.token)].map(({ remote }) => remote!);
    const isGranted = proxies.some(({ application }) =>
      there.get(
        'secret-grant',
        secretGrantId({ secret: id, subject: { kind: 'application', id: application } }),
      ),
    );
    if (latest === undefined || !isGranted) continue;
    if (current !== latest) yield `unit ${unit} ${where} tracks revision ${current} of ${key}, not ${latest}`;
    const seen = view.get('unit-state', unit)?.charm[rememberedAs(key)];
    if (seen !== seenOf(contentOf(latest).password))
      yield `unit ${unit} ${where} knows "${seen}" of secret ${key}, not revision ${latest}`;
  }
}

type Kept = Pick<World, 'vault'> & {
  readonly controller: { readonly contents: Pick<ContentStore, 'get' | 'keys'> };
};

/** Whether a content is in its backend. */
export function hasContent({ controller, vault }: Kept, key: string): boolean {
  return readContentKey(key).backend === '' ? controller.contents.get(key) !== undefined : vault.has(key);
}

/**
 * Yields sentences about contents to which no revision refers, such as removed ones and originals of moved ones; and
 * about revisions whose content is lost, or not where the model keeps its secrets.
 */
export function* strayContents(root: View, kept: Kept): Iterable<string> {
  for (const key of kept.controller.contents.keys())
    if (root.in(readContentKey(key).model).count('secret-revision', 'content', key) === 0)
      yield `content ${key} belongs to nothing`;
  const backends = [...root.list('secret-backend')].map(({ id }) => id);
  for (const { of: model, entry } of kept.vault.contents()) {
    if (!root.get('model', model)) yield `the vault has an engine of model ${model}, which is gone`;
    const isUsed = backends.some(
      (backend) =>
        root
          .in(model)
          .count(
            'secret-revision',
            'content',
            joinContentKey({ backend, model, name: entry.replace('-', '/') }),
          ) > 0,
    );
    if (entry !== '' && !isUsed) yield `content ${entry} of model ${model} in the vault belongs to nothing`;
  }
  for (const { uuid, name } of root.list('model'))
    for (const revision of root.in(uuid).list('secret-revision')) {
      const id = secretRevisionId(revision);
      if (!hasContent(kept, revision.content)) yield `the content of revision ${id} in ${name} is lost`;
      if (readContentKey(revision.content).backend !== backendOfModel(root, uuid))
        yield `the content of revision ${id} in ${name} is not where the model keeps secrets`;
    }
}

/** Yields sentences about records of secrets that refer to missing documents. */
export function* strayRecords(view: View): Iterable<string> {
  for (const { secret, revision } of view.list('secret-revision'))
    if (!view.get('secret', secret)) yield `revision ${revision} is of no secret ${secret}`;
  for (const { secret, subject, relation } of view.list('secret-grant')) {
    const isThere = view.get(subject.kind, subject.id) ?? view.get('remote-application', subject.id);
    if (!view.get('secret', secret) || !isThere)
      yield `a grant of secret ${secret} to ${subject.kind} ${subject.id} is left`;
    if (relation !== '' && !view.get('relation', relation))
      yield `a grant of secret ${secret} is left of relation ${relation}`;
  }
  for (const consumer of view.list('secret-consumer')) {
    const { secret, unit, relation } = consumer;
    // What is of another model is held by its relation.
    const isRelated = relation !== undefined && view.get('relation', relation) !== undefined;
    const hasUnit =
      view.get('unit', unit) ?? (isRelated && view.get('scope', scopeId({ relation: relation!, unit })));
    if (!(secret.includes('/') ? isRelated : view.get('secret', secret)) || !hasUnit)
      yield `what unit ${consumer.unit} tracks of secret ${consumer.secret} is left (${secretConsumerId(consumer)})`;
  }
  for (const { id, owner } of view.list('secret'))
    if (owner.kind !== 'model' && !view.get(owner.kind, owner.id))
      yield `secret ${id} is left of ${owner.kind} ${owner.id}`;
}
