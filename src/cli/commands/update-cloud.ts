import { isCloudName } from '../../core/names.ts';
import { allOk, call } from '../../client/calls.ts';
import { cloudFiles, findClientCloud } from '../clouds/client-clouds.ts';
import { entryOf, toWire } from '../clouds/entries.ts';
import { checkDefinition, readDefinition } from '../clouds/read-definitions.ts';
import { scopeFlags, scopeToChange } from '../clouds/where.ts';
import { command } from '../command.ts';
import { noMoreArgs, UsageError } from '../errors.ts';
import { text } from '../flags.ts';
import { JujuError } from '../../core/errors.ts';

export const updateCloud = command({
  name: 'update-cloud',
  summary: 'Updates cloud information available to grigri.',
  usage: '<cloud name>',
  details: `Updates the cloud with the definition from a file (-f), on this client, on a controller, or both. Without
a file, a controller gets this client's definition. The type of a cloud, and regions that have models, cannot be
changed.`,
  examples: [
    'update-cloud mycloud -f path/to/mycloud.yaml --client',
    'update-cloud mycloud --controller mycontroller',
    'update-cloud mycloud -f mycloud.yaml --client --controller mycontroller',
  ],
  seeAlso: ['add-cloud', 'remove-cloud', 'clouds'],
  completes: ['cloud'],
  flags: {
    ...scopeFlags,
    file: text('-f, --file', 'The path to a cloud definition file', { completes: 'file' }),
  },
  async run(context, flags, args) {
    const [name, ...moreArgs] = args;
    if (!name) throw new UsageError('cloud name required');
    noMoreArgs(moreArgs);
    if (!isCloudName(name)) throw new UsageError(`cloud name "${name}" not valid`);
    const scope = await scopeToChange(context, flags, `update cloud "${name}" on`);
    if (!scope) return;
    const clientCloud = await findClientCloud(context, name);
    if (!flags.file && !clientCloud) throw new JujuError('not found', `cloud ${name} not found`);
    if (!flags.file && scope.controller === undefined)
      throw new UsageError(
        `cannot update cloud "${name}" on this client without a definition: use -f <file>`,
      );
    const providers = await context.io.providers();
    const entry = checkDefinition(
      flags.file ? await readDefinition(context, flags.file, name) : entryOf(clientCloud!),
      providers,
    );
    const source = flags.file ? 'provided file' : 'client cloud definition';
    if (scope.client && flags.file) {
      await (await cloudFiles(context)).setCloud(name, entry);
      context.info(`Cloud "${name}" updated on this client using ${source}.`);
    }
    if (scope.controller === undefined) return;
    const { connection, controller } = await context.openController(scope.controller);
    const { results } = await call(connection, 'Cloud', 'UpdateCloud', {
      clouds: [{ name, cloud: toWire(entry) }],
    });
    allOk(results, () => name);
    context.info(`Cloud "${name}" updated on controller "${controller}" using ${source}.`);
  },
});
