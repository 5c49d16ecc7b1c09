import { unitCounts } from '../../../core/application/unit-counts.ts';
import type { ApplicationDoc } from '../../../core/application/document.ts';
import type { PendingApplication } from '../../../wire/facades/requirements.ts';
import type { View } from '../../transactions/tx.ts';

/**
 * Requirements that an application waits for, with its waiting units; undefined for one that does not wait, or is
 * dying.
 */
export function pendingApplication(
  view: View,
  { name, life, pending }: ApplicationDoc,
): PendingApplication | undefined {
  if (!pending || life !== 'alive') return undefined;
  const { waiting, running } = unitCounts(name, view);
  return { application: name, since: pending.since, missing: pending.missing, units: waiting, running };
}

/** Requirements of a waiting application, as results have them: empty when it does not wait. */
export function pendingOf(
  view: View,
  application: ApplicationDoc,
): { pending?: Omit<PendingApplication, 'application'> } {
  const waiting = pendingApplication(view, application);
  if (!waiting) return {};
  const { application: _, ...pending } = waiting;
  return { pending };
}
