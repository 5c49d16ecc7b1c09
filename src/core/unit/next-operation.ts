import { compareNames } from '../names.ts';
import type { Hook, LocalState } from './local-state.ts';
import { nextSecretHook } from './next-secret-hook.ts';
import { nextRelationStep, type RelationStep } from './next-relation-step.ts';
import type { RemoteRelation, RemoteState } from './remote-state.ts';

export type Operation =
  /** Fill the charm folder; then `install` or `upgrade-charm` is queued. */
  | { readonly kind: 'deploy'; readonly charmUrl: string; readonly upgrade: boolean }
  /** Run a hook. `clearResolved`: the run consumes the user's `resolved`. */
  | { readonly kind: 'run-hook'; readonly hook: Hook; readonly clearResolved: boolean }
  /** Commit the failed hook as if it had run, without its effects. */
  | { readonly kind: 'skip-hook'; readonly hook: Hook; readonly clearResolved: boolean }
  /** Drop an operation that was begun or queued and no longer applies. */
  | { readonly kind: 'forget' }
  /** Clear a `resolved` that arrived when there was no error any more. */
  | { readonly kind: 'clear-resolved' }
  | { readonly kind: 'accept-leadership' }
  | { readonly kind: 'resign-leadership' }
  | { readonly kind: 'enter-scope' | 'prepare-leave-scope' | 'leave-scope'; readonly relation: number }
  /** Set the unit dying, on the unit's own behalf. */
  | { readonly kind: 'destroy-unit' }
  | { readonly kind: 'destroy-subordinates' }
  /** Tell the controller that the unit no longer uses the storage. */
  | { readonly kind: 'release-storage'; readonly storage: string }
  | { readonly kind: 'dead' }
  | { readonly kind: 'wait' }
  | { readonly kind: 'terminate' };

/**
 * Compares the unit's progress with the wanted state and returns the one operation to do next (unit-agent.md#priority).
 * Pure; the agent carries the operation out, saves the state after it (advance.ts), and asks again.
 */
export function nextOperation(local: LocalState, remote: RemoteState): Operation {
  if (remote.life === 'dead') return { kind: 'terminate' };
  if (remote.life === 'alive' && isStorageAway(local, remote)) return whileAway(local, remote);
  if (local.op.kind !== 'continue') return resume(local, local.op, remote);
  if (remote.resolved !== '') return { kind: 'clear-resolved' };
  if (remote.life === 'dying') return whileDying(local, remote);
  return whileAlive(local, remote);
}

/**
 * Whether actions and commands may run. They run between hooks and while a failed hook waits for its retry, even a
 * failed install, as operators use them to find the cause. Before the charm is deployed and after its end there is
 * nothing to run them in.
 */
export function mayRunTasks(local: LocalState): boolean {
  if (local.removed || isUpgrading(local)) return false;
  return (
    local.installed || (local.op.kind === 'hook' && local.op.step === 'pending' && local.op.failures > 0)
  );
}

/** Nothing runs between the files of another charm, upgrade-charm and config-changed (unit-agent.md#upgrade). */
function isUpgrading({ op }: LocalState): boolean {
  if (op.kind === 'deploy') return true;
  return (
    op.kind === 'hook' &&
    op.step === 'queued' &&
    (op.hook.kind === 'upgrade-charm' || op.hook.kind === 'config-changed')
  );
}

function resume(
  local: LocalState,
  op: Exclude<LocalState['op'], { kind: 'continue' }>,
  remote: RemoteState,
): Operation {
  switch (op.kind) {
    case 'deploy':
      // A failed deployment was resolved: it is tried again. What is left of the flag must not skip a later failure.
      if (remote.resolved !== '' && !op.failed) return { kind: 'clear-resolved' };
      // Half a deployment is finished for a dying unit only where a hook is to run in its files.
      return !op.upgrade && remote.life === 'dying' && !knowsAnyStorage(local)
        ? { kind: 'forget' }
        : { kind: 'deploy', charmUrl: remote.charmUrl, upgrade: op.upgrade };
    case 'hook':
      if (op.step === 'queued') return startQueued(local, op.hook, remote);
      if (op.failures === 0) return runHook(op.hook);
      return retryFailed(local, op.hook, remote);
  }
}

