import { call } from '../../client/calls.ts';
import { cloudFiles, findClientCloud, type Providers } from '../clouds/client-clouds.ts';
import { whereFlags, whereToLook } from '../clouds/where.ts';
import { command, formatFlags } from '../command.ts';
import type { CommandContext } from '../context.ts';
import { noMoreArgs } from '../errors.ts';
import { bool } from '../flags.ts';
import { render } from '../format/render.ts';
import { formatSections } from '../format/tabwriter.ts';
import { toYaml } from '../format/yaml.ts';
import { defined } from '../../core/defined.ts';

interface Listed {
  readonly 'default-credential'?: string;
  readonly 'default-region'?: string;
  readonly 'cloud-credentials': ReadonlyMap<string, ListedCredential>;
}
interface ListedCredential {
  readonly 'auth-type': string;
  readonly details?: Readonly<Record<string, string>>;
}
type Clouds = ReadonlyMap<string, Listed>;

export const credentials = command({
  name: 'credentials',
  summary: 'Lists credentials for a cloud.',
  usage: '[<cloud name>]',
  details: `Lists the user's credentials on the current controller, and those of this client (credentials.yaml);
--client or --controller asks for one of the two. The default one of a cloud has a star.

Secrets are shown with --show-secrets only, and not in tables; a controller shows them to superusers.`,
  examples: ['credentials', 'credentials mycloud', 'credentials --client --format yaml --show-secrets'],
  seeAlso: [
    'add-credential',
    'update-credential',
    'remove-credential',
    'default-credential',
    'autoload-credentials',
    'show-credential',
  ],
  completes: ['cloud'],
  flags: {
    ...whereFlags,
    ...formatFlags('tabular', 'json', 'yaml'),
    showSecrets: bool('--show-secrets', 'Show secrets, applicable to yaml or json formats only'),
  },
  async run(context, flags, args) {
    const [cloud, ...rest] = args;
    noMoreArgs(rest);
    if (flags.showSecrets && flags.format === 'tabular')
      context.info('secrets are not shown in tabular format');
    const where = await whereToLook(context, flags);
    const remote =
      where.controller === undefined
        ? undefined
        : await ofController(
            context,
            where.controller,
            cloud,
            flags.showSecrets && flags.format !== 'tabular',
          );
    const local = where.client ? await ofClient(context, cloud, flags.showSecrets) : undefined;
    if (flags.format === 'tabular') {
      if ((remote?.size ?? 0) + (local?.size ?? 0) === 0)
        return context.info('No credentials from this client or from a controller to display.');
      return context.write(`\n${table(remote, local)}\n`);
    }
    const kinds = [
      ['controller-credentials', remote],
      ['client-credentials', local],
    ] as const;
    const found = kinds.flatMap(([key, clouds]) =>
      clouds && clouds.size > 0 ? [[key, clouds] as const] : [],
    );
    await context.write(
      flags.format === 'yaml'
        ? toYaml(new Map(found.map(([key, clouds]) => [key, yamlClouds(clouds)])))
        : render('json', Object.fromEntries(found.map(([key, clouds]) => [key, jsonClouds(clouds)]))),
    );
  },
});

async function ofClient(
  context: CommandContext,
  only: string | undefined,
  secrets: boolean,
): Promise<Clouds> {
  const providers = await context.io.providers();
  const listed = new Map<string, Listed>();
  const removed: string[] = [];
  const all = await (await cloudFiles(context)).credentials();
  for (const [name, known] of [...all].sort(([a], [b]) => (a < b ? -1 : 1))) {
    if (only !== undefined && name !== only) continue;
    const cloud = await findClientCloud(context, name);
    if (!cloud && !secrets) {
      removed.push(name);
      continue;
    }
    const isSecret = secretsOf(providers, cloud?.type ?? '', secrets);
    if (known.credentials.size === 0 && !known.defaultRegion) continue;
    listed.set(name, {
      ...defined({
        'default-credential': known.defaultCredential || undefined,
        'default-region': known.defaultRegion || undefined,
      }),
      'cloud-credentials': new Map(
        [...known.credentials]
          .sort(([a], [b]) => (a < b ? -1 : 1))
          .map(([own, { authType, attributes }]) => [own, shown(authType, attributes, isSecret)]),
      ),
    });
  }
  if (removed.length > 0)
    context.info(
      `The following clouds have been removed and are omitted from the results to avoid leaking secrets.\nRun with --show-secrets to display these clouds' credentials: ${removed.join(', ')}\n`,
    );
  return listed;
}

