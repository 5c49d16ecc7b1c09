import { documents } from '../../../core/documents.ts';
import type { EntityRef } from '../../../core/entity-ref.ts';
import { hasCode } from '../../../core/errors.ts';
import { findEntity } from '../../../core/explain/find-entity.ts';
import type { Refs } from '../../../core/impediments.ts';
import type { Call } from '../../facade.ts';
import { lastOf } from '../shared/last-of.ts';
import { currentModel } from '../shared/model.ts';
import { defined } from '../../../core/defined.ts';

/**
 * Finds the entity that a user names: one that exists, else one that existed, as far back as the history goes.
 * Errors: `not found`; '' for two endpoints that fit several relations.
 */
export function findPastEntity(call: Call, names: readonly string[]): EntityRef {
  const model = currentModel(call);
  const now = call.store.read().in(model.uuid);
  const find = (refs: Refs, withPast?: true): EntityRef =>
    findEntity(names, {
      get: (kind, id) => refs.get(kind, id),
      list: (kind) => refs.list(kind),
      find: (kind, index, value) => refs.find(kind, index, value),
      count: (kind, index, value) => refs.count(kind, index, value),
      model,
      ...defined({ withPast }),
    });
  try {
    return find(now);
  } catch (error) {
    if (!hasCode(error, 'not found')) throw error;
    return find(pastOf(call, now, model.uuid), true);
  }
}

/** View of present and removed entities, each in its last state. */
function pastOf(call: Call, now: Refs, uuid: string): Refs {
  return {
    get: (kind, id) => lastOf(call, uuid, kind, id),
    list: (kind) => now.list(kind),
    count: (kind, index, value) => now.count(kind, index, value),
    *find(kind, index, value) {
      yield* now.find(kind, index, value);
      if (!documents.findRemovedBy[kind].includes(index)) return;
      for (const id of call.store.removed(uuid, kind, index, value)) {
        const last = now.get(kind, id) ? undefined : lastOf(call, uuid, kind, id);
        if (last) yield last;
      }
    },
  };
}
