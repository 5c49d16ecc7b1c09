import { atMost, defineTool } from '../tool.ts';

/** ops asks for its secrets while it tidies up: an application that could make none owns none. */
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
