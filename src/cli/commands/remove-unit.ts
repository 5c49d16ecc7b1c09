import { isUnitName } from '../../core/names.ts';
import { command, modelFlags } from '../command.ts';
import { UsageError } from '../errors.ts';
import { bool, int } from '../flags.ts';
import { removalFlags, removeNamed } from '../removal.ts';
import { checkRemovalFlags } from '../removal-plan.ts';

export const removeUnit = command({
  name: 'remove-unit',
  summary: 'Remove application units from the model.',
  usage: '<unit> [...]',
  details: `Removing a unit runs its hooks for leaving its relations and for stopping, and removes its machine if that
has no other unit. Subordinate units are removed with their principals and cannot be removed on their own. With
--force, errors are ignored.`,
  examples: ['remove-unit wordpress/2 wordpress/3 wordpress/4', 'remove-unit wordpress/2 --force'],
  seeAlso: ['remove-application', 'add-unit'],
  completes: ['unit'],
  flags: {
    ...modelFlags,
    numUnits: int('--num-units', 'Number of units to remove (k8s models only)', 0),
    destroyStorage: bool('--destroy-storage', 'Destroy storage attached to the unit'),
    ...removalFlags('a unit'),
  },
  async run(context, flags, args, givenFlags) {
    if (args.length === 0) throw new UsageError('no units specified');
    if (givenFlags.has('numUnits'))
      throw new UsageError('--num-units is only valid for k8s models: specify the units to remove');
    checkRemovalFlags(flags, givenFlags);
    for (const name of args) if (!isUnitName(name)) throw new UsageError(`invalid unit name "${name}"`);
    const session = await context.openModel(flags.model);
    await removeNamed(context, session, { kind: 'unit', names: args, flags });
  },
});
