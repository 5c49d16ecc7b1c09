import { atMost, defineTool } from '../tool.ts';

export const isLeader = defineTool({
  name: 'is-leader',
  args: '',
  purpose: 'Print application leadership status.',
  output: 'smart',
  flags: {},
  async run({ args, context }) {
    atMost(args, 0);
    return await context.isLeader();
  },
});
