import { isMachineId, isUnitName } from '../../core/names.ts';
import { applicationTag, machineTag, modelTag, unitTag } from '../../wire/tags.ts';
import { call, errorOf, only } from '../../client/calls.ts';
import { colourFlags, command, formatFlags, modelFlags } from '../command.ts';
import { noMoreArgs, UsageError } from '../errors.ts';
import { bool, int, text } from '../flags.ts';
import { chooseColour, styleStatus } from '../format/colour.ts';
import { render } from '../format/render.ts';
import { formatSections } from '../format/tabwriter.ts';
import { formatTime } from '../format/time.ts';
import { timeStyle } from '../time-style.ts';
import { defined } from '../../core/defined.ts';

const kinds = [
  'application',
  'container',
  'juju-container',
  'juju-machine',
  'juju-unit',
  'machine',
  'model',
  'saas',
  'unit',
  'workload',
];

export const showStatusLog = command({
  name: 'show-status-log',
  summary: 'Output past statuses for the specified entity.',
  usage: '<entity name>',
  details: `Shows the past statuses of an entity, oldest first. --type selects which: unit (both of the following),
juju-unit (the unit's agent), workload (set by the charm), machine (the instance), juju-machine (the machine's agent),
application, model. Without --type it follows from the name.`,
  examples: ['show-status-log mysql/0', 'show-status-log 3', 'show-status-log --type workload -n 50 mysql/0'],
  seeAlso: ['status'],
  completes: ['unit'],
  flags: {
    ...modelFlags,
    ...formatFlags('tabular', 'json', 'yaml'),
    number: int('-n', 'Returns the last N logs (cannot be combined with --days or --from-date)', 0),
    days: int(
      '--days',
      'Returns the logs for the past <days> days (cannot be combined with -n or --date)',
      0,
    ),
    fromDate: text(
      '--from-date',
      'Returns logs for any date after the passed one, the expected date format is YYYY-MM-DD (cannot be combined with -n or --days)',
    ),
    includeUpdates: bool(
      '--include-status-updates',
      'Include update status hook messages in the returned logs',
    ),
    type: text('--type', `Type of statuses to be displayed [${kinds.join('|')}]`, { completes: kinds }),
    ...colourFlags,
    utc: bool('--utc', 'Display time as UTC in RFC3339 format'),
  },
  async run(context, flags, args) {
    const [name, ...moreArgs] = args;
    if (!name) throw new UsageError('entity name is missing');
    noMoreArgs(moreArgs);
    if ([flags.number > 0, flags.days > 0, flags.fromDate !== ''].filter(Boolean).length > 1) {
      throw new UsageError('backlog size, back from and days cannot be combined');
    }
    if (flags.type && !kinds.includes(flags.type))
      throw new UsageError(`unexpected status type "${flags.type}"`);
    if (flags.fromDate && !/^\d{4}-\d{2}-\d{2}$/.test(flags.fromDate))
      throw new UsageError(`parsing backlog date "${flags.fromDate}": expected YYYY-MM-DD`);
    const { connection, modelUuid } = await context.openModel(flags.model);
    const kind = flags.type || kindOf(name);
    const { results } = await call(connection, 'Client', 'StatusHistory', {
      requests: [
        {
          historyKind: kind,
          size: 0,
          tag: tagOf(kind, name, modelUuid),
          filter: {
            size: flags.number || (flags.days || flags.fromDate ? 0 : 20),
            ...defined({
              date: flags.fromDate ? `${flags.fromDate}T00:00:00Z` : undefined,
              delta: flags.days ? flags.days * 86_400 * 1e9 : undefined,
            }),
            exclude: flags.includeUpdates ? [] : ['running update-status hook'],
          },
        },
      ],
    });
    const { history } = only(results);
    if (history.error) throw errorOf(history.error);
    const style = timeStyle(context.io, flags.utc);
    const list = [...(history.statuses ?? [])].sort((a, b) => Date.parse(a.since) - Date.parse(b.since));
    if (list.length === 0 && flags.format === 'tabular') {
      context.info(`no status history available for "${name}"`);
      return;
    }
    const colour = chooseColour(context.io, flags);
    const shown = list.map((s) => ({
      status: s.status,
      message: s.info || undefined,
      since: formatTime(s.since, style),
      type: s.kind || kind,
    }));
    await context.write(
      render(flags.format, shown, {
        tabular: () =>
          formatSections([
            {
              rows: [
                ['Time', 'Type', 'Status', 'Message'],
                ...shown.map((s) => [s.since, s.type, styleStatus(colour, s.status), s.message ?? '']),
              ],
            },
          ]),
      }),
      { styled: flags.format === 'tabular' },
    );
  },
});

function kindOf(name: string): string {
  if (isUnitName(name)) return 'unit';
  if (isMachineId(name)) return name.includes('/') ? 'juju-container' : 'juju-machine';
  return 'application';
}

function tagOf(kind: string, name: string, modelUuid: string): string {
  if (kind === 'model') return modelTag(modelUuid);
  if (kind === 'application' || kind === 'saas') return applicationTag(name);
  if (kind.endsWith('machine') || kind.endsWith('container')) {
    if (!isMachineId(name)) throw new UsageError(`"${name}" is not a valid name for a ${kind}`);
    return machineTag(name);
  }
  if (!isUnitName(name)) throw new UsageError(`"${name}" is not a valid name for a ${kind}`);
  return unitTag(name);
}
