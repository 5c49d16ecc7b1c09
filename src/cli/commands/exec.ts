import { isApplicationName, isMachineId, isUnitName } from '../../core/names.ts';
import type { TaskResult } from '../../operate/tasks/results.ts';
import { runCommands } from '../../operate/tasks/run-commands.ts';
import type { CommandContext } from '../context.ts';
import { command, formatFlags, modelFlags } from '../command.ts';
import { UsageError } from '../errors.ts';
import { bool, commas, text } from '../flags.ts';
import { render } from '../format/render.ts';
import { describeTasks } from '../tasks/describe.ts';
import { finish } from '../tasks/finish.ts';
import { taskFlags, waitOf } from '../tasks/flags.ts';
import { errorsOf, outputText, plainOutput } from '../tasks/plain.ts';

/** Default of --wait, in milliseconds. */
const limitMs = 5 * 60_000;
/** Time in milliseconds for the result of a killed command to arrive. */
const graceMs = 10_000;

export const exec = command({
  name: 'exec',
  summary: 'Run the commands on the remote targets specified.',
  usage: '<commands>',
  details: `Runs a shell command on machines, on units, where the hook tools are available, or on all units of an
application. Commands with flags must follow --. The output of a single target is printed unchanged; that of several
targets below the name of each.

A command that takes longer than --wait, by default five minutes, is killed; a negative --wait has no end.`,
  examples: [
    'exec --all -- hostname -f',
    'exec --unit hello/0 env',
    'exec --unit hello/leader -- config-get',
    'exec --application mysql --format json -- uname -a',
  ],
  seeAlso: ['run', 'show-task', 'ssh'],
  flags: {
    ...modelFlags,
    ...formatFlags('plain', 'json', 'yaml'),
    ...taskFlags,
    // Output of commands is shown in its own colours only.
    color: bool('--color', 'Accepted; output of commands is not coloured'),
    noColor: bool('--no-color', 'Accepted; output of commands is not coloured'),
    all: bool('--all', 'Run the commands on all the machines'),
    application: commas('-a, --app, --application, --service', 'One or more application names', {
      completes: 'application',
    }),
    executionGroup: text('--execution-group', 'Commands in the same execution group are run sequentially'),
    machine: commas('--machine', 'One or more machine ids', { completes: 'machine' }),
    operator: bool('--operator', 'Run the commands on the operator (k8s-only)'),
    parallel: bool('--parallel', 'Run the commands in parallel without first acquiring a lock', true),
    unit: commas('-u, --unit', 'One or more unit ids', { completes: 'unit' }),
  },
  async run(context, flags, args) {
    if (args.length === 0) throw new UsageError('no commands specified');
    if (flags.all && flags.machine.length + flags.application.length + flags.unit.length > 0) {
      throw new UsageError('You cannot specify --all and individual machines, applications or units');
    }
    if (!flags.all && flags.machine.length + flags.application.length + flags.unit.length === 0) {
      throw new UsageError(
        'You must specify a target, either through --all, --machine, --application or --unit',
      );
    }
    const invalidTargets = [
      ...flags.machine.filter((m) => !isMachineId(m)).map((m) => `"${m}" is not a valid machine id`),
      ...flags.application
        .filter((a) => !isApplicationName(a))
        .map((a) => `"${a}" is not a valid application name`),
      ...flags.unit
        .filter((u) => !isUnitName(u) && !u.endsWith('/leader'))
        .map((u) => `"${u}" is not a valid unit name`),
    ];
    if (invalidTargets.length > 0)
      throw new UsageError(`The following exec targets are not valid:\n  ${invalidTargets.join('\n  ')}`);
    const { connection } = await context.openModel(flags.model);
    const operation = await runCommands(connection, {
      commands: args.length === 1 ? args[0]! : args.map(quote).join(' '),
      timeoutMs: waitOf(flags.wait, limitMs) ?? 0,
      targets: flags.all
        ? 'all machines'
        : { machines: flags.machine, applications: flags.application, units: flags.unit },
      parallel: flags.parallel,
      executionGroup: flags.executionGroup,
    });
    const waitMs = waitOf(flags.wait, limitMs);
    await finish(context, connection, operation, {
      background: flags.background,
      utc: flags.utc,
      // The agent kills a command that takes longer than the default; its output is waited for.
      waitMs: flags.wait || waitMs === undefined ? waitMs : waitMs + graceMs,
      log: false,
      tell: (line) => context.verbose(line),
      show: (results) => show(context, results, flags),
    });
  },
});

async function show(
  context: CommandContext,
  tasks: readonly TaskResult[],
  flags: { format: string; utc: boolean },
): Promise<void> {
  if (flags.format !== 'plain') {
    return context.write(render(flags.format, describeTasks(tasks, flags.utc)));
  }
  const [single] = tasks;
  if (!single || tasks.length !== 1) return context.write(plainOutput(tasks));
  // Programs that read the output get every byte; terminals get no control characters.
  const { io } = context;
  const stderr = errorsOf(single);
  await context.write(outputText(single, 'stdout'), { styled: !io.stdout.isTTY });
  if (io.stderr.isTTY) io.stderr.write(stderr);
  else io.stderr.writeRaw(stderr);
}

/** Quotes an argument that the shell would split or expand, so that it stays one word. */
function quote(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
