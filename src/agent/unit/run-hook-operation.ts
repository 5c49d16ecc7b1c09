import { failureHint } from '../../core/unit/failure-hint.ts';
import { JujuError } from '../../core/errors.ts';
import { failHook, finishHook, queueHook, startHook } from '../../core/unit/advance.ts';
import { hookFailed, hookIsMissing, hookRan } from '../../core/unit/hook-log.ts';
import { hookName, type Hook } from '../../core/unit/local-state.ts';
import { retryAtKey } from '../../core/unit/retried-hook.ts';
import type { RemoteState } from '../../core/unit/remote-state.ts';
import type { HookContext, HookEvent } from '../../hooks/context.ts';
import type { HookResult } from '../../hooks/run-hook.ts';
import { logLevels, type LogLevel } from '../../core/log-levels.ts';
import { toCommit } from './changes.ts';
import { hookContext } from './hook-context.ts';
import type { Commit } from './saved-state.ts';
import type { UnitWorld } from './world.ts';
import { defined } from '../../core/defined.ts';

/**
 * Runs a hook: the state with the pending hook is saved, the hook runs, its changes and the state after it are
 * committed in one transaction (unit-agent.md#commit-once). A failed hook stays pending and its deferred changes are
 * dropped (unit-agent.md#hook-failure). A hook that was chosen before a restore stays pending without being run.
 */
export async function runHookOperation(
  world: UnitWorld,
  hook: Hook,
  { remote, restore }: { readonly remote: RemoteState; readonly restore: string | undefined },
  signal: AbortSignal,
): Promise<void> {
  await world.lock.hold(signal, async (release) => {
    const { state, host } = world;
    if (hook.kind === 'start' && state.local.started) world.log.info('reboot detected, start runs again');
    const name = hookName(hook);
    const debug = await host.debugSession?.([name]);
    // Debug sessions may take days: the other units of the machine do not wait for them.
    if (debug) release();
    state.set(startHook(state.local, hook, world.newId()));
    await Promise.all([state.save(signal), announce(world, hook, signal, debug !== undefined)]);
    // The wait for the lock or the controller may have outlasted a restore, and the storage may be away since then.
    if (world.runsAfter() !== restore) return;

    const context = contextFor(world, eventOf(hook));
    let hint: string | undefined;
    const hookTimeoutMs = world.mirror.model()?.hookTimeoutMs ?? 0;
    const result = await host.run({
      ...defined({ debug }),
      context,
      program: { dispatchPath: `hooks/${name}` },
      signal,
      ...defined({ timeoutMs: hookTimeoutMs > 0 ? hookTimeoutMs : undefined }),
      onOutput: (stream, line, isPiece) => {
        if (stream === 'stderr') hint ??= failureHint(line);
        world.output(name, stream === 'stdout' ? 'INFO' : 'WARNING', context.mask.hide(line, isPiece));
      },
    });
    if (result.kind === 'failed') await failed(world, hook, result, signal, hint);
    else await succeeded(world, hook, remote, context, result, signal);
  });
}

/** Skips a hook, for `resolved --no-retry`: commits the state after the hook without its changes. */
export async function skipHookOperation(
  world: UnitWorld,
  hook: Hook,
  remote: RemoteState,
  signal: AbortSignal,
): Promise<void> {
  const { state } = world;
  const { op } = state.local;
  const hookId = op.kind === 'hook' && op.step === 'pending' ? op.hookId : world.newId();
  const nothing: Commit = {
    hookId,
    relationSettings: [],
    openPorts: [],
    closePorts: [],
    ...answerOf(hook),
  };
  await state.commit(nothing, finishHook(state.local, hook, remote), signal);
  world.log.info('skipped hook', { hook: hookName(hook) });
}

export function contextFor(world: UnitWorld, event: HookEvent): HookContext {
  const { unit, machineId, version, mirror, api, host, state, statuses, leadership } = world;
  return hookContext({
    unit,
    machineId,
    version,
    mirror,
    api,
    host,
    local: state.local,
    charmState: state.charm,
    event,
    isLeader: () => leadership.isLeader(),
    status: () => statuses.workload,
    async setWorkloadStatus(status, message) {
      await statuses.setWorkload(status, message);
      state.set({ ...state.local, statusSet: true });
    },
    log: (name, level, message) => world.output(name, toLevel(level), message),
  });
}

/**
 * Sets the agent's status to the hook's error, which is shown as the workload's (unit-agent.md#hook-failure). Juju
 * names only the hook; the message here also says why a hook did not end by itself, and the data when it runs again,
 * and that the charm is not installed: roll-outs go by that (refresh.md#failed-batch).
 */
export async function showHookError(
  world: UnitWorld,
  { hook, why }: { readonly hook: Hook; readonly why?: string },
  signal: AbortSignal,
): Promise<void> {
  const name = hookName(hook);
  const data = {
    hook: name,
    ...(world.mirror.model()?.retryHooks && { [retryAtKey]: new Date(world.timers.retryAt).toISOString() }),
    ...(!world.state.local.installed && { installed: false }),
    ...('relation' in hook && {
      'relation-id': hook.relation,
      ...(hook.remoteUnit !== undefined
        ? { 'remote-unit': hook.remoteUnit }
        : { 'remote-app': hook.remoteApplication }),
    }),
    ...('storage' in hook && { 'storage-id': hook.storage }),
  };
  await world.statuses.setAgent(
    'error',
    `hook failed: "${name}"${why === undefined ? '' : `: ${why}`}`,
    signal,
    data,
  );
}

