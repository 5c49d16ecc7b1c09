import { isMachineId } from '../../core/names.ts';
import { machineTag } from '../../wire/tags.ts';
import { allOk, call } from '../../client/calls.ts';
import { command, modelFlags } from '../command.ts';
import { UsageError } from '../errors.ts';
import { bool } from '../flags.ts';
import { defined } from '../../core/defined.ts';

export const reprovisionMachine = command({
  name: 'reprovision-machine',
  summary: 'Starts new instances for machines that have lost theirs.',
  usage: '<machine number> [<machine number> ...]',
  details: `The machine keeps its number, units, constraints, placement and base. Its units start again on the new
instance: charms are installed again, and the units leave and re-enter their relations. State that charms store on the
controller (state-set) is kept; the content of the machine's disks is lost.

The machine's instance must be lost: its status says so when the cloud no longer has the instance. With --force, you
declare it lost, whatever the cloud reports; if the instance still exists, it is stopped. The command is refused while
the machine's agent is connected, and for machines that run a controller, are containers or host containers, have
persistent storage, or were not started by the controller.

With the model setting lost-machines=replace, the controller does this automatically, one minute after an instance was
lost. For a machine that has never been started, use retry-provisioning.`,
  examples: ['reprovision-machine 3', 'reprovision-machine 3 4', 'reprovision-machine 3 --force'],
  seeAlso: ['explain', 'machines', 'model-config', 'remove-machine', 'retry-provisioning'],
  completes: ['machine'],
  flags: {
    ...modelFlags,
    force: bool('--force', 'Treat the instances as lost, whatever the cloud reports'),
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
      if (!error) context.info(`machine ${args[i]}: starting a new instance`);
    });
    allOk(results, (i) => args[i] ?? '');
  },
});
