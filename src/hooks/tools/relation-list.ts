import { relationFlag, relationOf } from '../relation-of.ts';
import { atMost, defineTool } from '../tool.ts';

export const relationList = defineTool({
  name: 'relation-list',
  args: '',
  purpose: 'List relation units.',
  output: 'smart',
  flags: {
    relation: relationFlag,
    app: { kind: 'bool', help: 'List the remote application instead of the participating units' },
  },
  run({ args, flags, context }) {
    atMost(args, 0);
    const relation = relationOf(context, flags.relation);
    return flags.app ? relation.remoteApplication : relation.members;
  },
});
