import { actionOf } from '../action-of.ts';
import { atMost, defineTool } from '../tool.ts';

export const actionFail = defineTool({
  name: 'action-fail',
  args: '["<failure message>"]',
  purpose: 'Set action fail status with message.',
  flags: {},
  run({ args, context }) {
    atMost(args, 1);
    actionOf(context);
    const { action } = context.changes;
    action.failed = true;
    action.message = args[0] ?? 'action failed without reason given, check action for errors';
  },
});
