import { isMachineId } from '../../core/names.ts';
import { command, modelFlags } from '../command.ts';
import { UsageError } from '../errors.ts';
import { bool } from '../flags.ts';
import { removalFlags, removeNamed } from '../removal.ts';
import { checkRemovalFlags } from '../removal-plan.ts';

export const removeMachine = command({
  name: 'remove-machine',
  summary: 'Removes one or more machines from a model.',
  usage: '<machine number> [<machine number> ...]',
  details: `Machines are specified by their numbers. A machine that has units or containers is only removed with
--force, which removes them too. With --keep-instance, the instance keeps running and is no longer managed.`,
  examples: ['remove-machine 5', 'remove-machine 6 --force', 'remove-machine 7 --keep-instance'],
  seeAlso: ['add-machine'],
  completes: ['machine'],
  flags: {
    ...modelFlags,
    ...removalFlags('a machine'),
    keepInstance: bool('--keep-instance', 'Do not stop the running cloud instance'),
  },
  async run(context, flags, args, givenFlags) {
    if (args.length === 0) throw new UsageError('no machines specified');
    checkRemovalFlags(flags, givenFlags);
    for (const id of args) if (!isMachineId(id)) throw new UsageError(`invalid machine id "${id}"`);
    const session = await context.openModel(flags.model);
    await removeNamed(context, session, { kind: 'machine', names: args, flags });
  },
});
