import { isMachineId } from '../../core/names.ts';
import { machineTag } from '../../wire/tags.ts';
import { allOk, call } from '../../client/calls.ts';
import { command, modelFlags } from '../command.ts';
import { UsageError } from '../errors.ts';
import { bool } from '../flags.ts';
import { defined } from '../../core/defined.ts';

export const reprovisionMachine = command({
  name: 'reprovision-machine',
  summary: 'Starts other instances for machines whose own are lost.',
  usage: '<machine number> [<machine number> ...]',
  details: `The machine keeps its number, its units, constraints, placement and base. Its units begin anew on the new
instance: charms are installed again, and the units leave their relations and enter them again. What charms keep at
the controller (state-set) stays; what was on the machine's disks does not come back.

The machine's instance must be lost, as its status says when the cloud does not have it any more. With --force you say
that it is, whatever the cloud says: if the instance is there after all, it is stopped. Nothing is done while the
machine's agent is connected, nor for machines that run a controller, are containers or host some, have storage that
would outlive them, or were not started by the controller.

With the model setting lost-machines=replace this is done by itself, a minute after an instance was lost. A machine that
could not be started in the first place is for retry-provisioning.`,
  examples: ['reprovision-machine 3', 'reprovision-machine 3 4', 'reprovision-machine 3 --force'],
  seeAlso: ['explain', 'machines', 'model-config', 'remove-machine', 'retry-provisioning'],
  completes: ['machine'],
  flags: {
    ...modelFlags,
    force: bool('--force', 'The instances are lost, whatever the cloud says'),
  },
  async run(context, { model, force }, args) {
    if (args.length === 0) throw new UsageError('no machines specified');
    for (const id of args) if (!isMachineId(id)) throw new UsageError(`invalid machine id "${id}"`);
    const { connection } = await context.openModel(model);
    const { results } = await call(connection, 'Provisioning', 'ReprovisionMachines', {
      machines: args.map(machineTag),
      ...defined({ force: force || undefined }),
    });
    results.forEach(({ error }, i) => {
      if (!error) context.info(`machine ${args[i]} gets another instance`);
    });
    allOk(results, (i) => args[i] ?? '');
  },
});
