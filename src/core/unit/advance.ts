/** State transitions of the unit agent: how each step changes the saved state. Pure, as nextOperation is. */
import type { Hook, LocalRelation, LocalState, RelationHook } from './local-state.ts';
import { secretsAfter, secretsOfNewLeader } from './next-secret-hook.ts';
import type { RemoteState } from './remote-state.ts';
import { defined } from '../defined.ts';

/** The state of a relation that was just entered. */
const entered: Omit<LocalRelation, 'endpoint'> = {
  created: false,
  members: {},
  apps: {},
  changedPending: '',
  leaving: false,
  broken: false,
};
const idle = { kind: 'continue' } as const;

/**
 * The state saved before the charm folder is touched. An upgrade keeps the hook that has failed; before the install, a
 * hook of storage is kept, because the charm knows that storage from then on.
 */
export function startDeploy(local: LocalState, charmUrl: string, upgrade: boolean): LocalState {
  const { op } = local;
  const kept =
    op.kind === 'deploy' ? op.failed : op.kind === 'hook' && op.step === 'pending' ? op : undefined;
  const failed = upgrade || (kept && 'storage' in kept.hook) ? kept : undefined;
  return { ...local, op: { kind: 'deploy', charmUrl, upgrade, ...defined({ failed }) } };
}

/** The charmModifiedVersion of a unit whose charm is still to be told of the contents of its resources. */
const untold = -1;

/**
 * The state after the charm folder was filled: the hook that had failed is to be retried with the new charm, otherwise
 * the charm is told of itself. After the retry it is still to be told of resources that were attached meanwhile.
 */
export function finishDeploy(
  local: LocalState,
  charm: Pick<LocalState, 'charmUrl' | 'charmModifiedVersion'>,
  upgrade: boolean,
): LocalState {
  if (local.op.kind === 'deploy' && local.op.failed) {
    // A charm that is not installed yet is told of nothing.
    if (!upgrade) return { ...local, ...charm, op: local.op.failed };
    const isTold = local.charmModifiedVersion === charm.charmModifiedVersion;
    // The retried hook may have seen the new contents, so the unit is told again even if the former contents return.
    const told = isTold ? local.charmModifiedVersion : untold;
    return { ...local, charmUrl: charm.charmUrl, charmModifiedVersion: told, op: local.op.failed };
  }
  return queueHook({ ...local, ...charm }, { kind: upgrade ? 'upgrade-charm' : 'install' });
}

/** The state saved before the hook's process starts. A hook that was pending keeps its id. */
export function startHook(local: LocalState, hook: Hook, newHookId: string): LocalState {
  const { op } = local;
  if (op.kind === 'hook' && op.step === 'pending') return local;
  return { ...local, op: { kind: 'hook', step: 'pending', hook, hookId: newHookId, failures: 0 } };
}

/** The state saved after a failed run. `why` and `retryAt` as in PendingHook. */
export function failHook(
  local: LocalState,
  { why, retryAt }: { readonly why?: string; readonly retryAt?: number } = {},
): LocalState {
  const { op } = local;
  if (op.kind !== 'hook' || op.step !== 'pending') return local;
  const { why: _why, retryAt: _retryAt, ...rest } = op;
  return {
    ...local,
    op: { ...rest, failures: op.failures + 1, ...defined({ why, retryAt }) },
  };
}

/**
 * The state with the hook to run next. A hook that interrupted itself (juju-reboot --now) is queued the same way and
 * runs again from its start.
 */
export function queueHook(local: LocalState, hook: Hook): LocalState {
  return { ...local, op: { kind: 'hook', step: 'queued', hook } };
}

export function forget(local: LocalState): LocalState {
  return { ...local, op: idle };
}

/**
 * The state after a hook, committed with its effects. `seen` is the remote state when the hook started: changes made
 * while it ran cause another hook.
 */
export function finishHook(
  local: LocalState,
  hook: Hook,
  seen: Pick<RemoteState, 'configHash' | 'leaderSettingsVersion' | 'bootId' | 'secrets'>,
): LocalState {
  const finished: LocalState = { ...local, op: idle };
  switch (hook.kind) {
    case 'install':
      return { ...finished, installed: true };
    case 'start':
      return { ...finished, started: true, stopped: false, bootId: seen.bootId };
    case 'stop':
      return { ...finished, started: false, stopped: true };
    case 'remove':
      return { ...finished, removed: true };
    case 'config-changed': {
      const informed = { ...finished, configHash: seen.configHash };
      return local.started ? informed : queueHook(informed, { kind: 'start' });
    }
    case 'upgrade-charm':
      return queueHook(finished, { kind: 'config-changed' });
    case 'leader-settings-changed':
      return { ...finished, leaderSettingsVersion: seen.leaderSettingsVersion };
    case 'storage-attached':
      return { ...finished, storage: [...local.storage.filter((id) => id !== hook.storage), hook.storage] };
    case 'storage-detaching':
      return { ...finished, storage: local.storage.filter((id) => id !== hook.storage) };
    case 'leader-elected':
    case 'update-status':
      return finished;
    case 'secret-expired':
    case 'secret-rotate':
    case 'secret-changed':
    case 'secret-remove':
      return { ...finished, secrets: secretsAfter(local.secrets, hook, seen.secrets) };
    default:
      return changeRelation(finished, hook.relation, (relation) => afterRelationHook(relation, hook));
  }
}

export function acceptLeadership(local: LocalState, seen: Pick<RemoteState, 'secrets'>): LocalState {
  const secrets = secretsOfNewLeader(local.secrets, seen.secrets);
  return queueHook({ ...local, leader: true, secrets }, { kind: 'leader-elected' });
}

export function resignLeadership(local: LocalState, leaderSettingsVersion: number): LocalState {
  return { ...local, leader: false, leaderSettingsVersion };
}

export function enterScope(local: LocalState, relation: number, endpoint: string): LocalState {
  return { ...local, relations: { ...local.relations, [relation]: { ...entered, endpoint } } };
}

export function prepareLeaveScope(local: LocalState, relation: number): LocalState {
  return changeRelation(local, relation, (record) => ({ ...record, leaving: true }));
}

export function leaveScope(local: LocalState, relation: number): LocalState {
  const { [relation]: _left, ...relations } = local.relations;
  return { ...local, relations };
}

function changeRelation(
  local: LocalState,
  id: number,
  change: (relation: LocalRelation) => LocalRelation,
): LocalState {
  const relation = local.relations[id];
  return relation ? { ...local, relations: { ...local.relations, [id]: change(relation) } } : local;
}

function afterRelationHook(relation: LocalRelation, hook: RelationHook): LocalRelation {
  const { remoteUnit, remoteApplication, version = 0 } = hook;
  switch (hook.kind) {
    case 'relation-created':
      return { ...relation, created: true };
    case 'relation-broken':
      return { ...relation, broken: true };
    case 'relation-changed':
      if (remoteUnit === undefined)
        return { ...relation, apps: { ...relation.apps, [remoteApplication]: version } };
      return { ...relation, changedPending: '', members: { ...relation.members, [remoteUnit]: version } };
    case 'relation-joined':
      if (remoteUnit === undefined) return relation;
      return {
        ...relation,
        changedPending: remoteUnit,
        members: { ...relation.members, [remoteUnit]: version },
      };
    case 'relation-departed': {
      if (remoteUnit === undefined) return relation;
      const { [remoteUnit]: _departed, ...members } = relation.members;
      return { ...relation, members };
    }
  }
}
