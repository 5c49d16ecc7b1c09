import { isUnitName } from '../../core/names.ts';
import { unitTag } from '../../wire/tags.ts';
import { call } from '../calls.ts';
import { command, modelFlags } from '../command.ts';
import { UsageError } from '../errors.ts';
import { bool, int } from '../flags.ts';
import { mustAsk, promptFlags } from '../prompts.ts';
import { remove } from '../removal.ts';

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
    force: bool('--force', 'Completely remove an unit and all its dependencies'),
    noWait: bool(
      '--no-wait',
      'Rush through unit removal without waiting for each individual step to complete',
    ),
    ...promptFlags,
    dryRun: bool('--dry-run', 'Print what this command would be removed without removing'),
  },
  async run(context, flags, args, given) {
    if (args.length === 0) throw new UsageError('no units specified');
    if (given.has('numUnits'))
      throw new UsageError('--num-units is only for k8s models: name the units to remove');
    if (flags.noWait && !flags.force) throw new UsageError('--no-wait without --force not valid');
    for (const name of args) if (!isUnitName(name)) throw new UsageError(`invalid unit name "${name}"`);
    const session = await context.openModel(flags.model);
    await remove(context, {
      what: 'unit',
      names: args,
      session,
      dryRun: flags.dryRun,
      ask: mustAsk(flags),
      call: async (mode) =>
        (
          await call(session.connection, 'Application', 'DestroyUnit', {
            units: args.map((name) => ({
              'unit-tag': unitTag(name),
              ...(flags.force ? { force: true } : {}),
              ...(flags.destroyStorage ? { 'destroy-storage': true } : {}),
              ...(flags.noWait ? { 'max-wait': 0 } : {}),
              ...(mode === 'dry-run' ? { 'dry-run': true } : {}),
            })),
          })
        ).results,
      effects: (name) => [`will remove unit ${name}`],
    });
  },
});
