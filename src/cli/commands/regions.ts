import { JujuError } from '../../core/errors.ts';
import { findClientCloud } from '../clouds/client-clouds.ts';
import { entryOf, shownRegions } from '../clouds/entries.ts';
import { controllerClouds } from '../clouds/upload-credentials.ts';
import { scopeFlags, scopeToShow } from '../clouds/where.ts';
import { command, formatFlags } from '../command.ts';
import type { CommandContext } from '../context.ts';
import { Exit, noMoreArgs, UsageError } from '../errors.ts';
import type { CloudEntry } from '../files/cloud-files.ts';
import { render } from '../format/render.ts';
import { toYaml } from '../format/yaml.ts';
import { defined } from '../../core/defined.ts';

export const regions = command({
  name: 'regions',
  summary: 'Lists regions for a given cloud.',
  usage: '<cloud>',
  details:
    'Shows the regions that the current controller and this client have for the cloud; the first one is the default.',
  examples: [
    'regions localhost',
    'regions mycloud --format yaml',
    'regions mycloud --controller mycontroller',
  ],
  seeAlso: ['add-cloud', 'clouds', 'show-cloud', 'update-cloud'],
  completes: ['cloud'],
  flags: { ...scopeFlags, ...formatFlags('tabular', 'json', 'yaml') },
  async run(context, flags, args) {
    const [name, ...moreArgs] = args;
    if (!name) throw new UsageError('no cloud specified');
    noMoreArgs(moreArgs);
    const scope = await scopeToShow(context, flags);
    const local = scope.client ? await loadFromClient(context, name) : undefined;
    const remote =
      scope.controller === undefined ? undefined : await loadFromController(context, scope.controller, name);
    if (!local && !remote) {
      context.io.stderr.write(`ERROR cloud ${name} not found\n`);
      throw new Exit(1);
    }
    const listed = {
      ...defined({
        'client-cloud-regions': local ? shownRegions(local) : undefined,
        'controller-cloud-regions': remote ? shownRegions(remote) : undefined,
      }),
    };
    const plain = Object.fromEntries(
      Object.entries(listed).map(([key, of]) => [key, Object.fromEntries(of)]),
    );
    const table = (title: string, of: CloudEntry | undefined): string =>
      of ? `\n${title}\n${[...(of.regions?.keys() ?? [])].map((region) => `${region}\n`).join('')}` : '';
    await context.write(
      render(flags.format, plain, {
        yaml: () => toYaml(listed),
        tabular: () => table('Client Cloud Regions', local) + table('Controller Cloud Regions', remote),
      }),
    );
  },
});

async function loadFromClient(context: CommandContext, name: string): Promise<CloudEntry | undefined> {
  const cloud = await findClientCloud(context, name);
  return cloud && entryOf(cloud);
}

async function loadFromController(
  context: CommandContext,
  controller: string,
  name: string,
): Promise<CloudEntry | undefined> {
  try {
    return (await controllerClouds(await context.openController(controller))).get(name);
  } catch (error) {
    if (error instanceof JujuError && error.code === 'not found') return undefined;
    throw error;
  }
}
