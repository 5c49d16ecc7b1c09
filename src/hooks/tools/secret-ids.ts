import { atMost, defineTool } from '../tool.ts';

/** Lists no secrets: ops asks for its secrets during cleanup, and an application that cannot create any owns none. */
export const secretIds = defineTool({
  name: 'secret-ids',
  args: '',
  purpose: 'Print secret IDs owned by the unit or its application.',
  output: 'smart',
  flags: {},
  run({ args }) {
    atMost(args, 0);
    return [];
  },
});
