/** The end of a controller: what destroy-controller and kill-controller share. */
import { JujuError } from '../core/errors.ts';
import { modelTag } from '../wire/tags.ts';
import type { CommandContext, ControllerSession } from './context.ts';
import { call } from './calls.ts';
import { stopDaemon } from './daemon.ts';
import { findDataDir, openEnviron, removeDataDir } from './local-controller.ts';
import { waitFor } from './wait.ts';

/** Waits until only the controller's own model is left, telling what is still there. Errors: JujuError on timeout. */
export async function waitForModels(
  context: CommandContext,
  session: ControllerSession,
  timeoutMs?: number,
): Promise<void> {
  await waitFor(context, {
    what: 'models',
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    async check() {
      const hosted = await hostedModels(session);
      if (hosted.length === 0) return undefined;
      const sum = (key: 'hosted-machine-count' | 'application-count'): number =>
        hosted.reduce((n, m) => n + (m[key] ?? 0), 0);
      const parts = [
        count(hosted.length, 'model'),
        count(sum('hosted-machine-count'), 'machine'),
        count(sum('application-count'), 'application'),
      ];
      return `Waiting for ${parts.filter((part) => !part.startsWith('0 ')).join(', ')}`;
    },
    onTimeout: () => new JujuError('deadline exceeded', 'timed out waiting for models to be destroyed'),
  });
  context.info('All models reclaimed, cleaning up controller machines');
}

/** Every model but the controller's own, as ModelStatus tells it, with its name. */
export async function hostedModels(session: ControllerSession) {
  const { 'user-models': all } = await call(session.connection, 'Controller', 'AllModels', {});
  const models = all.map(({ model }) => model);
  const { models: statuses } = await call(session.connection, 'Controller', 'ModelStatus', {
    entities: models.map(({ uuid }) => ({ tag: modelTag(uuid) })),
  });
  return statuses.flatMap((status, i) => {
    const model = models[i]!;
    if (status.error || model.name === 'controller') return [];
    return [{ ...status, name: `${model['owner-tag'].replace(/^user-/, '')}/${model.name}` }];
  });
}

/**
 * Takes away what a controller on this host consists of: first its process, which would start machines again, then
 * whatever carries its tags, its data and what the client knows of it.
 */
export async function removeController(context: CommandContext, controller: string): Promise<void> {
  const store = await context.store();
  const dataDir = await findDataDir(context, controller);
  if (dataDir) {
    const config = await store.bootstrapConfig(controller);
    await context.progress('Stopping the controller', stopDaemon({ dataDir, clock: context.io.clock }));
    const environ = await openEnviron(context, {
      controller,
      modelUuid: config?.['controller-model-uuid'] ?? '',
      modelName: 'controller',
    });
    await context.progress(
      'Removing machines',
      environ?.destroyController(context.io.signal) ?? Promise.resolve(),
    );
    await removeDataDir(dataDir);
  }
  await store.removeController(controller);
}

export function count(n: number, what: string): string {
  return `${n} ${what}${n === 1 ? '' : 's'}`;
}
