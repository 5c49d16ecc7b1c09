import { call } from '../../client/calls.ts';
import type { Connection } from '../../client/connection.ts';
import { hasCode, JujuError } from '../../core/errors.ts';
import type { Attributes, Goal } from '../../core/goal/goal.ts';
import type { FullStatus } from '../../wire/facades/client.ts';
import type { Operator } from '../operator.ts';
import { findEntity, type GoalKind } from './goal.ts';
import { poll, type WaitEvent } from './poll.ts';

/** Current state of the entity; undefined while it does not exist. */
export interface GoalState {
  readonly entity: Attributes | undefined;
}

/**
 * Resolves with the entity when it meets the goal. An entity that is removed meets goals for the dead. Errors:
 * `deadline exceeded`; `not found` for an entity that was there and is removed; the controller's.
 */
export async function waitForGoal(
  operator: Operator<WaitEvent<GoalState>>,
  connection: Connection,
  {
    kind,
    name,
    goal,
    timeoutMs,
  }: {
    readonly kind: GoalKind;
    readonly name: string;
    readonly goal: Goal;
    readonly timeoutMs: number;
  },
): Promise<Attributes> {
  let seen: Attributes | undefined;
  await poll<GoalState>(operator, {
    timeoutMs,
    async check() {
      const status = await statusOf(connection, seen !== undefined);
      const entity = status && findEntity(status, kind, name);
      if (!entity && seen) {
        seen = { ...seen, life: 'dead' };
        if (goal.isMet(seen)) return undefined;
        throw new JujuError('not found', `${kind} "${name}" removed`);
      }
      seen = entity;
      return entity && goal.isMet(entity) ? undefined : { entity };
    },
    onTimeout: () =>
      new JujuError('deadline exceeded', `timed out waiting for ${kind} "${name}" to reach the goal state`),
  });
  return seen!;
}

/** The model's status; undefined for a model that is removed by now, when it was `known` to be there. */
async function statusOf(connection: Connection, known: boolean): Promise<FullStatus | undefined> {
  try {
    return await call(connection, 'Client', 'FullStatus', { patterns: [], 'include-storage': false });
  } catch (error) {
    if (known && hasCode(error, 'model not found')) return undefined;
    throw error;
  }
}
