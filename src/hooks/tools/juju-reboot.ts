import { JujuError } from '../../core/errors.ts';
import { atMost, defineTool } from '../tool.ts';

export const jujuReboot = defineTool({
  name: 'juju-reboot',
  args: '',
  purpose: 'Reboot the host machine after the hook, or at once and run the hook again.',
  flags: { now: { kind: 'bool', help: 'Reboot immediately, killing the invoking process' } },
  run({ args, flags, context }) {
    atMost(args, 0);
    if (context.event.ofTask) throw new JujuError('', 'juju-reboot is not supported when running an action.');
    context.changes.reboot = flags.now ? 'now' : 'after';
  },
});
