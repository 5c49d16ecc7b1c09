import { isMachineId } from '../../core/names.ts';
import { machineTag } from '../../wire/tags.ts';
import { call } from '../../client/calls.ts';
import { command, modelFlags } from '../command.ts';
import { UsageError } from '../errors.ts';
import { bool } from '../flags.ts';
import { remove, removalFlags } from '../removal.ts';
import { checkRemovalFlags } from '../removal-plan.ts';

export const removeMachine = command({
  name: 'remove-machine',
  summary: 'Removes one or more machines from a model.',
  usage: '<machine number> [<machine number> ...]',
  details: `Machines are specified by their numbers. A machine that has units or containers is only removed with
--force, which removes them too. With --keep-instance the instance goes on running, unmanaged.`,
  examples: ['remove-machine 5', 'remove-machine 6 --force', 'remove-machine 7 --keep-instance'],
  seeAlso: ['add-machine'],
  completes: ['machine'],
  flags: {
    ...modelFlags,
    ...removalFlags('a machine'),
    keepInstance: bool('--keep-instance', 'Do not stop the running cloud instance'),
  },
  async run(context, flags, args, given) {
    if (args.length === 0) throw new UsageError('no machines specified');
    checkRemovalFlags(flags, given);
    for (const id of args) if (!isMachineId(id)) throw new UsageError(`invalid machine id "${id}"`);
    const session = await context.openModel(flags.model);
    await remove(context, {
      what: 'machine',
      names: args,
      tag: machineTag,
      session,
      flags,
      shown: (id) => `machine ${id}${flags.keepInstance ? ' (but retaining cloud instance)' : ''}`,
      call: async (names) =>
        (
          await call(session.connection, 'MachineManager', 'DestroyMachineWithParams', {
            'machine-tags': names.map(machineTag),
            ...(flags.force ? { force: true } : {}),
            ...(flags.keepInstance ? { keep: true } : {}),
            ...(flags.noWait ? { 'max-wait': 0 } : {}),
          })
        ).results,
    });
  },
});
