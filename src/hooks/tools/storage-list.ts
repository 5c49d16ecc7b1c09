import { atMost, defineTool } from '../tool.ts';

export const storageList = defineTool({
  name: 'storage-list',
  args: '[<storage-name>]',
  purpose: 'List storage attached to the unit.',
  output: 'smart',
  flags: {},
  run({ args, context }) {
    atMost(args, 1);
    const [wanted] = args;
    return context
      .storages()
      .filter(({ name }) => wanted === undefined || name === wanted)
      .map(({ id }) => id);
  },
});
