import { JujuError } from '../../core/errors.ts';
import { defineTool, keyValues } from '../tool.ts';

export const leaderSet = defineTool({
  name: 'leader-set',
  args: '<key>=<value> [...]',
  purpose: 'Write application leadership settings. An empty value removes the key.',
  flags: {},
  async run({ args, context }) {
    const values = keyValues(args);
    if (!(await context.isLeader())) {
      throw new JujuError(
        'not leader',
        'cannot write leadership settings: cannot write settings: not the leader',
      );
    }
    await context.setLeaderSettings(Object.fromEntries(values));
  },
});
