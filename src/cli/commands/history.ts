import { summarise } from '../../core/history/summarise.ts';
import { call, type ResultOf } from '../../client/calls.ts';
import { command, formatFlags, modelFlags } from '../command.ts';
import type { Connection } from '../../client/connection.ts';
import type { CommandContext } from '../context.ts';
import { UsageError } from '../errors.ts';
import { bool, int, text } from '../flags.ts';
import { render } from '../format/render.ts';
import { formatSections, type Cell } from '../format/tabwriter.ts';
import { formatTime } from '../format/time.ts';
import { parsePastTime } from '../past-time.ts';
import { timeStyle } from '../time-style.ts';
import { defined } from '../../core/defined.ts';
import { hasCode } from '../../core/errors.ts';

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

--follow goes on with each new change until you stop it, also after the controller was away for a while; with --format
json each change is then one line.

The last 20 changes are shown. -n shows more (0: all); --days, --from-date and --after show all changes since then.
The history has a limited size; when older changes exist, the command says how to see them.`,
  examples: [
    'history',
    'history mysql/0',
    'history -n 100 mysql',
    'history wordpress:db mysql:server',
    'history --from-date 2026-11-21 --by admin',
    'history --after 1234 --format json',
    'history --follow mysql',
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
    follow: bool('-f, --follow', 'Continue with new changes until you stop it'),
    status: bool('--status', 'Show all statuses too'),
    utc: bool('--utc', 'Display time as UTC in RFC3339 format'),
  },
  async run(context, flags, args, givenFlags) {
    if (flags.days > 0 && flags.fromDate) throw new UsageError('--days and --from-date cannot be combined');
    if (flags.number < 0) throw new UsageError('--limit must not be negative');
    if (flags.follow && flags.before > 0) throw new UsageError('--follow and --before cannot be combined');
    const bounded = flags.days > 0 || flags.fromDate !== '' || flags.after > 0;
    const limit = bounded && !givenFlags.has('number') ? 0 : flags.number;
    const since = sinceOf(flags, context.io.clock.now());
    const { connection, controller, modelUuid } = await context.openModel(flags.model);
    const query: Query = {
      names: [...args],
      limit,
      after: Math.max(0, flags.after),
      ...defined({
        before: flags.before > 0 ? flags.before : undefined,
        since: since === undefined ? undefined : new Date(since).toISOString(),
        by: flags.by || undefined,
      }),
      statuses: flags.status,
    };
    const page = await context.progress('Waiting for the history', fetchHistory(connection, query));
    const style = timeStyle(context.io, flags.utc);
    const commits = page.commits.toReversed();
    if (flags.follow) {
      const { newest } = page;
      if (newest === undefined)
        throw new UsageError('--follow is not supported by this controller: its version is too old');
      await follow(context, flags.format, (time) => formatTime(time, style), {
        commits,
        newest,
        more: reconnecting(context, {
          first: connection,
          // Somebody may have switched to another model meanwhile, or stopped the controller on purpose.
          again: async () =>
            (await context.openModel(`${controller}:${modelUuid}`, { starts: false })).connection,
          ask: async (current, after) => fetchHistory(current, { ...query, limit: 0, after }),
        }),
      });
      return;
    }
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

type Query = Parameters<typeof call<'Lives', 'History'>>[3] & { readonly limit: number };

/** Fetches pages until the limit is reached; newest commits first. */
async function fetchHistory(connection: Connection, query: Query): Promise<Page> {
  const commits: Commit[] = [];
  let newest: number | undefined;
  for (let before = query.before; ;) {
    const remaining = query.limit === 0 ? 0 : query.limit - commits.length;
    const page = await call(connection, 'Lives', 'History', {
      ...query,
      limit: remaining,
      ...defined({ before }),
    });
    commits.push(...page.commits);
    newest ??= page.newest;
    if (page.next === undefined || (query.limit > 0 && commits.length >= query.limit))
      return { ...page, commits, ...defined({ newest }) };
    before = page.next;
  }
}

/** Interval at which new changes are asked for, and a lost connection is opened again. */
const followMs = 1000;

interface Asking {
  readonly first: Connection;
  readonly again: () => Promise<Connection>;
  readonly ask: (connection: Connection, after: number) => Promise<Page>;
}

/** Returns a function that asks, with a new connection when the last one is lost. */
function reconnecting(
  context: Pick<CommandContext, 'io' | 'info'>,
  { first, again, ask }: Asking,
): Followed['more'] {
  let connection: Connection | undefined = first;
  let isAway = false;
  return async (after) => {
    try {
      connection ??= await again();
      const page = await ask(connection, after);
      isAway = false;
      return page;
    } catch (error) {
      if (context.io.signal.aborted || !hasCode(error, 'try again')) throw error;
      if (!isAway) context.info(`${error.message}; reconnecting`);
      isAway = true;
      // The connection may be open in spite of this error.
      void connection?.close().catch(() => undefined);
      connection = undefined;
      return undefined;
    }
  };
}

interface Followed {
  /** Changes so far, oldest first. */
  readonly commits: readonly Commit[];
  /** Revision up to which they are known. */
  readonly newest: number;
  /** Asks for the changes after a revision; undefined while the controller is away. */
  readonly more: (after: number) => Promise<Page | undefined>;
}

/** Shows the changes so far, and then each new one, until the user stops it or nobody reads the output. */
async function follow(
  context: CommandContext,
  format: string,
  time: (text: string) => string,
  followed: Followed,
): Promise<void> {
  const { io } = context;
  const header = rowsOf([], time);
  const widths = widthsOf([...header, ...rowsOf(followed.commits, time)]);
  let { commits, newest } = followed;
  for (let isFirst = true; ; isFirst = false) {
    const text =
      format === 'tabular'
        ? formatSections([
            { rows: [...(isFirst ? header : []), ...rowsOf(commits, time).slice(1)].map(padded(widths)) },
          ])
        : commits.map((commit) => documentOf(format, shownCommit(commit))).join('');
    if (text !== '') await context.write(text);
    await io.clock.sleep(followMs, io.signal);
    if (io.stdout.isClosed) return;
    const page = await followed.more(newest);
    commits = page?.commits.toReversed() ?? [];
    newest = page?.newest ?? newest;
  }
}

/** A change as a line of JSON, or as an item of a YAML list that goes on. */
function documentOf(format: string, commit: object): string {
  return render(format, format === 'json' ? commit : [commit]);
}

/** Widths of the columns but the last. */
function widthsOf(rows: readonly (readonly string[])[]): number[] {
  const [first = []] = rows;
  return first.slice(0, -1).map((_, i) => Math.max(...rows.map((row) => row[i]?.length ?? 0)));
}

/** Pads the cells, so that later rows stand under those that were printed before. */
const padded =
  (widths: readonly number[]) =>
  (row: readonly string[]): Cell[] =>
    row.map((cell, i) => cell.padEnd(widths[i] ?? 0));

function rowsOf(commits: readonly Commit[], time: (text: string) => string): string[][] {
  const rows = [['Revision', 'Time', 'By', 'Change']];
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
