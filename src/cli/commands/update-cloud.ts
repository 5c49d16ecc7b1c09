import { isCloudName } from '../../core/names.ts';
import { allOk, call } from '../../client/calls.ts';
import { cloudFiles, findClientCloud } from '../clouds/client-clouds.ts';
import { entryOf, toWire } from '../clouds/entries.ts';
import { checkDefinition, readDefinition } from '../clouds/read-definitions.ts';
import { whereFlags, whereToChange } from '../clouds/where.ts';
import { command } from '../command.ts';
import { noMoreArgs, UsageError } from '../errors.ts';
import { text } from '../flags.ts';
import { JujuError } from '../../core/errors.ts';

export const updateCloud = command({
  name: 'update-cloud',
  summary: 'Updates cloud information available to grigri.',
  usage: '<cloud name>',
  details: `Gives the cloud the definition of a file (-f), on this client, on a controller, or both. Without a file a
controller gets the definition that this client has. The type of a cloud stays, and so do regions that have models.`,
  examples: [
    'update-cloud mycloud -f path/to/mycloud.yaml --client',
    'update-cloud mycloud --controller mycontroller',
    'update-cloud mycloud -f mycloud.yaml --client --controller mycontroller',
  ],
  seeAlso: ['add-cloud', 'remove-cloud', 'clouds'],
  completes: ['cloud'],
  flags: {
    ...whereFlags,
    file: text('-f, --file', 'The path to a cloud definition file', { completes: 'file' }),
  },
  async run(context, flags, args) {
    const [name, ...rest] = args;
    if (!name) throw new UsageError('cloud name required');
    noMoreArgs(rest);
    if (!isCloudName(name)) throw new UsageError(`cloud name "${name}" not valid`);
    const where = await whereToChange(context, flags, `update cloud "${name}" on`);
    if (!where) return;
    const known = await findClientCloud(context, name);
    if (!flags.file && !known) throw new JujuError('not found', `cloud ${name} not found`);
    if (!flags.file && where.controller === undefined)
      throw new UsageError(`nothing to update cloud "${name}" on this client from: give a file (-f)`);
    const providers = await context.io.providers();
    const entry = checkDefinition(
      flags.file ? await readDefinition(context, flags.file, name) : entryOf(known!),
      providers,
    );
    const source = flags.file ? 'provided file' : 'client cloud definition';
    if (where.client && flags.file) {
      await (await cloudFiles(context)).setCloud(name, entry);
      context.info(`Cloud "${name}" updated on this client using ${source}.`);
    }
    if (where.controller === undefined) return;
    const { connection, controller } = await context.openController(where.controller);
    const { results } = await call(connection, 'Cloud', 'UpdateCloud', {
      clouds: [{ name, cloud: toWire(entry) }],
    });
    allOk(results, () => name);
    context.info(`Cloud "${name}" updated on controller "${controller}" using ${source}.`);
  },
});
