import { call, only, type ResultOf } from '../../client/calls.ts';
import { operationTag } from '../../wire/tags.ts';
import { isOpen, resultsOf, taskOf } from '../../operate/tasks/results.ts';
import { command, formatFlags, modelFlags } from '../command.ts';
import { render } from '../format/render.ts';
import { describeOperation } from '../tasks/describe.ts';
import { taskOperator } from '../tasks/finish.ts';
import { numberIn, watchFlags, watchOf } from '../tasks/flags.ts';

export const showOperation = command({
  name: 'show-operation',
  summary: 'Show results of an operation.',
  usage: '<operation-id>',
  details: `Shows an operation and its tasks as they are now. --wait waits until all tasks have ended, but no longer than
that; --watch as long as it takes.`,
  examples: ['show-operation 1', 'show-operation 1 --wait=2m', 'show-operation 1 --watch'],
  seeAlso: ['run', 'operations', 'show-task'],
  flags: { ...modelFlags, ...formatFlags('yaml', 'json'), ...watchFlags },
  async run(context, flags, args, given) {
    const id = numberIn(args, 'operation');
    const watch = watchOf(flags, given);
    const { connection } = await context.openModel(flags.model);
    const read = async (): Promise<ResultOf<'Action', 'Operations'>['results'][number]> =>
      only(
        (await call(connection, 'Action', 'Operations', { entities: [{ tag: operationTag(id) }] })).results,
      );
    let operation = await read();
    if (watch && isOpen(operation.status)) {
      const tasks = (operation.actions ?? []).flatMap(({ action }) => (action ? [taskOf(action)] : []));
      await resultsOf(taskOperator(context, flags.utc), connection, tasks, watch);
      operation = await read();
    }
    await context.write(render(flags.format, describeOperation(operation, flags.utc)));
  },
});
