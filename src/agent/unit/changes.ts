import { defined } from '../../core/defined.ts';
import type { SecretEdits } from '../../hooks/secrets.ts';
import type { HookChanges } from '../../hooks/context.ts';
import type { Mirror } from '../mirror.ts';
import type { Commit } from './saved-state.ts';

/**
 * Converts a hook's deferred changes to the wire's form. Databags of relations that are gone meanwhile are left out.
 */
export function toCommit(hookId: string, changes: HookChanges, mirror: Mirror): Commit {
  const relationSettings: Commit['relationSettings'] = [];
  for (const [relation, { unit, app }] of changes.relationSettings) {
    if (!mirror.relation(relation)) continue;
    if (unit.size > 0) relationSettings.push({ relation, app: false, set: Object.fromEntries(unit) });
    if (app.size > 0) relationSettings.push({ relation, app: true, set: Object.fromEntries(app) });
  }
  const { set, delete: deleted } = changes.charmState;
  return {
    hookId,
    relationSettings,
    openPorts: [...changes.openPorts],
    closePorts: [...changes.closePorts],
    ...defined({ secrets: secretChanges(changes.secrets) }),
    ...((set.size > 0 || deleted.size > 0) && {
      charmState: { set: Object.fromEntries(set), delete: [...deleted] },
    }),
    ...(changes.addStorage.size > 0 && {
      addStorage: [...changes.addStorage].map(([name, count]) => ({ name, count })),
    }),
  };
}

function secretChanges(edits: SecretEdits): Commit['secrets'] | undefined {
  const { create, update, track, grant, revoke, remove } = edits;
  const changes = {
    create: [...create].map(([id, secret]) => ({ id, ...secret })),
    update: [...update].map(([id, change]) => ({ id, ...change })),
    track: [...track],
    grant: [...grant],
    revoke: [...revoke],
    remove: [...remove],
  };
  return Object.values(changes).some((list) => list.length > 0) ? changes : undefined;
}

export function isEmpty(commit: Commit): boolean {
  const { relationSettings, openPorts, closePorts, charmState, secrets, addStorage } = commit;
  if (addStorage) return false;
  return (
    relationSettings.length === 0 &&
    openPorts.length === 0 &&
    closePorts.length === 0 &&
    !charmState &&
    !secrets
  );
}
