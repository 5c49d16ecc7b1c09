import type { Settled } from '../../../core/requirements/settle.ts';
import type { RequirementsChange } from '../../../wire/facades/requirements.ts';
import type { View } from '../../transactions/tx.ts';
import { pendingApplication } from './pending-application.ts';

/** Maximum number of waiting applications in a result; Requirements.Pending has them all. */
const pendingMax = 100;

/**
 * Effects of a command on requirements: what it settled, and which of the applications named in `subjects` wait. The
 * members of results are empty when there are none. Read in the command's own transaction.
 */
export function requirementsChange(
  view: View,
  subjects: readonly string[],
  settled?: Settled,
): { requirements?: RequirementsChange } {
  const changed = [...(settled?.changed ?? [])].filter(([, missing]) => missing).map(([name]) => name);
  const pending: RequirementsChange['pending'][number][] = [];
  for (const name of new Set([...subjects, ...changed.sort()])) {
    const application = view.get('application', name);
    const entry = application && pendingApplication(view, application);
    if (entry) pending.push(entry);
    if (pending.length === pendingMax) break;
  }
  const { deployable = [], circles = [] } = settled ?? {};
  if (deployable.length + pending.length === 0) return {};
  const running = deployable.filter(
    (name) => view.count('unit', 'unplaced', name) === 0 && view.count('unit', 'application', name) > 0,
  );
  return { requirements: { deployable, running, circles, pending } };
}
