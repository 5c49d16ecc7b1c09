import { call, type ResultOf } from '../../client/calls.ts';
import { defined } from '../../core/defined.ts';
import { isApplicationName, isMachineId, isUnitName } from '../../core/names.ts';
import { parseTag } from '../../wire/tags.ts';
import { command, formatFlags, modelFlags } from '../command.ts';
import { noMoreArgs, UsageError } from '../errors.ts';
import { bool, commas, int } from '../flags.ts';
import { render } from '../format/render.ts';
import { formatSections } from '../format/tabwriter.ts';
import { formatTimeWithZone } from '../format/time.ts';
import { describeOperation, idOf } from '../tasks/describe.ts';

/** Number of operations that the controller returns at most, unless --limit says more. */
const defaultLimit = 50;
/** Number of task ids that a row shows. */
const shownTasks = 5;

const statuses = ['pending', 'running', 'completed', 'failed', 'cancelled', 'aborting', 'aborted', 'error'];

export const operations = command({
  name: 'operations',
  summary:
    'Lists pending, running, or completed operations for specified application, units, machines, or all.',
  details: `Lists operations, the oldest first; without filters all of the model. An operation is in the list when it
has to do with any of the applications, units or machines, and with any of the actions, and has any of the statuses.`,
  examples: [
    'operations',
    'operations --format yaml',
    'operations --actions backup,restore',
    'operations --apps mysql,mediawiki',
    'operations --units mysql/0,mediawiki/1',
    'operations --machines 0,1',
    'operations --status pending,completed',
  ],
  seeAlso: ['run', 'show-operation', 'show-task'],
  flags: {
    ...modelFlags,
    ...formatFlags('plain', 'json', 'yaml'),
    actions: commas('--actions', 'Comma separated list of actions names to filter on'),
    apps: commas('--apps, --applications', 'Comma separated list of applications to filter on', {
      completes: 'application',
    }),
    limit: int('--limit', 'The maximum number of operations to return'),
    machines: commas('--machines', 'Comma separated list of machines to filter on', { completes: 'machine' }),
    offset: int('--offset', 'Return operations from offset onwards'),
    status: commas('--status', 'Comma separated list of operation status values to filter on', {
      completes: statuses,
    }),
    units: commas('--units', 'Comma separated list of units to filter on', { completes: 'unit' }),
    utc: bool('--utc', 'Show times in UTC'),
  },
  async run(context, flags, args) {
    noMoreArgs(args);
    checkFilters(flags);
    const { connection } = await context.openModel(flags.model);
    const answer = await call(connection, 'Action', 'ListOperations', {
      ...defined({
        applications: some(flags.apps),
        units: some(flags.units),
        machines: some(flags.machines),
        actions: some(flags.actions),
        status: some(flags.status),
      }),
      offset: flags.offset,
      limit: flags.limit,
    });
    const found = [...answer.results].reverse();
    if (flags.format !== 'plain') {
      const shown = found.map((one) => [numberOf(one), describeOperation(one, flags.utc)] as const);
      return context.write(render(flags.format, Object.fromEntries(shown)));
    }
    if (found.length === 0) return context.info('no matching operations');
    await context.write(
      `${answer.truncated ? batchNote(found.length, flags) : ''}${table(found, flags.utc)}`,
    );
  },
});

type Operation = ResultOf<'Action', 'ListOperations'>['results'][number];

interface Filters {
  readonly apps: readonly string[];
  readonly units: readonly string[];
  readonly machines: readonly string[];
  readonly status: readonly string[];
  readonly limit: number;
  readonly offset: number;
}

function checkFilters({ apps, units, machines, status, limit, offset }: Filters): void {
  const invalid = [
    ...apps.filter((name) => !isApplicationName(name)).map((name) => `invalid application name "${name}"`),
    ...units.filter((name) => !isUnitName(name)).map((name) => `invalid unit name "${name}"`),
    ...machines.filter((id) => !isMachineId(id)).map((id) => `invalid machine id "${id}"`),
    ...status
      .filter((name) => !statuses.includes(name))
      .map((name) => `"${name}" is not a valid task status, want one of ${JSON.stringify(statuses)}`),
  ];
  if (invalid[0] !== undefined) throw new UsageError(invalid[0]);
  if (limit < 0) throw new UsageError(`limit must be positive, got ${limit}`);
  if (offset < 0) throw new UsageError(`offset must be positive, got ${offset}`);
}

function batchNote(count: number, { limit, offset }: Filters): string {
  const next = `--offset=${offset + count} --limit=${limit || defaultLimit}`;
  return `Displaying operation results ${offset + 1} to ${offset + count}.\nRun the command again with ${next} to see the next batch.\n\n`;
}

function table(found: readonly Operation[], utc: boolean): string {
  const rows = found.map((operation) => {
    const ids = (operation.actions ?? []).map(idOf);
    return [
      numberOf(operation),
      operation.status ?? '',
      shownTime(operation.started, utc),
      shownTime(operation.completed, utc),
      ids.length > shownTasks ? `${ids.slice(0, shownTasks).join(',')}...` : ids.join(','),
      operation.summary,
    ];
  });
  const head = ['ID', 'Status', 'Started', 'Finished', 'Task IDs', 'Summary'];
  return formatSections([{ rows: [head, ...rows], right: [0] }]);
}

/** Formats a time: `2026-01-02T15:04:05`. */
function shownTime(time: string | undefined, utc: boolean): string {
  return formatTimeWithZone(time, utc).slice(0, 19).replace(' ', 'T');
}

const numberOf = ({ operation }: Operation): string => parseTag(operation).id;

const some = (values: readonly string[]): string[] | undefined =>
  values.length > 0 ? [...values] : undefined;
