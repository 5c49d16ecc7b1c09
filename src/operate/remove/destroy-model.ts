/** Removal of a model: its plan, the request, and the wait until the model is gone. */
import { call, errorOf, only } from '../../client/calls.ts';
import type { Connection } from '../../client/connection.ts';
import { JujuError } from '../../core/errors.ts';
import type { PlannedRemoval } from '../../wire/facades/removal-plan.ts';
import { modelTag } from '../../wire/tags.ts';
import type { Operator } from '../operator.ts';
import type { ModelTarget } from '../sessions.ts';
import { overLosses, type Reach, type Unreachable } from '../wait/over-losses.ts';
import { poll, type WaitEvent } from '../wait/poll.ts';
import { endParams, type EndOptions } from './end-params.ts';
import { defined } from '../../core/defined.ts';

interface ModelEnd extends EndOptions {
  readonly timeoutMs: number | undefined;
}

/** Returns what the removal of the model would do. Errors: those that would refuse the removal. */
export async function planModelRemoval(
  connection: Connection,
  { uuid }: ModelTarget,
  end: ModelEnd,
): Promise<PlannedRemoval> {
  const { 'max-wait': _, ...planParams } = endParams(end);
  const { results } = await call(connection, 'Lives', 'PlanModelRemoval', {
    models: [{ 'model-tag': modelTag(uuid), ...planParams }],
  });
  return only(results).plan!;
}

/** Destroys the model. When it resolves, with the controller's warnings, the model is dying. */
export async function destroyModel(
  connection: Connection,
  { uuid }: ModelTarget,
  end: ModelEnd,
): Promise<readonly string[]> {
  const { timeoutMs } = end;
  const { results } = await call(connection, 'ModelManager', 'DestroyModels', {
    models: [
      {
        'model-tag': modelTag(uuid),
        ...endParams(end),
        ...defined({ timeout: timeoutMs === undefined ? undefined : timeoutMs * 1e6 }),
      },
    ],
  });
  return only(results).warnings ?? [];
}

/** Contents that a dying model still has. `cloud` is the cloud's error when there are no other contents. */
export interface ModelRemains {
  readonly machines: number;
  readonly applications: number;
  readonly units: number;
  readonly cloud: string;
}

/**
 * Time in milliseconds after the deadline of force in which the controller clears what is left and releases the
 * instances.
 */
const clearingMs = 60_000;

/**
 * Resolves when the controller no longer knows the model. The controller may go and come back meanwhile. Errors:
 * `deadline exceeded`; `try again` when the controller stays away.
 */
export function waitUntilGone(
  operator: Operator<WaitEvent<ModelRemains | Unreachable>>,
  reach: Reach,
  target: ModelTarget,
  { force, timeoutMs }: ModelEnd,
): Promise<void> {
  return poll<ModelRemains | Unreachable>(operator, {
    timeoutMs: timeoutMs === undefined || !force ? timeoutMs : timeoutMs + clearingMs,
    check: overLosses(
      operator.clock,
      reach,
      (connection) => remainingOf(connection, target.uuid),
      (error) =>
        new JujuError(
          error.code,
          `${error.message}\nModel "${target.model}" was being removed when the controller answered last, and the removal continues when it serves again: see 'grigri models -c ${target.controller}'`,
          { cause: error },
        ),
    ),
    onTimeout: () =>
      new JujuError(
        'deadline exceeded',
        `timed out waiting for model "${target.model}" to be removed; the removal continues: see 'grigri status -m ${target.controller}:${target.model}'`,
      ),
  });
}

async function remainingOf(connection: Connection, uuid: string): Promise<ModelRemains | undefined> {
  const { models } = await call(connection, 'ModelManager', 'ModelStatus', {
    entities: [{ tag: modelTag(uuid) }],
  });
  const status = models[0];
  if (!status || status.error?.code === 'not found' || status.error?.code === 'model not found')
    return undefined;
  if (status.error) throw errorOf(status.error);
  const machines = status['hosted-machine-count'] ?? 0;
  const applications = status['application-count'] ?? 0;
  const units = status['unit-count'] ?? 0;
  const cloud = machines + applications + units > 0 ? '' : await infoOf(connection, uuid);
  return { machines, applications, units, cloud };
}

async function infoOf(connection: Connection, uuid: string): Promise<string> {
  const { results } = await call(connection, 'ModelManager', 'ModelInfo', {
    entities: [{ tag: modelTag(uuid) }],
  });
  return results[0]?.result?.status.info ?? '';
}
