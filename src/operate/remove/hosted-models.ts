import { call } from '../../client/calls.ts';
import type { Connection } from '../../client/connection.ts';
import { JujuError } from '../../core/errors.ts';
import { modelTag } from '../../wire/tags.ts';
import type { Operator } from '../operator.ts';
import { overLosses, type Reach, type Unreachable } from '../wait/over-losses.ts';
import { poll, type WaitEvent } from '../wait/poll.ts';

export type HostedModel = Awaited<ReturnType<typeof hostedModels>>[number];

/** Returns the ModelStatus and name of every model but the controller's own. */
export async function hostedModels(connection: Connection) {
  const { 'user-models': userModels } = await call(connection, 'Controller', 'AllModels', {});
  const models = userModels.map(({ model }) => model);
  const { models: statuses } = await call(connection, 'Controller', 'ModelStatus', {
    entities: models.map(({ uuid }) => ({ tag: modelTag(uuid) })),
  });
  return statuses.flatMap((status, i) => {
    const model = models[i]!;
    if (status.error || model.name === 'controller') return [];
    return [{ ...status, name: `${model['owner-tag'].replace(/^user-/, '')}/${model.name}` }];
  });
}

/**
 * Resolves when only the controller's own model is left. The controller may go and come back meanwhile. Errors:
 * `deadline exceeded`; `try again` when the controller stays away.
 */
export function waitForNoModels(
  operator: Operator<WaitEvent<readonly HostedModel[] | Unreachable>>,
  reach: Reach,
  timeoutMs: number | undefined,
): Promise<void> {
  return poll<readonly HostedModel[] | Unreachable>(operator, {
    timeoutMs,
    check: overLosses(
      operator.clock,
      reach,
      async (connection) => {
        const hosted = await hostedModels(connection);
        return hosted.length > 0 ? hosted : undefined;
      },
      (error) =>
        new JujuError(
          error.code,
          `${error.message}\nIts models were being removed when it answered last, and the removal continues when it serves again`,
          { cause: error },
        ),
    ),
    onTimeout: () => new JujuError('deadline exceeded', 'timed out waiting for models to be destroyed'),
  });
}
