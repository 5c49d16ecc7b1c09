import { relationFlag, relationOf } from '../relation-of.ts';
import { atMost, defineTool } from '../tool.ts';

export const relationModelGet = defineTool({
  name: 'relation-model-get',
  args: '',
  purpose: 'Get details about the model hosting a related application.',
  output: 'smart',
  flags: { relation: relationFlag },
  run({ args, flags, context }) {
    atMost(args, 0);
    return { uuid: context.relationModelUuid(relationOf(context, flags.relation).id) };
  },
});
