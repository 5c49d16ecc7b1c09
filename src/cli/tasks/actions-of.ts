import { call, only, type ResultOf } from '../../client/calls.ts';
import type { Connection } from '../../client/connection.ts';
import { isApplicationName } from '../../core/names.ts';
import { applicationTag } from '../../wire/tags.ts';
import { UsageError } from '../errors.ts';

type ActionSpecs = NonNullable<ResultOf<'Action', 'ApplicationsCharmsActions'>['results'][number]['actions']>;

/** Returns the actions of the application's charm by name. Errors: `not found`. */
export async function actionsOf(connection: Connection, application: string): Promise<ActionSpecs> {
  const { results } = await call(connection, 'Action', 'ApplicationsCharmsActions', {
    entities: [{ tag: applicationTag(application) }],
  });
  return only(results).actions ?? {};
}

/** Checks the name of an application. Errors: UsageError. */
export function applicationIn(name: string | undefined): string {
  if (name === undefined) throw new UsageError('no application specified');
  if (!isApplicationName(name)) throw new UsageError(`invalid application name ${JSON.stringify(name)}`);
  return name;
}