function secretsOf(
  providers: Providers,
  type: string,
  secrets: boolean,
): (authType: string, key: string) => boolean {
  return (authType, key) => {
    if (secrets) return false;
    const schema = providers.get(type)?.authTypes[authType] ?? {};
    return !Object.hasOwn(schema, key) || schema[key]!.secret === true;
  };
}

function shown(
  authType: string,
  attributes: Readonly<Record<string, string>>,
  isSecret: (authType: string, key: string) => boolean,
): ListedCredential {
  const details = Object.entries(attributes)
    .filter(([key]) => !isSecret(authType, key))
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return {
    'auth-type': authType,
    ...defined({ details: details.length > 0 ? Object.fromEntries(details) : undefined }),
  };
}

async function ofController(
  context: CommandContext,
  controller: string,
  only: string | undefined,
  secrets: boolean,
): Promise<Clouds> {
  const { connection } = await context.openController(controller);
  const { results } = await call(connection, 'Cloud', 'CredentialContents', { 'include-secrets': secrets });
  const listed = new Map<string, Map<string, ListedCredential>>();
  for (const { result, error } of results) {
    if (error) context.io.stderr.write(`ERROR ${error.message}\n`);
    if (!result || (only !== undefined && result.content.cloud !== only)) continue;
    const { cloud, name, 'auth-type': authType, attrs = {} } = result.content;
    const own = listed.get(cloud) ?? new Map<string, ListedCredential>();
    own.set(
      name,
      shown(authType, attrs, () => false),
    );
    listed.set(cloud, own);
  }
  const sorted = [...listed].sort(([a], [b]) => (a < b ? -1 : 1));
  return new Map(sorted.map(([name, own]) => [name, { 'cloud-credentials': own }]));
}

function table(remote: Clouds | undefined, local: Clouds | undefined): string {
  const section = (title: string, clouds: Clouds | undefined): { rows: string[][] } => ({
    rows: clouds && clouds.size > 0 ? [[title], ['Cloud', 'Credentials'], ...[...clouds].map(row)] : [],
  });
  return formatSections([section('Controller Credentials:', remote), section('Client Credentials:', local)]);
}

/** Returns a table row, with the default credential first and marked by a star. */
function row([cloud, { 'default-credential': usual, 'cloud-credentials': own }]: [string, Listed]): string[] {
  const names = [...own.keys()];
  const starred =
    usual !== undefined && own.has(usual) ? [`${usual}*`, ...names.filter((n) => n !== usual)] : names;
  return [cloud, starred.join(', ')];
}

/** Returns the clouds in the form of credentials.yaml. */
function yamlClouds(clouds: Clouds): Map<string, unknown> {
  return new Map(
    [...clouds].map(([cloud, { 'cloud-credentials': own, ...defaults }]) => [
      cloud,
      new Map<string, unknown>([
        ...Object.entries(defaults),
        ...[...own].map(([name, { 'auth-type': authType, details }]): [string, unknown] => [
          name,
          { 'auth-type': authType, ...details },
        ]),
      ]),
    ]),
  );
}

function jsonClouds(clouds: Clouds): Record<string, unknown> {
  return Object.fromEntries(
    [...clouds].map(([cloud, { 'cloud-credentials': own, ...defaults }]) => [
      cloud,
      { ...defaults, 'cloud-credentials': Object.fromEntries(own) },
    ]),
  );
}