/** Whether there is another charm to take, which waits for its profile (unit-agent.md#profile-first). */
function isOutdated(local: LocalState, remote: RemoteState): boolean {
  if (remote.profileAway) return false;
  return local.charmUrl !== remote.charmUrl || local.charmModifiedVersion !== remote.charmModifiedVersion;
}

function startQueued(local: LocalState, hook: Hook, remote: RemoteState): Operation {
  if (hook.kind === 'install') {
    if (remote.life === 'dying') return { kind: 'forget' };
    if (local.charmUrl !== remote.charmUrl)
      return { kind: 'deploy', charmUrl: remote.charmUrl, upgrade: false };
    return install(local, remote);
  }
  // The charm that was deployed last, for another one that was wanted then.
  if (hook.kind === 'upgrade-charm' && remote.profileAway && remote.life === 'alive') return { kind: 'wait' };
  return runHook(hook);
}

function retryFailed(local: LocalState, hook: Hook, remote: RemoteState): Operation {
  if (isOutdated(local, remote)) {
    // A charm that fails before it is installed, by install or by a storage's hook before that, has nothing to upgrade:
    // another one takes its place (unit-agent.md#failed-install).
    if (!local.installed && remote.life === 'alive')
      return { kind: 'deploy', charmUrl: remote.charmUrl, upgrade: false };
    if (remote.forceCharm && local.installed && local.charmUrl !== remote.charmUrl)
      return { kind: 'deploy', charmUrl: remote.charmUrl, upgrade: true };
  }
  // The relation or storage that the hook is about is gone and cannot come back.
  const isGone =
    'relation' in hook
      ? !remote.relations[hook.relation]
      : 'storage' in hook && !remote.storage[hook.storage];
  if (isGone) {
    return { kind: 'skip-hook', hook, clearResolved: remote.resolved !== '' };
  }
  // The secret is gone, or no longer the owner's to handle. A secret that the failed hook itself has read anew is still
  // there (unit-agent.md#failed-secret-changed).
  if ('secret' in hook && hook.kind !== 'secret-changed' && !remote.secrets.has(hook.secret))
    return { kind: 'skip-hook', hook, clearResolved: remote.resolved !== '' };
  // Nobody will see to the failed hook any more (removal.md#force-skips-failed-hooks).
  if (goesByForce(hook, remote)) return { kind: 'skip-hook', hook, clearResolved: remote.resolved !== '' };
  switch (remote.resolved) {
    case 'retry-hooks':
      return { kind: 'run-hook', hook, clearResolved: true };
    case 'no-hooks':
      return { kind: 'skip-hook', hook, clearResolved: true };
    case '':
      return remote.retryDue ? runHook(hook) : { kind: 'wait' };
  }
}

/** Whether the unit, or the relation that the hook is about, is removed by force. */
function goesByForce(hook: Hook, remote: RemoteState): boolean {
  const relation = 'relation' in hook ? remote.relations[hook.relation] : undefined;
  return [remote, relation].some((one) => one?.forced && one.life !== 'alive');
}

