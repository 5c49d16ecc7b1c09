import { isMachineId } from '../../core/names.ts';
import { machineTag } from '../../wire/tags.ts';
import { allOk, call } from '../../client/calls.ts';
import { command, modelFlags } from '../command.ts';
import { UsageError } from '../errors.ts';
import { bool } from '../flags.ts';
import { defined } from '../../core/defined.ts';

export const retryProvisioning = command({
  name: 'retry-provisioning',
  summary: 'Retries provisioning for failed machines.',
  usage: '<machine> [...]',
  details: `The provider is asked again to start machines and containers whose start failed: those that it refused,
and those that wait for their next attempt. --all retries all of them. Machines that do not exist, or have not failed,
are reported as errors; the others are retried nevertheless. To change the constraints, use resolved with
--constraints.`,
  examples: ['retry-provisioning 0', 'retry-provisioning 0 1', 'retry-provisioning --all'],
  seeAlso: ['resolved', 'explain', 'machines'],
  completes: ['machine'],
  flags: { ...modelFlags, all: bool('--all', 'Retry provisioning all failed machines') },
  async run(context, { model, all }, args) {
    if (all && args.length > 0) throw new UsageError('specify machines or --all, not both');
    if (!all && args.length === 0) throw new UsageError('no machine specified');
    for (const id of args) if (!isMachineId(id)) throw new UsageError(`invalid machine "${id}" specified`);
    const { connection } = await context.openModel(model);
    const { results } = await call(connection, 'MachineManager', 'RetryProvisioning', {
      all,
      ...defined({ machines: all ? undefined : args.map(machineTag) }),
    });
    allOk(results, (i) => args[i] ?? '');
  },
});
