import { call, errorOf } from '../../client/calls.ts';
import { applicationTag } from '../../wire/tags.ts';
import { command, modelFlags } from '../command.ts';
import { UsageError } from '../errors.ts';
import { bool } from '../flags.ts';
import { parseBindings } from '../spaces.ts';

export const bind = command({
  name: 'bind',
  summary: 'Change bindings for a deployed application.',
  usage: '<application> [<default-space>] [<endpoint-name>=<space> ...]',
  details: `Binds endpoints of an application to spaces. A space without an endpoint becomes the application's default:
endpoints that were bound to the old default follow it, others keep their space. Units that run are told by
config-changed, and announce their addresses in the new spaces after it.

A binding to a space in which a machine of the application has no address is refused, unless --force is given.`,
  examples: ['bind postgresql db=dmz', 'bind postgresql beta db=dmz admin=alpha'],
  seeAlso: ['spaces', 'show-application', 'deploy'],
  completes: ['application'],
  flags: {
    ...modelFlags,
    force: bool(
      '--force',
      'Allow endpoints to be bound to spaces that might not be available to all existing units',
    ),
  },
  async run(context, { model, force }, args) {
    const [application, ...words] = args;
    if (!application) throw new UsageError('no application specified');
    if (words.length === 0) throw new UsageError('no bindings specified');
    const bindings = parseBindings(words.join(' '));
    const { connection } = await context.openModel(model);
    const read = async (): Promise<Readonly<Record<string, string>>> =>
      (await call(connection, 'Application', 'Get', { application, branch: 'master' }))['endpoint-bindings'];
    const before = await read();
    const { results } = await call(connection, 'Application', 'MergeBindings', {
      args: [{ 'application-tag': applicationTag(application), bindings, force }],
    });
    const error = results[0]?.error;
    if (error) throw errorOf(error);
    const after = await read();
    for (const endpoint of Object.keys(after).sort())
      if (after[endpoint] !== before[endpoint])
        context.info(
          `moving endpoint "${endpoint}" from space "${before[endpoint]}" to "${after[endpoint]}"`,
        );
  },
});
