import { JujuError } from '../../core/errors.ts';
import { atMost, defineTool } from '../tool.ts';

export const credentialGet = defineTool({
  name: 'credential-get',
  args: '',
  purpose: 'Access cloud credentials.',
  output: 'smart',
  flags: {},
  run({ args }) {
    atMost(args, 0);
    throw new JujuError('unauthorized access', 'cannot access cloud credentials');
  },
});
