import { isUnitName, unitApplication } from '../../core/names.ts';
import { runAction } from '../../operate/tasks/run-action.ts';
import { command, formatFlags, modelFlags } from '../command.ts';
import { UsageError } from '../errors.ts';
import { bool, text } from '../flags.ts';
import { render } from '../format/render.ts';
import { readMapFile } from '../key-values.ts';
import { readParameters } from '../tasks/parameters.ts';
import { describeTasks } from '../tasks/describe.ts';
import { finish } from '../tasks/finish.ts';
import { taskFlags, waitOf } from '../tasks/flags.ts';
import { chooseColour } from '../format/colour.ts';
import { colouredResults, plainResults } from '../tasks/plain.ts';

/** Default of --wait, in milliseconds. */
const defaultWaitMs = 60_000;

export const run = command({
  name: 'run',
  summary: 'Run an action on a specified unit.',
  usage: '<unit> [<unit> ...] <action-name> [<key>=<value> [<key>[.<key> ...]=<value>]]',
  details: `Runs an action of the charm on units of one application and waits for its results; mysql/leader is the
leader at that time. Messages of the action are shown as they come. --background only enqueues it: see show-operation
and show-task.

Parameters are read from the file of --params, and from key=value, where key.key=value sets a value in a map. Values are
YAML unless --string-args is given. "actions <application> --schema" shows which parameters there are.

--wait is the longest wait, by default one minute; a negative one has no end. An action that takes longer goes on.`,
  examples: [
    'run mysql/3 backup --background',
    'run mysql/3 backup --wait=2m',
    'run mysql/leader backup --format yaml',
    'run mysql/3 backup --params parameters.yml',
    'run mysql/3 backup out=out.tar.bz2 file.kind=xz file.quality=high',
    'run sleeper/0 pause --string-args time=1000',
  ],
  seeAlso: ['actions', 'show-action', 'operations', 'show-operation', 'show-task', 'cancel-task', 'exec'],
  completes: ['unit'],
  flags: {
    ...modelFlags,
    ...formatFlags('plain', 'json', 'yaml'),
    ...taskFlags,
    params: text('--params', 'Path to yaml-formatted params file', { completes: 'file' }),
    stringArgs: bool('--string-args', 'Use raw string values of CLI args'),
  },
  async run(context, flags, args) {
    const { units, action, assignments } = readArguments(args);
    const given = flags.params === '' ? {} : await readMapFile(context, flags.params);
    const parameters = readParameters(given, assignments, { asText: flags.stringArgs });
    const { connection } = await context.openModel(flags.model);
    const operation = await runAction(connection, { units, action, parameters });
    await finish(context, connection, operation, {
      background: flags.background,
      utc: flags.utc,
      waitMs: waitOf(flags.wait, defaultWaitMs),
      log: true,
      tell: (line) => context.info(line),
      show: (results) => {
        if (flags.format !== 'plain')
          return context.write(render(flags.format, describeTasks(results, flags.utc)));
        return chooseColour(context.io, flags) === 'on'
          ? context.write(colouredResults(results), { styled: true })
          : context.write(plainResults(results));
      },
    });
  },
});

function readArguments(args: readonly string[]): {
  units: readonly string[];
  action: string;
  assignments: readonly string[];
} {
  const end = args.findIndex((word) => !isUnit(word));
  const units = args.slice(0, end < 0 ? args.length : end);
  const action = end < 0 ? undefined : args[end]!;
  if (action !== undefined && !/^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/.test(action))
    throw new UsageError(`invalid unit or action name ${JSON.stringify(action)}`);
  if (units.length === 0) throw new UsageError('no unit specified');
  if (action === undefined) throw new UsageError('no action specified');
  if (new Set(units.map(unitApplication)).size > 1)
    throw new UsageError('all units must be of the same application');
  return { units, action, assignments: args.slice(end + 1) };
}

const isUnit = (word: string): boolean => isUnitName(word.replace(/\/leader$/, '/0'));
