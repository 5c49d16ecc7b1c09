import { JujuError } from '../../core/errors.ts';
import { atMost, defineTool } from '../tool.ts';

export const credentialGet = defineTool({
  name: 'credential-get',
  args: '',
  purpose: 'Access cloud credentials.',
  output: 'smart',
  flags: {},
  async run({ args, context }) {
    atMost(args, 0);
    try {
      return await context.cloudSpec();
    } catch (error) {
      if (!(error instanceof JujuError)) throw error;
      throw new JujuError(error.code, `cannot access cloud credentials: ${error.message}`, { cause: error });
    }
  },
});
