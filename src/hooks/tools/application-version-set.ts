import { UsageError } from '../../kit/gnuflag.ts';
import { atMost, defineTool } from '../tool.ts';

export const applicationVersionSet = defineTool({
  name: 'application-version-set',
  args: '<new-version>',
  purpose: 'Specify which version of the application is deployed.',
  flags: {},
  async run({ args, context }) {
    atMost(args, 1);
    if (args[0] === undefined) throw new UsageError('no version specified');
    await context.setWorkloadVersion(args[0]);
  },
});
