import { JujuError } from '../../core/errors.ts';
import { cloudTag } from '../../wire/tags.ts';
import { call, only } from '../../client/calls.ts';
import { clientClouds, cloudFiles, findClientCloud } from '../clouds/client-clouds.ts';
import { entryOf, fromWire, plainCloud, showEntry, shownUsers, type ShownCloud } from '../clouds/entries.ts';
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
    const shown: Shown[] = [];
    if (remote)
      shown.push({ name, summary: `Cloud "${name}" from controller "${controller}"`, cloud: remote });
    if (local) shown.push({ name, summary: `Client cloud "${name}"`, cloud: local });
    if (shown.length === 0) {
      for (const message of failed) context.io.stderr.write(`ERROR ${message}\n`);
      throw new Exit(1);
    }
    if (flags.includeConfig) shown.at(-1)!.config = await settings(context, shown.at(-1)!.cloud.type);
    await context.write(formats[flags.format as keyof typeof formats](shown));
  },
});

interface Shown {
  readonly name: string;
  readonly summary: string;
  readonly cloud: ShownCloud;
  /** Settings of the cloud's type, each with its type and description. */
  config?: Readonly<Record<string, unknown>>;
}

const inYaml = (value: unknown): string => toYaml(value, { inline: ['auth-types'] });
const several = (texts: readonly string[], end: string): string =>
  texts.length > 1 ? texts.map((text) => `${text}${end}`).join('') : texts.join('');

/** Juju's forms: for people, a document of YAML for each, and a list in JSON. */
const formats = {
  display: (shown: readonly Shown[]) =>
    several(
      shown.map(({ summary, cloud, config }) => {
        const described =
          config === undefined
            ? ''
            : Object.keys(config).length === 0
              ? `\nThere are no config options specific to ${cloud.type} clouds.\n`
              : `\nThe available config options specific to ${cloud.type} clouds are:\n${toYaml(config)}`;
        return `${summary}:\n\n${inYaml(cloud)}${described}`;
      }),
      '\n',
    ),
  yaml: (shown: readonly Shown[]) =>
    several(
      shown.map(({ name, summary, cloud, config }) =>
        inYaml({ name, summary, ...cloud, ...defined({ 'cloud-config': config }) }),
      ),
      '---\n',
    ),
  json: (shown: readonly Shown[]) =>
    render(
      'json',
      shown.map(({ name, summary, cloud, config }) => ({
        name,
        summary,
        ...plainCloud(cloud),
        ...defined({ 'cloud-config': config }),
      })),
    ),
};

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
  const stored = await (await cloudFiles(context)).credentialsOf(name);
  return showEntry(fromWire(cloud), {
    defined: 'public',
    description: '',
    'credential-count': stored.credentials.size,
    ...defined({
      'default-region': stored.defaultRegion || undefined,
      users: shownUsers(info?.users),
    }),
  });
}

async function loadFromClient(context: CommandContext, name: string): Promise<ShownCloud> {
  const cloud = await findClientCloud(context, name);
  if (!cloud) {
    const others = [...(await clientClouds(context)).keys()].map((one) => `\n  - ${one}`).join('');
    const hint = others === '' ? '' : `, possible alternative clouds:\n${others}`;
    throw new JujuError('not found', `cloud ${name} not found${hint}`);
  }
  const stored = await (await cloudFiles(context)).credentialsOf(cloud.name);
  return showEntry(entryOf(cloud), {
    defined: cloud.defined,
    description: cloud.description,
    'credential-count': stored.credentials.size,
    ...defined({ 'default-region': stored.defaultRegion || undefined }),
  });
}

async function settings(context: CommandContext, type: string): Promise<Record<string, unknown>> {
  const config = (await context.io.providers()).get(type)?.config ?? {};
  return Object.fromEntries(
    Object.entries(config).map(([key, { type: kind, description }]) => [key, { type: kind, description }]),
  );
}
