import { UsageError } from '../../kit/gnuflag.ts';
import { atMost, defineTool } from '../tool.ts';

export const stateDelete = defineTool({
  name: 'state-delete',
  args: '<key>',
  purpose: 'Delete server-side-state key value pairs.',
  flags: {},
  run({ args, context }) {
    atMost(args, 1);
    const key = args[0] ?? '';
    if (key === '') throw new UsageError('no key specified');
    const { charmState } = context.changes;
    charmState.set.delete(key);
    charmState.delete.add(key);
  },
});
