import { UsageError } from '../../kit/gnuflag.ts';
import { actionOf } from '../action-of.ts';
import { defineTool } from '../tool.ts';

export const actionLog = defineTool({
  name: 'action-log',
  args: '<message>',
  purpose: 'Record a progress message for the current action.',
  flags: {},
  async run({ args, context }) {
    actionOf(context);
    if (args.length === 0) throw new UsageError('no message specified');
    await context.actionLog(args.join(' '));
  },
});
