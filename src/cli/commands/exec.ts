import { isApplicationName, isMachineId, isUnitName } from '../../core/names.ts';
import { resultsOf, type TaskEvent, type TaskResult } from '../../operate/tasks/results.ts';
import { hasFailed, returnCode, runCommands } from '../../operate/tasks/run-commands.ts';
import { parseTag } from '../../wire/tags.ts';
import type { CommandContext } from '../context.ts';
import { command, formatFlags, modelFlags } from '../command.ts';
import { Exit, UsageError } from '../errors.ts';
import { bool, commas, duration, text } from '../flags.ts';
import { render } from '../format/render.ts';
import { sorted } from '../format/yaml.ts';
import { countOf } from '../count-of.ts';
import { timeStyle } from '../time-style.ts';
import { formatTime } from '../format/time.ts';

/** Default of --wait, in milliseconds. */
const limitMs = 5 * 60_000;

export const exec = command({
  name: 'exec',
  summary: 'Run the commands on the remote targets specified.',
  usage: '<commands>',
  details: `Runs a shell command on machines, on units, where the hook tools are available, or on all units of an
application. Commands with flags must follow --. The output of a single target is printed unchanged; that of several
targets is printed as YAML.`,
  examples: [
    'exec --all -- hostname -f',
    'exec --unit hello/0 env',
    'exec --unit hello/leader -- config-get',
    'exec --application mysql --format json -- uname -a',
  ],
  seeAlso: ['ssh'],
  flags: {
    ...modelFlags,
    ...formatFlags('plain', 'json', 'yaml'),
    all: bool('--all', 'Run the commands on all the machines'),
    application: commas('-a, --app, --application, --service', 'One or more application names', {
      completes: 'application',
    }),
    background: bool('--background', 'Run the task in the background'),
    executionGroup: text('--execution-group', 'Commands in the same execution group are run sequentially'),
    machine: commas('--machine', 'One or more machine ids', { completes: 'machine' }),
    operator: bool('--operator', 'Run the commands on the operator (k8s-only)'),
    parallel: bool('--parallel', 'Run the commands in parallel without first acquiring a lock'),
    unit: commas('-u, --unit', 'One or more unit ids', { completes: 'unit' }),
    utc: bool('--utc', 'Show times in UTC'),
    wait: duration('--wait', 'Maximum wait time for a task to complete'),
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
      timeoutMs: flags.wait ?? limitMs,
      targets: flags.all
        ? 'all machines'
        : { machines: flags.machine, applications: flags.application, units: flags.unit },
      parallel: flags.parallel,
      executionGroup: flags.executionGroup,
    });
    const { id, tasks } = operation;
    const refused = operation.refused.join('\n');
    // The exit code stays 0 as in Juju: scripts ask for the result of the operation.
    if (tasks.length === 0) return context.info(`Operation ${id} failed to schedule any tasks:\n${refused}`);
    if (refused) context.io.stderr.write(`ERROR ${refused}\n`);
    context.info(`Running operation ${id} with ${countOf(tasks.length, 'task')}`);
    for (const task of tasks) context.info(`  - task ${task.id} on ${task.receiverTag}`);
    context.info('');
    if (flags.background) return;
    const operator = context.operator<TaskEvent>(({ open, of }) =>
      context.info(`Waiting for ${open} of ${countOf(of, 'task')}...`),
    );
    const results = await resultsOf(operator, connection, tasks, flags.wait);
    await show(context, results, flags);
    const failed = results.filter(hasFailed);
    if (failed.length > 0 || refused) {
      if (failed.length > 0) context.io.stderr.write(`ERROR ${failures(failed)}\n`);
      throw new Exit(1);
    }
  },
});

async function show(
  context: CommandContext,
  tasks: readonly TaskResult[],
  flags: { format: string; utc: boolean },
): Promise<void> {
  const [single] = tasks;
  if (flags.format === 'plain' && tasks.length === 1 && single && !single.error) {
    const { stdout, stderr } = (single.output ?? {}) as { stdout?: string; stderr?: string };
    // Programs that read the output get every byte; terminals get no control characters.
    const { io } = context;
    await context.write(withEnd(stdout), { styled: !io.stdout.isTTY });
    if (io.stderr.isTTY) io.stderr.write(withEnd(stderr));
    else io.stderr.writeRaw(withEnd(stderr));
    return;
  }
  const style = timeStyle(context.io, flags.utc);
  const shown = Object.fromEntries(
    tasks.map((task) => {
      const receiver = task.action ? parseTag(task.action.receiver) : { kind: 'unit', id: '' };
      const time = (at: string | undefined): string | undefined => formatTime(at, style) || undefined;
      return [
        receiver.id,
        {
          id: task.action ? parseTag(task.action.tag).id : undefined,
          status: task.status,
          [receiver.kind === 'machine' ? 'machine' : 'unit']: receiver.id,
          message: task.error?.message ?? (task.message || undefined),
          results:
            task.output && Object.keys(task.output).length > 0
              ? Object.fromEntries(sorted(task.output))
              : undefined,
          timing: {
            enqueued: time(task.enqueued),
            started: time(task.started),
            completed: time(task.completed),
          },
        },
      ];
    }),
  );
  await context.write(render(flags.format === 'json' ? 'json' : 'yaml', shown));
}

function failures(failed: readonly TaskResult[]): string {
  const lines = failed.map((task) => {
    const id = task.action ? parseTag(task.action.tag).id : '';
    const reason =
      task.error?.message ?? (task.status === 'completed' ? '' : task.message || task.status || '');
    return ` - id "${id}" with return code ${returnCode(task)}${reason ? `: ${reason}` : ''}`;
  });
  return `the following task${failed.length === 1 ? '' : 's'} failed:\n${lines.join('\n')}`;
}

const withEnd = (text: string | undefined): string =>
  !text || text.endsWith('\n') ? (text ?? '') : `${text}\n`;

/** Quotes an argument that the shell would split or expand, so that it stays one word. */
function quote(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
