import { JujuError } from '../../core/errors.ts';
import type { StatusValue } from '../context.ts';
import { atMost, defineTool } from '../tool.ts';

export const statusGet = defineTool({
  name: 'status-get',
  args: '',
  purpose: 'Print status information.',
  output: 'smart',
  flags: {
    'include-data': { kind: 'bool', help: 'Print the message and all data, not only the status' },
    application: {
      kind: 'bool',
      help: 'Print status for all units of this application; for the leader only',
    },
  },
  async run({ args, flags, context }) {
    atMost(args, 0);
    const all = flags['include-data'];
    if (!flags.application) {
      const status = await context.status();
      return all ? shown(status) : status.status;
    }
    if (!(await context.isLeader())) {
      throw new JujuError('not leader', 'finding application status: this unit is not the leader');
    }
    const { application, units } = await context.applicationStatus();
    if (!all) return application.status;
    const unitStatuses = Object.fromEntries(
      Object.entries(units).map(([unit, status]) => [unit, shown(status)]),
    );
    return { 'application-status': { ...shown(application), units: unitStatuses } };
  },
});

function shown({ status, message, data }: StatusValue): Record<string, unknown> {
  return { status, message, 'status-data': data };
}
