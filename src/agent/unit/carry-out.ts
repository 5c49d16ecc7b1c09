import { hasCode } from '../../core/errors.ts';
import {
  acceptLeadership,
  enterScope,
  forget,
  leaveScope,
  prepareLeaveScope,
  resignLeadership,
} from '../../core/unit/advance.ts';
import type { Hook } from '../../core/unit/local-state.ts';
import type { Operation } from '../../core/unit/next-operation.ts';
import type { RemoteState } from '../../core/unit/remote-state.ts';
import { deployOperation } from './deploy-operation.ts';
import { runHookOperation, skipHookOperation } from './run-hook-operation.ts';
import type { UnitWorld } from './world.ts';

const scopeRetryMs = { yet: 3_000, refused: 30_000 };

/**
 * Carries out the operation of nextOperation. Returns `wait` when the controller must answer before the next one can
 * be chosen.
 */
export async function carryOut(
  world: UnitWorld,
  op: Exclude<Operation, { kind: 'wait' | 'terminate' }>,
  remote: RemoteState,
  signal: AbortSignal,
): Promise<'again' | 'wait'> {
  const { unit, api, state, log } = world;
  const restore = world.runsAfter();
  switch (op.kind) {
    case 'deploy':
      await deployOperation(world, op, signal);
      return 'again';
    case 'run-hook':
      if (world.timers.paused) return 'wait';
      if (op.clearResolved) await clearResolved(world, signal);
      if (await isSecretGone(world, op.hook, remote, signal))
        await skipHookOperation(world, op.hook, remote, signal);
      else await runHookOperation(world, op.hook, { remote, restore }, signal);
      return 'again';
    case 'skip-hook':
      // The flag is cleared first: a lost skip can be asked for again, while a skip that is kept would skip the next
      // failure.
      if (op.clearResolved) await clearResolved(world, signal);
      await skipHookOperation(world, op.hook, remote, signal);
      return 'again';
    case 'clear-resolved':
      await clearResolved(world, signal);
      return 'again';
    case 'forget':
      state.set(forget(state.local));
      return 'again';
    case 'accept-leadership':
      state.set(acceptLeadership(state.local, remote));
      return 'again';
    case 'resign-leadership':
      state.set(resignLeadership(state.local, remote.leaderSettingsVersion));
      return 'again';
    case 'enter-scope':
      await enter(world, op.relation, remote, signal);
      return 'again';
    case 'prepare-leave-scope':
      await unlessGone(api.call('PrepareLeaveScope', { unit, relation: op.relation }, { signal }));
      state.set(prepareLeaveScope(state.local, op.relation));
      return 'again';
    case 'leave-scope':
      await unlessGone(api.call('LeaveScope', { unit, relation: op.relation }, { signal }));
      // A relation that the unit does not remember counts as left when the stream says so.
      if (!state.local.relations[op.relation]) return 'wait';
      state.set(leaveScope(state.local, op.relation));
      return 'again';
    case 'destroy-unit':
      await api.call('DestroyUnit', { unit }, { signal });
      return 'wait';
    case 'destroy-subordinates':
      await api.call('DestroySubordinates', { unit }, { signal });
      return 'wait';
    case 'release-storage':
      // The storage is gone from the mirror when the controller's stream says so.
      await api.call('ReleaseStorage', { unit, storage: op.storage }, { signal });
      return 'wait';
    case 'dead':
      await state.save(signal);
      await api.call('UnitDead', { unit }, { signal });
      log.info('unit is dead');
      return 'wait';
  }
}

/**
 * Whether the secret of a secret-changed that runs again is gone, or taken from the unit: the mirror does not tell, as
 * it has no secrets with which nothing is due.
 */
async function isSecretGone(
  { unit, api }: UnitWorld,
  hook: Hook,
  remote: RemoteState,
  signal: AbortSignal,
): Promise<boolean> {
  if (hook.kind !== 'secret-changed' || remote.secrets.has(hook.secret)) return false;
  const reading = { unit, id: hook.secret, label: '', peek: true, refresh: false };
  try {
    await api.call('SecretContent', reading, { signal });
    return false;
  } catch (error) {
    return hasCode(error, 'not found') || hasCode(error, 'unauthorized access');
  }
}

async function clearResolved({ unit, api, mirror }: UnitWorld, signal: AbortSignal): Promise<void> {
  await api.call('ClearResolved', { unit }, { signal });
  mirror.resolvedCleared(unit);
}

async function enter(
  world: UnitWorld,
  relation: number,
  remote: RemoteState,
  signal: AbortSignal,
): Promise<void> {
  const { unit, api, state, timers, log } = world;
  try {
    await api.call('EnterScope', { unit, relation }, { signal });
  } catch (error) {
    const isTooEarly = hasCode(error, 'cannot enter scope yet');
    if (!isTooEarly && !hasCode(error, 'cannot enter scope') && !hasCode(error, 'not found')) throw error;
    log.debug('scope not entered', { relation, why: (error as Error).message });
    timers.defer(relation, isTooEarly ? scopeRetryMs.yet : scopeRetryMs.refused);
    return;
  }
  const endpoint = remote.relations[relation]?.endpoint ?? '';
  state.set(enterScope(state.local, relation, endpoint));
}

/** Ignores errors about a relation that was removed with its scopes: it has been left. */
async function unlessGone(call: Promise<unknown>): Promise<void> {
  try {
    await call;
  } catch (error) {
    if (!hasCode(error, 'not found')) throw error;
  }
}
