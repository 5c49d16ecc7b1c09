import { call } from '../../client/calls.ts';
import { JujuError } from '../../core/errors.ts';
import { modelTag } from '../../wire/tags.ts';
import type { Operator } from '../operator.ts';
import type { ControllerSession } from '../sessions.ts';
import { poll, type WaitEvent } from '../wait/poll.ts';

export type HostedModel = Awaited<ReturnType<typeof hostedModels>>[number];

/** Returns the ModelStatus and name of every model but the controller's own. */
export async function hostedModels(session: ControllerSession) {
  const { 'user-models': userModels } = await call(session.connection, 'Controller', 'AllModels', {});
  const models = userModels.map(({ model }) => model);
  const { models: statuses } = await call(session.connection, 'Controller', 'ModelStatus', {
    entities: models.map(({ uuid }) => ({ tag: modelTag(uuid) })),
  });
  return statuses.flatMap((status, i) => {
    const model = models[i]!;
    if (status.error || model.name === 'controller') return [];
    return [{ ...status, name: `${model['owner-tag'].replace(/^user-/, '')}/${model.name}` }];
  });
}

/** Resolves when only the controller's own model is left. Errors: `deadline exceeded`. */
export function waitForNoModels(
  operator: Operator<WaitEvent<readonly HostedModel[]>>,
  session: ControllerSession,
  timeoutMs: number | undefined,
): Promise<void> {
  return poll<readonly HostedModel[]>(operator, {
    timeoutMs,
    async check() {
      const hosted = await hostedModels(session);
      return hosted.length > 0 ? hosted : undefined;
    },
    onTimeout: () => new JujuError('deadline exceeded', 'timed out waiting for models to be destroyed'),
  });
}
