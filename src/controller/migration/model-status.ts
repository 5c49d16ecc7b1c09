import { defined } from '../../core/defined.ts';
import type { MigrationDoc } from '../../core/migration/document.ts';
import { isActive, phaseText } from '../../core/migration/phases.ts';
import type { Status } from '../../core/status.ts';
import { statusOf, type View } from '../transactions/tx.ts';

/** Status of a model as users see it: with the migration that is going on, or was given up since. `view`: of the model. */
export function modelStatus(view: View, createdAt: string): Status {
  const status = statusOf(view, 'model', '', createdAt);
  const migration = view.in('').get('migration', view.space);
  if (!migration) return status;
  const message = `migrating: ${phaseText(migration)}`;
  if (isActive(migration)) return { ...status, status: 'busy', message, since: migration.phaseAt };
  const since = migration.endedAt ?? '';
  const isNews = migration.phase === 'ABORTDONE' && status.status === 'available' && since > status.since;
  return isNews ? { ...status, message, since } : status;
}

/** The last migration, as ModelInfo and summaries have it. */
export function shownMigration(
  migration: MigrationDoc | undefined,
): { readonly status: string; readonly start: string; readonly end?: string } | undefined {
  if (!migration) return undefined;
  const { startedAt, endedAt } = migration;
  return {
    status: phaseText(migration),
    start: startedAt,
    ...defined({ end: endedAt }),
  };
}
