import { JujuError } from '../../core/errors.ts';
import { charmStatuses } from '../../core/status.ts';
import { UsageError } from '../../kit/gnuflag.ts';
import { atMost, defineTool } from '../tool.ts';

export const statusSet = defineTool({
  name: 'status-set',
  args: '<maintenance | blocked | waiting | active> [message]',
  purpose: 'Set status information.',
  flags: { application: { kind: 'bool', help: 'Set this status for the application; for the leader only' } },
  async run({ args, flags, context }) {
    atMost(args, 2);
    const [status, message = ''] = args;
    if (status === undefined) throw new UsageError('invalid args, require <status> [message]');
    if (!charmStatuses.some((each) => each === status)) {
      throw new UsageError(`invalid status "${status}", expected one of [${charmStatuses.join(' ')}]`);
    }
    if (flags.application && !(await context.isLeader())) {
      throw new JujuError('not leader', 'this unit is not the leader');
    }
    await context.setStatus(flags.application ? 'application' : 'workload', status, message);
  },
});
