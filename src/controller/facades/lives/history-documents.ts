import { accessId } from '../../../core/access/document.ts';
import { cloudAccessId } from '../../../core/cloud-access/document.ts';
import { ownerKey } from '../../../core/secret/document.ts';
import { settingsId } from '../../../core/settings/document.ts';
import { scopeId } from '../../../core/scope/document.ts';
import { controllerSpace } from '../../../core/kinds.ts';
import type { EntityRef } from '../../../core/entity-ref.ts';
import { userId } from '../../../core/user/document.ts';
import { statusIdsOf } from '../../../core/status/history.ts';
import { unitApplication } from '../../../core/names.ts';
import type { DocumentKey, PastQuery } from '../../../store/store.ts';
import { applicationTag, machineTag, unitTag } from '../../../wire/tags.ts';
import type { Call } from '../../facade.ts';
import type { View } from '../../transactions/tx.ts';
import { isSuperuser, modelAccess } from '../shared/model-access.ts';

/**
 * Finds the documents of an entity's history: its own documents, also removed ones. For a model: all that is in it, and
 * its record.
 */
export function documentsOf(
  call: Call,
  uuid: string,
  entity: EntityRef,
): Pick<PastQuery, 'documents' | 'found' | 'space'> {
  if (entity.kind === 'model') return { space: uuid, documents: recordsOf(call, uuid) };
  const past: Past = {
    view: call.store.read().in(uuid),
    removed: (kind, index, value) => call.store.removed(uuid, kind, index, value),
  };
  const keys = new Map<string, DocumentKey>();
  const add = (kind: string, id: string): void => void keys.set(`${kind} ${id}`, { space: uuid, kind, id });
  for (const id of statusIdsOf(entity)) add('status', id);
  for (const [kind, id] of documents[entity.kind](entity.id, past)) add(kind, id);
  const found = indexed[entity.kind].map(([kind, index, owner]) => {
    const value = owner === undefined ? entity.id : ownerKey({ kind: owner, id: entity.id });
    return { space: uuid, kind, index, value };
  });
  return { documents: keys.values(), found };
}

type Key = readonly [kind: string, id: string];

interface Past {
  readonly view: View;
  readonly removed: (kind: 'relation' | 'scope', index: string, value: string) => readonly string[];
}

const documents: Readonly<
  Record<Exclude<EntityRef['kind'], 'model'>, (id: string, past: Past) => Iterable<Key>>
> = {
  *unit(name, past) {
    const application = unitApplication(name);
    yield ['unit', name];
    for (const relation of relationsOf(application, past)) {
      yield ['scope', scopeId({ relation, unit: name })];
      yield ['settings', settingsId({ relation, owner: name })];
    }
    for (const { id } of past.view.find('task', 'receiver', name)) yield ['task', id];
    yield ['lease', application];
    yield ['annotation', unitTag(name)];
  },

  *application(name, past) {
    yield ['application', name];
    for (const relation of relationsOf(name, past)) {
      yield ['settings', settingsId({ relation, owner: name })];
    }
    for (const offer of past.view.find('offer', 'application', name)) yield ['offer', offer.name];
    yield ['lease', name];
    yield ['leader-settings', name];
    yield ['annotation', applicationTag(name)];
  },

  *machine(id, past) {
    yield ['machine', id];
    for (const task of past.view.find('task', 'receiver', id)) yield ['task', task.id];
    yield ['annotation', machineTag(id)];
  },

  *relation(id, past) {
    yield ['relation', id];
    const members = new Set<string>(past.removed('scope', 'relation', id));
    for (const scope of past.view.find('scope', 'relation', id)) members.add(scopeId(scope));
    for (const settings of past.view.find('settings', 'relation', id)) members.add(settingsId(settings));
    for (const member of members) yield ['settings', member];
  },
};

/** Indexes by which documents belong to an entity, some to it as their owner: there may be very many documents. */
const indexed: Readonly<
  Record<
    Exclude<EntityRef['kind'], 'model'>,
    readonly (readonly [kind: string, index: string, owner?: 'application' | 'unit'])[]
  >
> = {
  unit: [
    ['storage', 'unit'],
    ['secret', 'owner', 'unit'],
  ],
  application: [
    ['unit', 'application'],
    ['relation', 'application'],
    ['resource', 'application'],
    ['secret', 'owner', 'application'],
  ],
  machine: [
    ['unit', 'machine'],
    ['machine', 'parent'],
    ['storage', 'machine'],
  ],
  relation: [['scope', 'relation']],
};

function relationsOf(application: string, { view, removed }: Past): Set<string> {
  const ids = new Set(removed('relation', 'application', application));
  for (const relation of view.find('relation', 'application', application)) ids.add(String(relation.id));
  return ids;
}

/**
 * Record of a model; and access documents, for those who may change access. With the controller's model, superusers
 * also see users, their access to clouds, and removed models that are looked for.
 */
function recordsOf(call: Call, uuid: string): DocumentKey[] {
  const keys: DocumentKey[] = [{ space: controllerSpace, kind: 'model', id: uuid }];
  if (modelAccess(call, uuid) !== 'admin') return keys;
  const ids = new Set(call.store.removed(controllerSpace, 'access', 'model', uuid));
  for (const { user } of call.store.read().in(controllerSpace).find('access', 'model', uuid))
    ids.add(accessId({ user, model: uuid }));
  for (const id of ids) keys.push({ space: controllerSpace, kind: 'access', id });
  return [...keys, ...recordsOfUsers(call, uuid)];
}

function recordsOfUsers(call: Call, uuid: string): DocumentKey[] {
  const root = call.store.read().in(controllerSpace);
  if (root.get('controller', 'self')?.modelUuid !== uuid || !isSuperuser(call)) return [];
  const keys: DocumentKey[] = [...root.list('user')].map(({ name }) => {
    return { space: controllerSpace, kind: 'user', id: userId(name) };
  });
  const externals = new Set(call.store.removed(controllerSpace, 'external-user', 'controller', 'self'));
  for (const { user } of root.list('external-user')) externals.add(user);
  for (const id of externals) keys.push({ space: controllerSpace, kind: 'external-user', id });
  const ids = new Set([...root.list('cloud-access')].map(cloudAccessId));
  for (const { name } of root.list('cloud'))
    for (const id of call.store.removed(controllerSpace, 'cloud-access', 'cloud', name)) ids.add(id);
  for (const id of ids) keys.push({ space: controllerSpace, kind: 'cloud-access', id });
  const removed = new Set(call.store.removed(controllerSpace, 'removed-model', 'controller', 'self'));
  for (const model of root.list('removed-model')) removed.add(model.uuid);
  for (const id of removed) keys.push({ space: controllerSpace, kind: 'removed-model', id });
  return keys;
}
