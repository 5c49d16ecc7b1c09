import { call } from '../../client/calls.ts';
import type { Connection } from '../../client/connection.ts';
import { unitTag } from '../../wire/tags.ts';
import { operationOf, type Operation } from './operation.ts';

/** Enqueues an action on each of the units; `mysql/leader` is a unit too. Errors: the controller's. */
export async function runAction(
  connection: Connection,
  {
    units,
    action,
    parameters,
  }: {
    readonly units: readonly string[];
    readonly action: string;
    readonly parameters: Readonly<Record<string, unknown>>;
  },
): Promise<Operation> {
  const actions = units.map((unit) => ({
    receiver: unit.endsWith('/leader') ? unit : unitTag(unit),
    name: action,
    parameters: { ...parameters },
  }));
  return operationOf(await call(connection, 'Action', 'EnqueueOperation', { actions }));
}
