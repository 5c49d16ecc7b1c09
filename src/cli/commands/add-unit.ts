import { call } from '../../client/calls.ts';
import { command, modelFlags } from '../command.ts';
import { noMoreArgs, UsageError } from '../errors.ts';
import { int, list, commas } from '../flags.ts';
import { parsePlacements } from '../placements.ts';
import { printRequirements, requirementsFlags } from '../requirements.ts';
import { storageTag } from '../storage.ts';
import { reuseFlag, reuseParam, printReused } from '../reused.ts';

export const addUnit = command({
  name: 'add-unit',
  summary: 'Adds one or more units to a deployed application.',
  usage: '<application name>',
  details: `Without --to, each unit is placed on a new machine with the constraints of the application and the model.
--to accepts machine ids (5), containers (lxd, lxd:5) and directives of the cloud (zone=z1), one for each unit,
separated by commas; further units are placed on new machines. A machine must have the base of the application. With
--reuse-machines, units without a placement use suitable machines that never had a unit before new machines are
started; the reused machines are listed.

Units of an application with missing required relations wait without a machine until the relations exist.`,
  examples: [
    'add-unit mysql',
    'add-unit mysql -n 5',
    'add-unit mysql --to 23',
    'add-unit mysql -n 3 --to 1,2',
    'add-unit mysql --to lxd:5',
  ],
  seeAlso: ['remove-unit', 'add-machine', 'set-constraints', 'pending'],
  completes: ['application'],
  flags: {
    ...modelFlags,
    ...requirementsFlags,
    reuseMachines: reuseFlag,
    numUnits: int('-n, --num-units', 'Number of units to add', 1),
    to: commas('--to', 'The machine, container or zone to deploy the unit in', {
      completes: 'machine',
    }),
    attachStorage: list('--attach-storage', 'Existing storage to attach to the deployed unit'),
  },
  async run(context, { model, format, numUnits, to, attachStorage, reuseMachines }, args, givenFlags) {
    const [application, ...moreArgs] = args;
    if (!application) throw new UsageError('no application specified');
    noMoreArgs(moreArgs);
    const storage = attachStorage.flatMap((ids) => ids.split(',').filter(Boolean));
    if (storage.length > 0 && numUnits !== 1) throw new UsageError('--attach-storage cannot be used with -n');
    if (numUnits < 1) throw new UsageError('--num-units must be a positive integer');
    const { connection, modelUuid } = await context.openModel(model);
    if (to.length > numUnits)
      context.warning(
        `ignoring the last ${to.length - numUnits} placements: --to has more placements than there are units`,
      );
    const added = await call(connection, 'Application', 'AddUnits', {
      application,
      'num-units': numUnits,
      placement: parsePlacements(to.slice(0, numUnits), modelUuid),
      ...(storage.length > 0 && { 'attach-storage': storage.map(storageTag) }),
      ...reuseParam(givenFlags, reuseMachines),
    });
    context.verbose(`added ${added.units.join(', ')}`);
    printReused(context, added);
    const { requirements, ...commandResult } = added;
    await printRequirements(context, format, requirements, commandResult);
  },
});
