import { call, type ResultOf } from '../client/calls.ts';
import type { Connection } from '../client/connection.ts';
import { text } from './flags.ts';
import { UsageError } from './errors.ts';
import { formatSections } from './format/tabwriter.ts';

type RestorePlan = ResultOf<'Provisioning', 'RestorePlan'>;

export const hooksFlag = {
  hooks: text(
    '--hooks',
    'Where units go on: keep (where their agents are) or rerun (where the backup has them)',
    {
      default: 'keep',
    },
  ),
};

/** Asks for the plan. Errors: UsageError for another value of --hooks. */
export async function restorePlan(connection: Connection, hooks: string): Promise<RestorePlan> {
  return call(connection, 'Provisioning', 'RestorePlan', { hooks: parseHooks(hooks) });
}

export function parseHooks(hooks: string): 'keep' | 'rerun' {
  if (hooks !== 'keep' && hooks !== 'rerun')
    throw new UsageError(`invalid value "${hooks}" for --hooks: expected keep or rerun`);
  return hooks;
}

/** What a user reads before the table. */
export function restoreSummary({ restored, differences }: RestorePlan, model: string): string {
  if (!restored) return `Model "${model}" was not restored from a backup.`;
  const of = `Model "${model}" was restored at ${restored.at} from the backup of ${restored.backup}`;
  if (restored.state !== 'held') return `${of}; that was accepted (--hooks ${restored.state}).`;
  return `${of}. ${
    differences.length === 0
      ? 'Nothing newer than that is known; accept-restore lets its hooks run.'
      : 'Until accept-restore, what is newer stays as it is, and no hook runs.'
  }`;
}

export function restoreTable({ differences, more }: RestorePlan): string {
  if (differences.length === 0) return '';
  const rows = differences.map(({ kind, name, text: what, outcome }) => [kind, name, what, outcome]);
  const rest = more > 0 ? [['…', '', `${more.toLocaleString('en')} more`, '']] : [];
  return formatSections([{ rows: [['Kind', 'Name', 'Difference', 'When accepted'], ...rows, ...rest] }]);
}
