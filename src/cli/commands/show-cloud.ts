import { JujuError } from '../../core/errors.ts';
import { cloudTag } from '../../wire/tags.ts';
import { call, only } from '../../client/calls.ts';
import { cloudFiles, findClientCloud } from '../clouds/client-clouds.ts';
import { entryOf, fromWire, plainCloud, showEntry, type ShownCloud } from '../clouds/entries.ts';
import { scopeFlags, scopeToShow } from '../clouds/where.ts';
import { command, formatFlags } from '../command.ts';
import type { CommandContext } from '../context.ts';
import { Exit, noMoreArgs, UsageError } from '../errors.ts';
import { bool } from '../flags.ts';
import { render } from '../format/render.ts';
import { toYaml } from '../format/yaml.ts';
import { defined } from '../../core/defined.ts';

export const showCloud = command({
  name: 'show-cloud',
  summary: 'Shows detailed information for a cloud.',
  usage: '<cloud name>',
  details: `Shows the cloud on the current controller and on this client; use --client or --controller to show only
one of the two. Controllers never show secret settings.

--include-config also describes the settings of this type of cloud.`,
  examples: [
    'show-cloud localhost',
    'show-cloud mycloud --controller mycontroller',
    'show-cloud mycloud --client --include-config',
  ],
  seeAlso: ['clouds', 'add-cloud', 'update-cloud'],
  completes: ['cloud'],
  flags: {
    ...scopeFlags,
    ...formatFlags('display', 'json', 'yaml'),
    includeConfig: bool(
      '--include-config',
      'Print available config option details specific to the specified cloud',
    ),
  },
  async run(context, flags, args) {
    const [name, ...moreArgs] = args;
    if (!name) throw new UsageError('no cloud specified');
    noMoreArgs(moreArgs);
    const scope = await scopeToShow(context, flags);
    const failed: string[] = [];
    const unlessNotFound = async (
      request: Promise<ShownCloud | undefined>,
    ): Promise<ShownCloud | undefined> => {
      try {
        return await request;
      } catch (error) {
        if (!(error instanceof JujuError) || error.code !== 'not found') throw error;
        failed.push(error.message);
        return undefined;
      }
    };
    const { controller } = scope;
    const remote =
      controller === undefined
        ? undefined
        : await unlessNotFound(loadFromController(context, controller, name));
    const local = scope.client ? await unlessNotFound(loadFromClient(context, name)) : undefined;
    if (!remote && !local) {
      for (const message of failed) context.io.stderr.write(`ERROR ${message}\n`);
      throw new Exit(1);
    }
    const display = (): string => {
      const parts = [
        remote && shown(`Cloud "${name}" from controller "${controller}":`, remote),
        local && shown(`Client cloud "${name}":`, local),
      ].filter((part) => part !== undefined);
      return parts.length > 1 ? `${parts.join('\n')}\n` : parts.join('');
    };
    const clouds = { ...(remote && { [`controller-cloud`]: remote }), ...defined({ 'client-cloud': local }) };
    const value = remote && local ? clouds : (local ?? remote);
    await context.write(
      render(flags.format, remote && local ? mapValues(clouds) : plainCloud((local ?? remote)!), {
        display,
        yaml: () => toYaml(value, { inline: ['auth-types'] }),
      }),
    );
    if (flags.includeConfig) await context.write(await settings(context, (local ?? remote)!.type));
  },
});

const shown = (title: string, cloud: ShownCloud): string =>
  `${title}\n\n${toYaml(cloud, { inline: ['auth-types'] })}`;

const mapValues = (both: Readonly<Record<string, ShownCloud>>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(both).map(([key, cloud]) => [key, plainCloud(cloud)]));

/** Returns the cloud as the controller has it. Errors: `not found`. */
async function loadFromController(
  context: CommandContext,
  controller: string,
  name: string,
): Promise<ShownCloud> {
  const { connection } = await context.openController(controller);
  const entities = [{ tag: cloudTag(name) }];
  const cloud = only((await call(connection, 'Cloud', 'Cloud', { entities })).results).cloud!;
  const info = only((await call(connection, 'Cloud', 'CloudInfo', { entities })).results).result;
  const users = (info?.users ?? []).map(
    ({ user, access, 'display-name': displayName }) =>
      [user, { 'display-name': displayName, access }] as const,
  );
  return showEntry(fromWire(cloud), {
    defined: 'public',
    description: await descriptionOf(context, cloud.type),
    ...defined({ users: users.length > 0 ? Object.fromEntries(users) : undefined }),
  });
}

async function loadFromClient(context: CommandContext, name: string): Promise<ShownCloud> {
  const cloud = await findClientCloud(context, name);
  if (!cloud) throw new JujuError('not found', `cloud ${name} not found`);
  const stored = await (await cloudFiles(context)).credentialsOf(cloud.name);
  return showEntry(entryOf(cloud), {
    defined: cloud.defined,
    description: cloud.description,
    'credential-count': stored.credentials.size,
    ...defined({ 'default-region': stored.defaultRegion || undefined }),
  });
}

async function descriptionOf(context: CommandContext, type: string): Promise<string> {
  return (await context.io.providers()).get(type)?.description ?? '';
}

async function settings(context: CommandContext, type: string): Promise<string> {
  const config = (await context.io.providers()).get(type)?.config ?? {};
  const described = Object.entries(config).map(([key, { type: kind, description }]) => [
    key,
    { type: kind, description },
  ]);
  if (described.length === 0) return `\nThere are no config options specific to ${type} clouds.\n`;
  return `\nThe available config options specific to ${type} clouds are:\n${toYaml(Object.fromEntries(described))}`;
}
