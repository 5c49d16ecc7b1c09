import { call } from '../../client/calls.ts';
import { cloudTag } from '../../wire/tags.ts';
import { clientClouds, cloudFiles } from '../clouds/client-clouds.ts';
import { entryOf, plainCloud, showEntry, shownUsers, type ShownCloud } from '../clouds/entries.ts';
import { controllerClouds } from '../clouds/upload-credentials.ts';
import { scopeFlags, scopeToShow } from '../clouds/where.ts';
import { command, formatFlags } from '../command.ts';
import type { ControllerSession } from '../../operate/sessions.ts';
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
and clouds that need no definition (built-in). Public clouds that this client has no credential for are shown with --all. Use --client or --controller to show only one of the two. The first
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
    const known = scope.client ? await loadFromClient(context) : undefined;
    const local = flags.all ? known : withoutUnused(known);
    if (known && local!.size < known.size) {
      const isEmpty = local!.size + (remote?.size ?? 0) === 0;
      context.info(
        `${isEmpty ? 'No clouds with registered credentials to show.' : 'Only clouds with registered credentials are shown.'}
There are more clouds, use --all to see them.`,
      );
    }
    if (flags.format === 'tabular') return context.write(`${table(remote, local)}\n`);
    const listed = new Map(
      [...new Map([...(local ?? []), ...(remote ?? [])])].sort(([a], [b]) => (a < b ? -1 : 1)),
    );
    const json = Object.fromEntries([...listed].map(([name, cloud]) => [name, plainCloud(cloud)]));
    await context.write(
      flags.format === 'yaml' ? toYaml(listed, { inline: ['auth-types'] }) : render('json', json),
    );
  },
});

/** Returns the clouds without public ones that the client has no credential for: there are many of them. */
function withoutUnused(clouds: Listed | undefined): Listed | undefined {
  return (
    clouds &&
    new Map([...clouds].filter(([, cloud]) => cloud.defined !== 'public' || cloud['credential-count']))
  );
}

async function loadFromController(context: CommandContext, controller: string): Promise<Listed> {
  const session = await context.openController(controller);
  const credentials = await (await cloudFiles(context)).credentials();
  const clouds = await controllerClouds(session);
  const users = await usersOf(session, [...clouds.keys()]);
  return new Map(
    [...clouds].map(([name, entry]) => {
      const own = credentials.get(name);
      const extra = defined({
        'credential-count': own?.credentials.size,
        'default-region': own?.defaultRegion || undefined,
        users: users.get(name),
      });
      return [name, showEntry(entry, { defined: 'public', description: '', ...extra })];
    }),
  );
}

/** Returns the users of each cloud, as far as this user may see them. */
async function usersOf(
  { connection }: ControllerSession,
  names: readonly string[],
): Promise<ReadonlyMap<string, ShownCloud['users']>> {
  const entities = names.map((name) => ({ tag: cloudTag(name) }));
  const { results } = await call(connection, 'Cloud', 'CloudInfo', { entities });
  return new Map(names.map((name, at) => [name, shownUsers(results[at]?.result?.users)]));
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

/** Shortens a description to the column's width of 40. */
const shortened = (text = ''): string => (text.length > 40 ? text.slice(0, 39) : text);

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
          shortened(cloud.description),
        ]),
      ],
    });
  const isClientOnly = sections.length > 0 && (remote?.size ?? 0) === 0;
  const lead = isClientOnly ? 'You can bootstrap a new controller using one of these clouds...\n' : '';
  return `${lead}\n${formatSections(sections)}`;
}
