import { atMost, defineTool } from '../tool.ts';

/** Charms with optional storage ask in every hook: a unit without any has none. */
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
