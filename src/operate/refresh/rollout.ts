/** Rolling refreshes as an operator follows and steers them (refresh.md#rolling). */
import { defined } from '../../core/defined.ts';
import { refuseDuringRollout, type RollingRequest } from '../../core/rollout/rollout.ts';
import { call } from '../../client/calls.ts';
import type { Connection } from '../../client/connection.ts';
import type { RequirementsChange } from '../../wire/facades/requirements.ts';
import type { ShownRollout } from '../../wire/facades/rollout.ts';
import type { RefreshPlan } from '../../wire/facades/rollouts.ts';
import type { Operator } from '../operator.ts';
import { poll, type WaitEvent } from '../wait/poll.ts';

export type { RefreshPlan, ShownRollout };
export type RolloutAction = 'Resume' | 'Abort' | 'Rollback';

/** Members of a request that ask for batches. */
export function rollingToWire({ maxUnavailable, waitFor, pauseAfterCanary }: RollingRequest) {
  return {
    'max-unavailable': maxUnavailable,
    'wait-for': waitFor,
    'pause-after-canary': pauseAfterCanary,
  };
}

/**
 * Resumes, aborts or rolls back a roll-out. Errors: those of the controller, such as a roll-out that is not stopped.
 */
export async function actOnRollout(
  connection: Connection,
  application: string,
  action: RolloutAction,
): Promise<{ readonly requirements?: RequirementsChange | undefined }> {
  return action === 'Rollback'
    ? call(connection, 'Rollouts', 'Rollback', { application })
    : call(connection, 'Rollouts', action, { application });
}

/** Returns the changes that Rollback would make. Errors: those of the rollback. */
export function planRollback(connection: Connection, application: string): Promise<RefreshPlan> {
  return call(connection, 'Rollouts', 'PlanRollback', { application });
}

/** The charm that the application has now, and its roll-out, if any. */
export function rolloutOf(
  connection: Connection,
  application: string,
): Promise<{ readonly charm: string; readonly rollout?: ShownRollout | undefined }> {
  return call(connection, 'Rollouts', 'Get', { application });
}

/** Refuses a refresh while a roll-out goes on, before anything is uploaded for it. Errors: ''; those of rolloutOf. */
export async function refuseInRollout(connection: Connection, application: string): Promise<void> {
  const { charm: charmUrl, rollout } = await rolloutOf(connection, application);
  if (!rollout) return;
  const { kind, state, resources } = rollout;
  const names = resources && { names: resources };
  refuseDuringRollout({
    name: application,
    charmUrl,
    rollout: { kind, state, ...defined({ resources: names }) },
  });
}

/** The end of a roll-out that was followed; `replaced`: the application has a charm of somebody else's refresh. */
interface FollowedRollout {
  readonly end: 'finished' | 'paused' | 'stopped' | 'aborted' | 'replaced';
  readonly charm: string;
  /** State of the roll-out; its last state once it is over. */
  readonly rollout?: ShownRollout;
}

/** Reports the progress until nothing more happens by itself. Errors: `not found` when the application is removed. */
export async function followRollout(
  operator: Operator<WaitEvent<ShownRollout>>,
  connection: Connection,
  application: string,
): Promise<FollowedRollout> {
  const { charm: target, rollout: first } = await rolloutOf(connection, application);
  let followed: FollowedRollout | undefined;
  let last: { readonly rollout?: ShownRollout } = first ? { rollout: first } : {};
  await poll<ShownRollout>(operator, {
    timeoutMs: undefined,
    onTimeout: () => new Error('a roll-out is followed without a limit'),
    async check() {
      const { charm, rollout } = await rolloutOf(connection, application);
      if (rollout) last = { rollout };
      if (charm !== target) followed = { end: 'replaced', charm };
      else if (!rollout) followed = { end: 'finished', charm, ...last };
      else if (rollout.state === 'rolling') return rollout;
      else followed = { end: rollout.state, charm, rollout };
      return undefined;
    },
  });
  return followed!;
}