function whileAlive(local: LocalState, remote: RemoteState): Operation {
  if (remote.applicationLife !== 'alive' || isOrphan(remote)) return { kind: 'destroy-unit' };
  // Peer relations come before install (unit-agent.md#peers-before-install).
  const toLeave = scopeToLeave(
    local,
    remote,
    ({ life, departing, suspended }) => life !== 'alive' || departing || suspended,
  );
  if (toLeave !== undefined) return { kind: 'leave-scope', relation: toLeave };
  const toEnter = scopeToEnter(local, remote, { peersOnly: !local.installed });
  if (toEnter !== undefined) return { kind: 'enter-scope', relation: toEnter };
  if (!local.installed && local.charmUrl === remote.charmUrl) return install(local, remote);
  if (!local.installed) return { kind: 'deploy', charmUrl: remote.charmUrl, upgrade: false };
  if (local.started && local.bootId !== remote.bootId) return runHook({ kind: 'start' });

  if (isOutdated(local, remote)) return { kind: 'deploy', charmUrl: remote.charmUrl, upgrade: true };

  const created = relationToCreate(local, remote);
  if (created) return runHook(created);
  if (remote.leader && !local.leader) return { kind: 'accept-leadership' };
  if (!remote.leader && local.leader) return { kind: 'resign-leadership' };
  if (!remote.leader && remote.leaderSettingsVersion !== local.leaderSettingsVersion) {
    return runHook({ kind: 'leader-settings-changed' });
  }
  const aboutSecret = nextSecretHook(local, remote);
  if (aboutSecret) return runHook(aboutSecret);
  if (local.configHash !== remote.configHash) return runHook({ kind: 'config-changed' });
  const step = firstRelationStep(local, remote, () => true);
  if (step) return fromRelationStep(step);
  const ofStorage = nextStorageStep(local, remote);
  if (ofStorage) return ofStorage;
  if (remote.updateStatusDue && local.started) return runHook({ kind: 'update-status' });
  return { kind: 'wait' };
}

function whileDying(local: LocalState, remote: RemoteState): Operation {
  if (remote.subordinates.some((subordinate) => subordinate.life === 'alive'))
    return { kind: 'destroy-subordinates' };
  if (local.leader) return { kind: 'resign-leadership' };
  const ofStorage = nextStorageStep(local, remote);
  if (ofStorage) return ofStorage;
  // Relations with other applications are left first; the peer relations stay until the end.
  const step =
    firstRelationStep(local, remote, (id) => !remote.relations[id]?.peer) ??
    firstRelationStep(local, remote, () => true);
  if (step) return fromRelationStep(step);
  const toLeave = scopeToLeave(local, remote, () => true);
  if (toLeave !== undefined) return { kind: 'leave-scope', relation: toLeave };
  // A subordinate may need its principal until the subordinate's own end.
  if (remote.impediments.some(({ kind }) => kind === 'subordinate')) return { kind: 'wait' };
  if (local.started && !local.stopped) return runHook({ kind: 'stop' });
  if (local.installed && !local.removed) return runHook({ kind: 'remove' });
  return remote.impediments.length > 0 ? { kind: 'wait' } : { kind: 'dead' };
}

/** All storage of a new unit is attached before it is installed (unit-agent.md#storage-before-install). */
function install(local: LocalState, remote: RemoteState): Operation {
  const step = nextStorageStep(local, remote);
  if (step) return step;
  const isWaiting = Object.values(remote.storage).some(({ life, mounted }) => life === 'alive' && !mounted);
  return isWaiting || remote.profileAway ? { kind: 'wait' } : runHook({ kind: 'install' });
}

/** The charm hears of storage when it can be used, and before it goes; storage that it never heard of goes silently. */
function nextStorageStep(local: LocalState, remote: RemoteState): Operation | undefined {
  for (const id of Object.keys(remote.storage).sort(compareNames)) {
    const { name, life, mounted } = remote.storage[id]!;
    const isKnown = knowsStorage(local, id);
    if (life === 'alive' && mounted && !isKnown && remote.life === 'alive')
      return runHook({ kind: 'storage-attached', storage: id, storageName: name });
    if (life === 'alive') continue;
    return isKnown
      ? runHook({ kind: 'storage-detaching', storage: id, storageName: name })
      : { kind: 'release-storage', storage: id };
  }
  return undefined;
}

