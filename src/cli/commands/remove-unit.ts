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
  details: `Removing a unit runs its hooks for leaving its relations and stopping, and removes the machine that only
it was on. Subordinate units go with their principals and cannot be removed on their own. With --force,
errors on the way are passed over.`,
  examples: ['remove-unit wordpress/2 wordpress/3 wordpress/4', 'remove-unit wordpress/2 --force'],
  seeAlso: ['remove-application', 'add-unit'],
  completes: ['unit'],
  flags: {
    ...modelFlags,
    numUnits: int('--num-units', 'Number of units to remove (k8s models only)', 0),
    destroyStorage: bool('--destroy-storage', 'Destroy storage attached to the unit'),
    ...removalFlags('a unit'),
  },
  async run(context, flags, args, given) {
    if (args.length === 0) throw new UsageError('no units specified');
    if (given.has('numUnits'))
      throw new UsageError('--num-units is only for k8s models: name the units to remove');
    checkRemovalFlags(flags, given);
    for (const name of args) if (!isUnitName(name)) throw new UsageError(`invalid unit name "${name}"`);
    const session = await context.openModel(flags.model);
    await removeNamed(context, session, { kind: 'unit', names: args, flags });
  },
});
