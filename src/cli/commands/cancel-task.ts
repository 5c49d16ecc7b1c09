import { call } from '../../client/calls.ts';
import { actionTag } from '../../wire/tags.ts';
import { command, formatFlags, modelFlags } from '../command.ts';
import { Exit, UsageError } from '../errors.ts';
import { render } from '../format/render.ts';
import { idOf, receiverOf } from '../tasks/describe.ts';
import { isNumber } from '../tasks/flags.ts';

export const cancelTask = command({
  name: 'cancel-task',
  summary: 'Cancel pending or running tasks.',
  usage: '<task-id> [...]',
  details: `A task that has not begun is cancelled. One that runs becomes "aborting", and "aborted" when its agent has
ended the processes of the action; they get SIGTERM, and SIGKILL if they are still there a while later. One that has
ended stays as it is.`,
  examples: ['cancel-task 1', 'cancel-task 1 2 3'],
  seeAlso: ['run', 'show-task', 'operations'],
  flags: { ...modelFlags, ...formatFlags('yaml', 'json') },
  async run(context, flags, args) {
    if (args.length === 0) throw new UsageError('no task IDs specified');
    for (const id of args) if (!isNumber(id)) throw new UsageError(`task ID ${JSON.stringify(id)} not valid`);
    const { connection } = await context.openModel(flags.model);
    const { results } = await call(connection, 'Action', 'Cancel', {
      entities: args.map((id) => ({ tag: actionTag(id) })),
    });
    const shown = results.map((task, n) => ({
      error: task.error?.message,
      id: idOf(task) || args[n],
      status: task.status,
      unit: receiverOf(task) || undefined,
    }));
    await context.write(render(flags.format, { actions: shown }));
    if (results.some(({ error }) => error)) throw new Exit(1);
  },
});
