import { summarise } from '../../core/history/summarise.ts';
import { call, type ResultOf } from '../../client/calls.ts';
import { command, formatFlags, modelFlags } from '../command.ts';
import type { CommandContext } from '../context.ts';
import { UsageError } from '../errors.ts';
import { bool, int, text } from '../flags.ts';
import { render } from '../format/render.ts';
import { formatSections, type Cell } from '../format/tabwriter.ts';
import { formatTime } from '../format/time.ts';
import { parsePastTime } from '../past-time.ts';
import { timeStyle } from '../time-style.ts';
import { defined } from '../../core/defined.ts';

type Page = ResultOf<'Lives', 'History'>;
type Commit = Page['commits'][number];

export const history = command({
  name: 'history',
  summary: 'Shows the changes of a model and their authors.',
  usage: '[<entity>]',
  details: `Lists all changes of the model, oldest first: revision, time, author and change. The author ("By") is a
user, the agent of a machine, or a worker of the controller. With an entity, only its changes are listed, even after
its removal: a unit (mysql/0), an application, a machine (3), or a relation (its two endpoints, or "relation 3").

The history of a unit, machine, application or relation includes its statuses, but not each hook that its agent runs.
That of an application includes the creation and removal of its units. That of the model includes only error statuses;
--status includes all of them. Values that may be secret are never shown: only the keys of relation data, leader
settings and annotations are.

The last 20 changes are shown. -n shows more (0: all); --days, --from-date and --after show all changes since then.
The history has a limited size; when older changes exist, the command says how to see them.`,
  examples: [
    'history',
    'history mysql/0',
    'history -n 100 mysql',
    'history wordpress:db mysql:server',
    'history --from-date 2026-11-21 --by admin',
    'history --after 1234 --format json',
  ],
  seeAlso: ['status', 'show-status-log', 'explain'],
  completes: ['unit'],
  flags: {
    ...modelFlags,
    ...formatFlags('tabular', 'json', 'yaml'),
    number: int('-n, --limit', 'Show the last N changes; 0 shows all', 20),
    days: int('--days', 'Show the changes of the past <days> days', 0),
    fromDate: text(
      '--from-date',
      'Show the changes since this time: YYYY-MM-DD, a time, or a duration (10m)',
    ),
    after: int('--after', 'Show only the changes after this revision', 0),
    before: int('--before', 'Show only the changes before this revision', 0),
    by: text('--by', 'Show only the changes by this user, agent (machine-0) or controller worker (cleaner)'),
    status: bool('--status', 'Show all statuses too'),
    utc: bool('--utc', 'Display time as UTC in RFC3339 format'),
  },
  async run(context, flags, args, givenFlags) {
    if (flags.days > 0 && flags.fromDate) throw new UsageError('--days and --from-date cannot be combined');
    if (flags.number < 0) throw new UsageError('--limit must not be negative');
    const bounded = flags.days > 0 || flags.fromDate !== '' || flags.after > 0;
    const limit = bounded && !givenFlags.has('number') ? 0 : flags.number;
    const since = sinceOf(flags, context.io.clock.now());
    const page = await fetchHistory(context, flags.model, {
      names: [...args],
      limit,
      after: Math.max(0, flags.after),
      ...defined({
        before: flags.before > 0 ? flags.before : undefined,
        since: since === undefined ? undefined : new Date(since).toISOString(),
        by: flags.by || undefined,
      }),
      statuses: flags.status,
    });
    const style = timeStyle(context.io, flags.utc);
    const commits = page.commits.toReversed();
    if (commits.length === 0 && flags.format === 'tabular') context.info('No changes found.');
    else
      await context.write(
        render(flags.format, commits.map(shownCommit), {
          tabular: () => formatSections([{ rows: rowsOf(commits, (time) => formatTime(time, style)) }]),
        }),
      );
    const { horizon, next } = page;
    if (next !== undefined)
      context.info(`Older changes exist: use --before ${next} to see them, or -n to see more at once.`);
    else if (horizon.revision > 0 && (horizon.time >= (commits[0]?.time ?? '') || bounded))
      context.info(`History begins at revision ${horizon.revision}, ${formatTime(horizon.time, style)}.`);
  },
});

function sinceOf({ days, fromDate }: { days: number; fromDate: string }, nowMs: number): number | undefined {
  if (days > 0) return nowMs - days * 86_400_000;
  if (!fromDate) return undefined;
  const since = parsePastTime(fromDate, nowMs);
  if (since === undefined)
    throw new UsageError(`parsing backlog date "${fromDate}": expected YYYY-MM-DD, a time, or a duration`);
  return since;
}

/** Fetches pages until the limit is reached; newest commits first. */
async function fetchHistory(
  context: CommandContext,
  model: string,
  params: Parameters<typeof call<'Lives', 'History'>>[3] & { limit: number },
): Promise<Page> {
  const { connection } = await context.openModel(model);
  const commits: Commit[] = [];
  for (let before = params.before; ;) {
    const remaining = params.limit === 0 ? 0 : params.limit - commits.length;
    const page = await context.progress(
      'Waiting for the history',
      call(connection, 'Lives', 'History', {
        ...params,
        limit: remaining,
        ...defined({ before }),
      }),
    );
    commits.push(...page.commits);
    if (page.next === undefined || (params.limit > 0 && commits.length >= params.limit))
      return { ...page, commits };
    before = page.next;
  }
}

function rowsOf(commits: readonly Commit[], time: (text: string) => string): Cell[][] {
  const rows: Cell[][] = [['Revision', 'Time', 'By', 'Change']];
  for (const commit of commits) {
    const lines = summarise(commit.events);
    if (commit.more > 0) lines.push(`and ${commit.more} more changes`);
    for (const [n, line] of lines.entries())
      rows.push(
        n === 0
          ? [String(commit.revision), time(commit.time), authorOf(commit.by), line]
          : ['', '', '', line],
      );
  }
  return rows;
}

/** Formats the author: `user-admin` → `user admin`. Workers have only a name. */
function authorOf(by: string): string {
  if (by.startsWith('user-')) return `user ${by.slice('user-'.length)}`;
  return by.startsWith('machine-') ? `machine ${by.slice('machine-'.length).replaceAll('-', '/')}` : by;
}

function shownCommit({ revision, time, by, events, more }: Commit): object {
  return {
    revision,
    time,
    by,
    changes: events.map(({ subject, what, detail }) => ({
      entity: subject,
      change: detail === '' ? what : `${what} ${detail}`,
    })),
    ...defined({ 'more-changes': more > 0 ? more : undefined }),
  };
}
