import { isApplicationName } from '../../core/names.ts';
import { applicationTag, parseTag } from '../../wire/tags.ts';
import { call } from '../calls.ts';
import { command, modelFlags } from '../command.ts';
import { UsageError } from '../errors.ts';
import { bool } from '../flags.ts';
import { mustAsk, promptFlags } from '../prompts.ts';
import { remove } from '../removal.ts';

export const removeApplication = command({
  name: 'remove-application',
  summary: 'Remove applications from the model.',
  usage: '<application> [<application>...]',
  details: `Removing an application will terminate any relations that application has, remove all units of the
application, and in the case that this leaves machines with no running applications, Juju will also remove
the machine. With --force, errors on the way are passed over.`,
  examples: [
    'remove-application hadoop',
    'remove-application --force hadoop',
    'remove-application --force --no-wait hadoop',
  ],
  seeAlso: ['remove-unit', 'remove-machine'],
  completes: ['application'],
  flags: {
    ...modelFlags,
    destroyStorage: bool('--destroy-storage', 'Destroy storage attached to application units'),
    force: bool('--force', 'Completely remove an application and all its dependencies'),
    noWait: bool(
      '--no-wait',
      'Rush through application removal without waiting for each individual step to complete',
    ),
    ...promptFlags,
    dryRun: bool('--dry-run', 'Print what this command would be removed without removing'),
  },
  async run(context, flags, args) {
    if (args.length === 0) throw new UsageError('no application specified');
    if (flags.noWait && !flags.force) throw new UsageError('--no-wait without --force not valid');
    for (const name of args)
      if (!isApplicationName(name)) throw new UsageError(`invalid application name "${name}"`);
    const session = await context.openModel(flags.model);
    await remove(context, {
      what: 'application',
      names: args,
      session,
      dryRun: flags.dryRun,
      ask: mustAsk(flags),
      call: async (mode) =>
        (
          await call(session.connection, 'Application', 'DestroyApplication', {
            applications: args.map((name) => ({
              'application-tag': applicationTag(name),
              force: flags.force,
              ...(flags.destroyStorage ? { 'destroy-storage': true } : {}),
              ...(flags.noWait ? { 'max-wait': 0 } : {}),
              ...(mode === 'dry-run' ? { 'dry-run': true } : {}),
            })),
          })
        ).results,
      effects: (name, { info }) => [
        `will remove application ${name}`,
        ...(info?.['destroyed-units'] ?? []).map(({ tag }) => `- will remove unit ${parseTag(tag).id}`),
      ],
    });
  },
});