/** Whether the charm has heard of the storage: by storage-attached, even by one that was interrupted. */
function knowsStorage({ storage, op }: LocalState, id: string): boolean {
  if (storage.includes(id)) return true;
  const pending = op.kind === 'deploy' ? op.failed : op;
  return pending?.kind === 'hook' && 'storage' in pending.hook && pending.hook.storage === id;
}

/** Whether the charm has heard of any storage; before its install it hears of nothing else. */
function knowsAnyStorage({ storage, op }: LocalState): boolean {
  return storage.length > 0 || (op.kind === 'deploy' && op.failed !== undefined);
}

/** Whether the charm would look for its data where they are not (unit-agent.md#storage-that-is-away). */
function isStorageAway(local: LocalState, remote: RemoteState): boolean {
  return Object.entries(remote.storage).some(
    ([id, { life, mounted }]) => life === 'alive' && !mounted && knowsStorage(local, id),
  );
}

/** Storage of which the charm never heard is let go meanwhile. */
function whileAway(local: LocalState, remote: RemoteState): Operation {
  const step = nextStorageStep(local, remote);
  return step?.kind === 'release-storage' ? step : { kind: 'wait' };
}

/** Whether the unit is a subordinate that has no alive relation with its principal. */
function isOrphan(remote: RemoteState): boolean {
  if (remote.principalApplication === '') return false;
  return !Object.values(remote.relations).some(
    (relation) =>
      relation.container &&
      relation.life === 'alive' &&
      relation.remoteApplication === remote.principalApplication,
  );
}

function scopeToEnter(
  local: LocalState,
  remote: RemoteState,
  options: { peersOnly: boolean },
): number | undefined {
  return inOrder(Object.keys(remote.relations)).find((id) => {
    const relation = remote.relations[id];
    return (
      relation?.life === 'alive' &&
      !relation.suspended &&
      !relation.deferred &&
      !local.relations[id] &&
      (relation.peer || !options.peersOnly)
    );
  });
}

/**
 * A scope that the unit is in without remembering its entry: the agent was killed, or the answer was lost, in between.
 * The charm was never told, so the scope is left without hooks; otherwise relation and unit would stay forever.
 */
function scopeToLeave(
  local: LocalState,
  remote: RemoteState,
  ends: (relation: RemoteRelation) => boolean,
): number | undefined {
  return inOrder(Object.keys(remote.relations)).find((id) => {
    const relation = remote.relations[id];
    return relation?.inScope && !local.relations[id] && ends(relation);
  });
}

function relationToCreate(local: LocalState, remote: RemoteState): Hook | undefined {
  for (const id of inOrder(Object.keys(local.relations))) {
    const mine = local.relations[id];
    const theirs = remote.relations[id];
    if (!mine || mine.created || mine.leaving) continue;
    if (theirs?.life !== 'alive' || theirs.suspended || theirs.departing) continue;
    const { endpoint } = mine;
    return { kind: 'relation-created', relation: id, endpoint, remoteApplication: theirs.remoteApplication };
  }
  return undefined;
}

function firstRelationStep(
  local: LocalState,
  remote: RemoteState,
  concerns: (id: number) => boolean,
): RelationStep | undefined {
  for (const id of inOrder(Object.keys(local.relations))) {
    const mine = local.relations[id];
    const step = mine && concerns(id) ? nextRelationStep(id, mine, remote) : undefined;
    if (step) return step;
  }
  return undefined;
}

function fromRelationStep(step: RelationStep): Operation {
  return step.kind === 'hook' ? runHook(step.hook) : step;
}

function runHook(hook: Hook): Operation {
  return { kind: 'run-hook', hook, clearResolved: false };
}

/** Relation ids in ascending order. Juju goes through relations in random order; here the order is always the same. */
function inOrder(ids: readonly string[]): number[] {
  return ids.map(Number).sort((a, b) => a - b);
}
