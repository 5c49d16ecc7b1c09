import { atMost, defineTool } from '../tool.ts';

/** Lists no storage: charms with optional storage ask in every hook, and a unit without any has none. */
export const storageList = defineTool({
  name: 'storage-list',
  args: '[<storage-name>]',
  purpose: 'List storage attached to the unit.',
  output: 'smart',
  flags: {},
  run({ args }) {
    atMost(args, 1);
    return [];
  },
});
