import { atMost, defineTool } from '../tool.ts';

export const goalState = defineTool({
  name: 'goal-state',
  args: '',
  purpose: "Print the status of the charm's peers and related units.",
  output: 'yaml',
  flags: {},
  async run({ args, context }) {
    atMost(args, 0);
    return await context.goalState();
  },
});
