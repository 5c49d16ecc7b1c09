import { clientClouds, cloudFiles } from '../clouds/client-clouds.ts';
import { entryOf, plainCloud, showEntry, type ShownCloud } from '../clouds/entries.ts';
import { controllerClouds } from '../clouds/upload-credentials.ts';
import { scopeFlags, scopeToShow } from '../clouds/where.ts';
import { command, formatFlags } from '../command.ts';
import type { CommandContext } from '../context.ts';
import { noMoreArgs } from '../errors.ts';
import { bool } from '../flags.ts';
import { render } from '../format/render.ts';
import { formatSections, type Section } from '../format/tabwriter.ts';
import { toYaml } from '../format/yaml.ts';
import { defined } from '../../core/defined.ts';

type Listed = ReadonlyMap<string, ShownCloud>;

export const clouds = command({
  name: 'clouds',
  summary: 'Lists all clouds available to grigri.',
  usage: '',
  details: `Shows the clouds of the current controller and those known to this client: clouds from clouds.yaml (local)
and clouds that need no definition (built-in). Use --client or --controller to show only one of the two. The first
region of a cloud is its default, unless default-region has set another one.`,
  examples: ['clouds', 'clouds --format yaml', 'clouds --controller mycontroller', 'clouds --client'],
  seeAlso: [
    'add-cloud',
    'credentials',
    'controllers',
    'regions',
    'default-credential',
    'default-region',
    'show-cloud',
  ],
  flags: {
    ...scopeFlags,
    ...formatFlags('tabular', 'json', 'yaml'),
    all: bool('--all', 'Show all available clouds'),
  },
  async run(context, flags, args) {
    noMoreArgs(args);
    const scope = await scopeToShow(context, flags);
    const remote =
      scope.controller === undefined ? undefined : await loadFromController(context, scope.controller);
    const local = scope.client ? await loadFromClient(context) : undefined;
    if (flags.format !== 'tabular') {
      const listed = new Map([...(remote ?? []), ...(local ?? [])]);
      const json = Object.fromEntries([...listed].map(([name, cloud]) => [name, plainCloud(cloud)]));
      return context.write(
        flags.format === 'yaml' ? toYaml(listed, { inline: ['auth-types'] }) : render('json', json),
      );
    }
    if (Object.keys(await (await context.store()).controllers()).length === 0)
      context.info('You can bootstrap a new controller using one of these clouds...');
    await context.write(`\n${table(remote, local)}\n`);
  },
});

async function loadFromController(context: CommandContext, controller: string): Promise<Listed> {
  const session = await context.openController(controller);
  const credentials = await (await cloudFiles(context)).credentials();
  return new Map(
    [...(await controllerClouds(session))].map(([name, entry]) => {
      const region = credentials.get(name)?.defaultRegion;
      const shownRegion = region && { 'default-region': region };
      return [name, showEntry(entry, { defined: 'public', description: '', ...shownRegion })];
    }),
  );
}

async function loadFromClient(context: CommandContext): Promise<Listed> {
  const credentials = await (await cloudFiles(context)).credentials();
  return new Map(
    [...(await clientClouds(context))].map(([name, cloud]) => {
      const cloudCredentials = credentials.get(name);
      const shownMembers = {
        defined: cloud.defined,
        description: cloud.description,
        'credential-count': cloudCredentials?.credentials.size ?? 0,
        ...defined({ 'default-region': cloudCredentials?.defaultRegion || undefined }),
      };
      return [name, showEntry(entryOf(cloud), shownMembers)];
    }),
  );
}

function table(remote: Listed | undefined, local: Listed | undefined): string {
  const sections: Section[] = [];
  const common = (name: string, cloud: ShownCloud): string[] => {
    const [firstRegion] = cloud.regions?.keys() ?? [];
    return [name, String(cloud.regions?.size ?? 0), cloud['default-region'] ?? firstRegion ?? '', cloud.type];
  };
  if (remote && remote.size > 0)
    sections.push({
      rows: [
        ['Clouds available on the controller:'],
        ['Cloud', 'Regions', 'Default', 'Type'],
        ...[...remote].map(([name, cloud]) => [...common(name, cloud), '']),
      ],
    });
  if (local && local.size > 0)
    sections.push({
      rows: [
        ['Clouds available on the client:'],
        ['Cloud', 'Regions', 'Default', 'Type', 'Credentials', 'Source', 'Description'],
        ...[...local].map(([name, cloud]) => [
          ...common(name, cloud),
          String(cloud['credential-count'] ?? 0),
          cloud.defined,
          cloud.description,
        ]),
      ],
    });
  return formatSections(sections);
}
