import { call, only } from '../../client/calls.ts';
import { resultsOf, taskOf } from '../../operate/tasks/results.ts';
import { actionTag } from '../../wire/tags.ts';
import { command, formatFlags, modelFlags } from '../command.ts';
import { render } from '../format/render.ts';
import { describeTask } from '../tasks/describe.ts';
import { taskOperator } from '../tasks/finish.ts';
import { numberIn, watchFlags, watchOf } from '../tasks/flags.ts';
import { plainResults } from '../tasks/plain.ts';

export const showTask = command({
  name: 'show-task',
  summary: 'Show results of a task by ID.',
  usage: '<task ID>',
  details: `Shows a task as it is now. --wait waits until it has ended, but no longer than that; --watch as long as it
takes. Meanwhile the messages of the action are shown as they come.`,
  examples: ['show-task 1', 'show-task 1 --wait=2m', 'show-task 1 --watch'],
  seeAlso: ['cancel-task', 'run', 'operations', 'show-operation'],
  flags: { ...modelFlags, ...formatFlags('plain', 'json', 'yaml'), ...watchFlags },
  async run(context, flags, args, given) {
    const id = numberIn(args, 'task');
    const watch = watchOf(flags, given);
    const { connection } = await context.openModel(flags.model);
    const { results } = await call(connection, 'Action', 'Actions', { entities: [{ tag: actionTag(id) }] });
    let task = only(results);
    if (watch && task.action) {
      const tasks = [taskOf(task.action)];
      const operator = taskOperator(context, flags.utc);
      task = only(await resultsOf(operator, connection, tasks, { ...watch, log: true }));
    }
    await context.write(
      flags.format === 'plain' ? plainResults([task]) : render(flags.format, describeTask(task, flags.utc)),
    );
  },
});
