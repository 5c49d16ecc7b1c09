import { call } from '../../client/calls.ts';
import { parseAfter } from '../after.ts';
import { command, modelFlags } from '../command.ts';
import { UsageError } from '../errors.ts';
import { bool } from '../flags.ts';
import { printRequirements, requirementsFlags } from '../requirements.ts';

export const setAfter = command({
  name: 'set-after',
  summary: 'Sets the applications that an application waits for.',
  usage: '<application> <other application>[=<health>] …',
  details: `New units of the application get no machine until each of the other applications has been healthy once, as with
deploy --after: its units all active and idle, or as an expression says that is about each of them. What is set replaces
what was set before. A gate that has opened stays open while its application is named, whatever its health is to be now.
With --none the application waits for no other.`,
  examples: [
    'set-after wordpress mysql',
    'set-after wordpress mysql cache=\'workload-message=="warm"\'',
    'set-after wordpress --none',
  ],
  seeAlso: ['deploy', 'pending', 'explain'],
  completes: ['application', 'application'],
  flags: {
    ...modelFlags,
    ...requirementsFlags,
    none: bool('--none', 'Wait for no other application'),
  },
  async run(context, { model, format, none }, args) {
    const [application, ...others] = args;
    if (application === undefined) throw new UsageError('no application specified');
    if (none && others.length > 0) throw new UsageError('cannot name applications with --none');
    if (!none && others.length === 0) throw new UsageError('no application to wait for specified');
    const after = parseAfter(others);
    const { connection } = await context.openModel(model);
    const { requirements } = await call(connection, 'Requirements', 'SetAfter', { application, after });
    await printRequirements(context, format, requirements, { application });
  },
});
