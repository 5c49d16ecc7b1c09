import { UsageError } from '../../kit/gnuflag.ts';
import { atMost, defineTool } from '../tool.ts';

export const relationIds = defineTool({
  name: 'relation-ids',
  args: '[<endpoint>]',
  purpose: 'List all relation IDs for the given endpoint.',
  output: 'smart',
  flags: {},
  run({ args, context }) {
    atMost(args, 1);
    const endpoint = args[0] ?? context.event.relation?.endpoint;
    if (endpoint === undefined) throw new UsageError('no endpoint name specified');
    return context
      .relations()
      .filter((relation) => relation.endpoint === endpoint)
      .map((relation) => `${relation.endpoint}:${relation.id}`);
  },
});
