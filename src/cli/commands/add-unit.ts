import { call } from '../../client/calls.ts';
import { command, modelFlags } from '../command.ts';
import { noMoreArgs, UsageError } from '../errors.ts';
import { int, list, commas } from '../flags.ts';
import { parsePlacements } from '../placements.ts';
import { tellRequirements, toldFlags } from '../requirements.ts';
import { reuseFlag, reuseParam, tellReused } from '../reused.ts';

export const addUnit = command({
  name: 'add-unit',
  summary: 'Adds one or more units to a deployed application.',
  usage: '<application name>',
  details: `Without --to a unit goes to a new machine of its own, which has the application's constraints over the
model's. --to takes machine ids (5), containers (lxd, lxd:5) and what the cloud understands (zone=z1), one
for each unit, separated by commas; units beyond the list go to machines of their own. A machine must have
the base of the application. With --reuse-machines units that are not placed take machines that never had
a unit and are good enough, before new ones are made; which, is said.

Units of an application whose required relations are missing wait without a machine until those exist.`,
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
    ...toldFlags,
    reuseMachines: reuseFlag,
    numUnits: int('-n, --num-units', 'Number of units to add', 1),
    to: commas('--to', 'The machine, container or zone to deploy the unit in', {
      completes: 'machine',
    }),
    attachStorage: list('--attach-storage', 'Existing storage to attach to the deployed unit'),
  },
  async run(context, { model, format, numUnits, to, attachStorage, reuseMachines }, args, given) {
    const [application, ...rest] = args;
    if (!application) throw new UsageError('no application specified');
    noMoreArgs(rest);
    if (attachStorage.length > 0) throw new UsageError('--attach-storage is not supported');
    if (numUnits < 1) throw new UsageError('--num-units must be a positive integer');
    const { connection, modelUuid } = await context.openModel(model);
    if (to.length > numUnits)
      context.warning(`${to.length - numUnits} more placements than units: the last are ignored`);
    const added = await call(connection, 'Application', 'AddUnits', {
      application,
      'num-units': numUnits,
      placement: parsePlacements(to.slice(0, numUnits), modelUuid),
      ...reuseParam(given, reuseMachines),
    });
    context.verbose(`added ${added.units.join(', ')}`);
    tellReused(context, added);
    const { requirements, ...did } = added;
    await tellRequirements(context, format, requirements, did);
  },
});
