import { call } from '../../client/calls.ts';
import type { Connection } from '../../client/connection.ts';
import { JujuError } from '../../core/errors.ts';
import type { Attributes } from '../../core/goal.ts';
import type { Operator } from '../operator.ts';
import { findEntity, type GoalKind } from './goal.ts';
import { poll, type WaitEvent } from './poll.ts';

/** Current state of the entity; undefined while it does not exist. */
export interface GoalState {
  readonly entity: Attributes | undefined;
}

/** Resolves when the entity meets `goal`. Errors: `deadline exceeded`; the controller's. */
export function waitForGoal(
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
    readonly goal: (entity: Attributes) => boolean;
    readonly timeoutMs: number;
  },
): Promise<void> {
  return poll<GoalState>(operator, {
    timeoutMs,
    async check() {
      const status = await call(connection, 'Client', 'FullStatus', {
        patterns: [],
        'include-storage': false,
      });
      const entity = findEntity(status, kind, name);
      return entity && goal(entity) ? undefined : { entity };
    },
    onTimeout: () =>
      new JujuError('deadline exceeded', `timed out waiting for ${kind} "${name}" to reach the goal state`),
  });
}
