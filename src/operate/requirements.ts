/** Applications that wait for required relations, as a controller lists them. */
import { call } from '../client/calls.ts';
import type { Connection } from '../client/connection.ts';
import { hasCode } from '../core/errors.ts';
import type { PendingApplication, RequirementsChange } from '../wire/facades/requirements.ts';

/**
 * Merges the changes of one command, which removed the applications `gone`. The last change of each application counts.
 */
export function mergeRequirements(
  changes: readonly (RequirementsChange | undefined)[],
  removed: readonly string[] = [],
): RequirementsChange {
  const reported = changes.filter((change) => change !== undefined);
  const pending = new Map(reported.flatMap((one) => one.pending).map((one) => [one.application, one]));
  for (const name of removed) pending.delete(name);
  return {
    deployable: [...new Set(reported.flatMap((one) => one.deployable))],
    running: [...new Set(reported.flatMap((one) => one.running))],
    circles: reported.flatMap((one) => one.circles),
    pending: [...pending.values()],
  };
}

/** Returns the pending applications; none for controllers without requirements. */
export async function pendingNow(connection: Connection): Promise<readonly PendingApplication[]> {
  try {
    return (await call(connection, 'Requirements', 'Pending', {})).applications;
  } catch (error) {
    if (hasCode(error, 'not implemented')) return [];
    throw error;
  }
}
