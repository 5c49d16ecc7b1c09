import { isApplicationName } from '../../core/names.ts';
import { command, modelFlags } from '../command.ts';
import { UsageError } from '../errors.ts';
import { bool } from '../flags.ts';
import { removalFlags, removeNamed } from '../removal.ts';
import { checkNoWait } from '../removal-plan.ts';

export const removeApplication = command({
  name: 'remove-application',
  summary: 'Remove applications from the model.',
  usage: '<application> [<application>...]',
  details: `Removing an application will terminate any relations that application has, remove all units of the
application, and in the case that this leaves machines with no running applications, Juju will also remove
the machine. With --force, errors are ignored.

Applications that require the removed application become pending, and are listed: their units keep running, but new
units are not deployed.`,
  examples: [
    'remove-application hadoop',
    'remove-application --force hadoop',
    'remove-application --force --no-wait hadoop',
  ],
  seeAlso: ['remove-unit', 'remove-machine', 'pending'],
  completes: ['application'],
  flags: {
    ...modelFlags,
    destroyStorage: bool('--destroy-storage', 'Destroy storage attached to application units'),
    ...removalFlags('an application'),
  },
  async run(context, flags, args) {
    if (args.length === 0) throw new UsageError('no application specified');
    checkNoWait(flags);
    for (const name of args)
      if (!isApplicationName(name)) throw new UsageError(`invalid application name "${name}"`);
    const session = await context.openModel(flags.model);
    await removeNamed(context, session, { kind: 'application', names: args, flags });
  },
});
