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
  async run({ args, flags, context, format }) {
    atMost(args, 0);
    const all = flags['include-data'];
    // The bare word is for shells; other formats are an object with or without --include-data.
    const isWord = !all && format === 'smart';
    if (!flags.application) {
      const status = await context.status();
      return isWord ? status.status : shown(status, all);
    }
    if (!(await context.isLeader())) {
      throw new JujuError('not leader', 'finding application status: this unit is not the leader');
    }
    const { application, units } = await context.applicationStatus();
    if (isWord) return application.status;
    const unitStatuses = Object.fromEntries(
      Object.entries(units).map(([unit, status]) => [unit, shown(status, all)]),
    );
    return { 'application-status': { ...shown(application, all), units: unitStatuses } };
  },
});

function shown({ status, message, data }: StatusValue, all: boolean): Record<string, unknown> {
  return all ? { status, message, 'status-data': data } : { status };
}
