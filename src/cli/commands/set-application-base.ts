import { parseBase } from '../../core/base.ts';
import { call, only } from '../../client/calls.ts';
import { applicationTag } from '../../wire/tags.ts';
import { JujuError } from '../../core/errors.ts';
import { command, modelFlags } from '../command.ts';
import { bool } from '../flags.ts';
import { noMoreArgs, UsageError } from '../errors.ts';

export const setApplicationBase = command({
  name: 'set-application-base',
  summary: "Set an application's base.",
  usage: '<application> <base>',
  details: `Units that are added from now on get machines with this base; those that are there keep theirs. A base is the
name and the version of Ubuntu, such as ubuntu@24.04. The charm must have the base, unless --force is given.`,
  examples: ['set-application-base mysql ubuntu@22.04'],
  seeAlso: ['status', 'refresh'],
  completes: ['application'],
  flags: {
    ...modelFlags,
    force: bool('--force', 'Set even if the base is not supported by the charm'),
  },
  async run(context, { model, force }, args) {
    const [application, base, ...moreArgs] = args;
    if (application === undefined) throw new UsageError('no arguments specified');
    if (base === undefined) throw new UsageError('no base specified');
    noMoreArgs(moreArgs);
    const { name, channel } = parseBase(base);
    // The call names no operating system.
    if (name !== 'ubuntu')
      throw new JujuError('not supported', `bases are set to versions of Ubuntu only, not to "${base}"`);
    const { connection } = await context.openModel(model);
    const { results } = await call(connection, 'Application', 'UpdateApplicationBase', {
      args: [{ tag: { tag: applicationTag(application) }, force, channel }],
    });
    only(results);
  },
});
