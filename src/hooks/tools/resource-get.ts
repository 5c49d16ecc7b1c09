import { JujuError } from '../../core/errors.ts';
import { UsageError } from '../../kit/gnuflag.ts';
import { atMost, defineTool } from '../tool.ts';

export const resourceGet = defineTool({
  name: 'resource-get',
  args: '<resource name>',
  purpose: 'Get the path to the locally cached resource file.',
  plain: true,
  flags: {},
  async run({ args, context, signal }) {
    const [name] = args;
    if (name === undefined || name === '') throw new UsageError('missing required resource name');
    atMost(args, 1);
    try {
      return await context.resource(name, signal);
    } catch (error) {
      // Charms and their libraries show the text of the error.
      const { message } = error as Error;
      throw new JujuError('', `could not download resource: HTTP request failed: ${message}`, {
        cause: error,
      });
    }
  },
});