async function announce(world: UnitWorld, hook: Hook, signal: AbortSignal, debugged: boolean): Promise<void> {
  const { statuses, state } = world;
  if (hook.kind !== 'update-status' || debugged) {
    const of = 'relation' in hook && hook.remoteUnit !== undefined ? ` for ${hook.remoteUnit}` : '';
    await statuses.setAgent(
      'executing',
      `running ${hookName(hook)} hook${of}${debugged ? ' in a debug session' : ''}`,
      signal,
    );
  }
  if (hook.kind === 'install' && !state.local.statusSet) {
    await statuses.setWorkload('maintenance', 'installing charm software', signal);
  }
  if (hook.kind === 'stop') await statuses.setWorkload('maintenance', 'stopping charm software', signal);
  if (hook.kind === 'remove') {
    await statuses.setWorkload('maintenance', 'cleaning up prior to charm deletion', signal);
  }
}

async function succeeded(
  world: UnitWorld,
  hook: Hook,
  remote: RemoteState,
  context: HookContext,
  result: HookResult,
  signal: AbortSignal,
): Promise<void> {
  const { state, statuses, timers, log } = world;
  const { op } = state.local;
  if (op.kind !== 'hook' || op.step !== 'pending') throw new Error('a hook ended that was not pending');
  try {
    await state.commit(
      {
        ...toCommit(op.hookId, context.changes, world.mirror),
        ...(hook.kind === 'config-changed' && { announceAddresses: true }),
        ...answerOf(hook),
      },
      finishHook(state.local, hook, remote),
      signal,
    );
  } catch (error) {
    if (!(error instanceof JujuError)) throw error;
    // The hook fails when its changes are refused, because it did not do its work.
    const message = `committing requested changes failed: ${error.message}`;
    return failed(world, hook, { kind: 'failed', reboot: '', message }, signal);
  }
  timers.survived();
  const name = hookName(hook);
  log.info(result.kind === 'missing' ? hookIsMissing(name) : hookRan(name, result.handler));
  if (hook.kind === 'update-status') timers.updatedStatus();
  if (hook.kind === 'start' && !state.local.statusSet) await statuses.setWorkload('unknown', '', signal);
  if (hook.kind === 'remove') await statuses.setWorkload('terminated', '', signal);
  if (result.reboot === 'after') await reboot(world, signal);
}

async function failed(
  world: UnitWorld,
  hook: Hook,
  result: HookResult,
  signal: AbortSignal,
  hint?: string,
): Promise<void> {
  const { state, timers, log } = world;
  const name = hookName(hook);
  if (result.reboot === 'now' || result.killedBy !== undefined) {
    log.info('hook will run again', { hook: name, why: result.message });
    state.set(queueHook(state.local, hook));
    await state.save(signal);
    if (result.reboot === 'now') await reboot(world, signal);
    else timers.killed();
    return;
  }
  log.error(hookFailed(name, result.message ?? 'no reason is known', result.handler), defined({ hint }));
  // An exit code needs no message here: the hook's output is in the log.
  const why = defined({ why: result.code === undefined ? result.message : hint });
  const { op } = state.local;
  if (op.kind !== 'hook' || op.step !== 'pending') throw new Error('a hook failed that was not pending');
  timers.failed(op.failures + 1);
  state.set(failHook(state.local, { ...why, retryAt: timers.retryAt }));
  await state.save(signal);
  await showHookError(world, { hook: op.hook, ...why }, signal);
}

export async function reboot(world: UnitWorld, signal: AbortSignal): Promise<void> {
  await world.statuses.setAgent('rebooting', '', signal);
  world.reboot();
}

/**
 * Returns the part of the commit that the hook answers: that a rotation was due, that a revision has expired, or what
 * the charm was told of a secret.
 */
function answerOf(hook: Hook): Pick<Commit, 'secretTime' | 'secretTold'> {
  if (!('secret' in hook)) return {};
  const { secret, revision, due = '' } = hook;
  switch (hook.kind) {
    case 'secret-rotate':
      return { secretTime: { kind: 'rotated', secret, revision, due } };
    case 'secret-expired':
      return { secretTime: { kind: 'expired', secret, revision, due } };
    case 'secret-changed':
      return { secretTold: { kind: 'changed', secret, revision } };
    case 'secret-remove':
      return { secretTold: { kind: 'obsolete', secret, revision } };
  }
}

function eventOf(hook: Hook): HookEvent {
  const name = hookName(hook);
  if ('storage' in hook) return { name, storage: hook.storage };
  if ('secret' in hook) {
    const { secret: id, label, revision } = hook;
    const hasRevision = hook.kind === 'secret-expired' || hook.kind === 'secret-remove';
    return { name, secret: { id, label, ...defined({ revision: hasRevision ? revision : undefined }) } };
  }
  if (!('relation' in hook)) return { name };
  const { relation, endpoint, remoteApplication, remoteUnit, departingUnit } = hook;
  return {
    name,
    relation: { id: relation, endpoint },
    remoteApplication,
    ...defined({ remoteUnit, departingUnit }),
  };
}

function toLevel(level: string): LogLevel {
  const upper = level.toUpperCase();
  return logLevels.find((known) => known === upper) ?? 'INFO';
}
