import { compareNames, unitApplication } from '../names.ts';
import type { LocalRelation, RelationHook } from './local-state.ts';
import type { RemoteRelation, RemoteState } from './remote-state.ts';

export type RelationStep =
  | { readonly kind: 'hook'; readonly hook: RelationHook }
  | { readonly kind: 'prepare-leave-scope' | 'leave-scope'; readonly relation: number };

/** The next step in a relation whose scope the unit is in; undefined = nothing (unit-agent.md#relation-hook-order). */
export function nextRelationStep(
  id: number,
  local: LocalRelation,
  remote: RemoteState,
): RelationStep | undefined {
  const relation = remote.relations[id];
  // A relation that is resumed while the unit leaves it is left and entered afresh: others see the unit no more.
  const isLeft = local.leaving || relation?.departing;
  const ends = isLeft || remote.life !== 'alive' || relation?.life !== 'alive' || relation.suspended;
  if (ends && !local.leaving) return { kind: 'prepare-leave-scope', relation: id };

  const members: Readonly<Record<string, number>> = ends ? {} : (relation?.members ?? {});
  const hook = (kind: RelationHook['kind'], fields: Partial<RelationHook> = {}): RelationStep => ({
    kind: 'hook',
    hook: {
      kind,
      relation: id,
      endpoint: local.endpoint,
      remoteApplication: remoteApplication(relation, fields.remoteUnit),
      ...fields,
    },
  });

  const joined = local.changedPending;
  if (joined !== '') {
    const version = members[joined] ?? local.members[joined] ?? 0;
    return hook('relation-changed', { remoteUnit: joined, version });
  }
  const departed = first(local.members, (unit) => !(unit in members));
  if (departed !== undefined) {
    // The departing side is inferred from the unit's life, as in Juju, because it is not recorded.
    const weGo = remote.life !== 'alive' || remote.applicationLife !== 'alive';
    return hook('relation-departed', {
      remoteUnit: departed,
      departingUnit: weGo ? remote.unit : departed,
    });
  }
  if (ends) {
    // A charm that never saw the relation's creation gets no broken hook, and neither does a peer relation. A relation
    // removed by force from an alive unit cannot be a peer relation: those go with their application.
    const isPeer = relation?.peer ?? remote.life !== 'alive';
    const runsBroken = local.created && !local.broken && !isPeer;
    return runsBroken ? hook('relation-broken') : { kind: 'leave-scope', relation: id };
  }

  if (!local.created || !relation) return undefined;
  const app = Object.keys(relation.apps)
    .sort()
    .find((name) => relation.apps[name] !== (local.apps[name] ?? 0));
  if (app !== undefined) {
    return hook('relation-changed', { remoteApplication: app, version: relation.apps[app] ?? 0 });
  }
  const unknown = first(members, (unit) => !(unit in local.members));
  if (unknown !== undefined)
    return hook('relation-joined', { remoteUnit: unknown, version: members[unknown] ?? 0 });
  const changed = first(members, (unit) => members[unit] !== local.members[unit]);
  if (changed !== undefined)
    return hook('relation-changed', { remoteUnit: changed, version: members[changed] ?? 0 });
  return undefined;
}

/** The first matching unit in the order of names. It is called after each hook, so it avoids sorting all units. */
function first(units: Readonly<Record<string, number>>, isIt: (unit: string) => boolean): string | undefined {
  let found: string | undefined;
  for (const unit of Object.keys(units))
    if (isIt(unit) && (found === undefined || compareNames(unit, found) < 0)) found = unit;
  return found;
}

function remoteApplication(relation: RemoteRelation | undefined, remoteUnit: string | undefined): string {
  if (relation) return relation.remoteApplication;
  return remoteUnit === undefined ? '' : unitApplication(remoteUnit);
}
