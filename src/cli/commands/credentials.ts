import { call } from '../../client/calls.ts';
import { cloudFiles, findClientCloud, type Providers } from '../clouds/client-clouds.ts';
import { scopeFlags, scopeToShow } from '../clouds/where.ts';
import { command, formatFlags } from '../command.ts';
import type { CommandContext } from '../context.ts';
import { noMoreArgs } from '../errors.ts';
import { bool } from '../flags.ts';
import { render } from '../format/render.ts';
import { formatSections } from '../format/tabwriter.ts';
import { toYaml } from '../format/yaml.ts';
import { defined } from '../../core/defined.ts';
import { credentialSchema } from '../../providers/contract/credential-schema.ts';

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
  details: `Lists the user's credentials on the current controller and those on this client (credentials.yaml). Use
--client or --controller to list only one of the two. An asterisk marks the default credential of a cloud.

Secrets are shown only with --show-secrets, and not in tables; controllers show them only to superusers.`,
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
    ...scopeFlags,
    ...formatFlags('tabular', 'json', 'yaml'),
    showSecrets: bool('--show-secrets', 'Show secrets, applicable to yaml or json formats only'),
  },
  async run(context, flags, args) {
    const [cloud, ...moreArgs] = args;
    noMoreArgs(moreArgs);
    if (flags.showSecrets && flags.format === 'tabular')
      context.info('secrets are not shown in tabular format');
    const scope = await scopeToShow(context, flags);
    const remote =
      scope.controller === undefined
        ? undefined
        : await loadFromController(
            context,
            scope.controller,
            cloud,
            flags.showSecrets && flags.format !== 'tabular',
          );
    const local = scope.client ? await loadFromClient(context, cloud, flags.showSecrets) : undefined;
    if (flags.format === 'tabular') {
      if ((remote?.size ?? 0) + (local?.size ?? 0) === 0)
        return context.info('No credentials from this client or from a controller to display.');
      return context.write(`\n${table(remote, local)}\n`);
    }
    const kinds = [
      ['controller-credentials', remote],
      ['client-credentials', local],
    ] as const;
    const nonEmpty = kinds.flatMap(([key, clouds]) =>
      clouds && clouds.size > 0 ? [[key, clouds] as const] : [],
    );
    await context.write(
      flags.format === 'yaml'
        ? toYaml(new Map(nonEmpty.map(([key, clouds]) => [key, yamlClouds(clouds)])))
        : render('json', Object.fromEntries(nonEmpty.map(([key, clouds]) => [key, jsonClouds(clouds)]))),
    );
  },
});

async function loadFromClient(
  context: CommandContext,
  onlyCloud: string | undefined,
  secrets: boolean,
): Promise<Clouds> {
  const providers = await context.io.providers();
  const listed = new Map<string, Listed>();
  const removed: string[] = [];
  const stored = await (await cloudFiles(context)).credentials();
  for (const [name, entry] of [...stored].sort(([a], [b]) => (a < b ? -1 : 1))) {
    if (onlyCloud !== undefined && name !== onlyCloud) continue;
    const cloud = await findClientCloud(context, name);
    if (!cloud && !secrets) {
      removed.push(name);
      continue;
    }
    const isSecret = secretsOf(providers, cloud?.type ?? '', secrets);
    if (entry.credentials.size === 0 && !entry.defaultRegion) continue;
    listed.set(name, {
      ...defined({
        'default-credential': entry.defaultCredential || undefined,
        'default-region': entry.defaultRegion || undefined,
      }),
      'cloud-credentials': new Map(
        [...entry.credentials]
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
    const schema = credentialSchema(providers.get(type), type, authType) ?? {};
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

async function loadFromController(
  context: CommandContext,
  controller: string,
  onlyCloud: string | undefined,
  secrets: boolean,
): Promise<Clouds> {
  const { connection } = await context.openController(controller);
  const { results } = await call(connection, 'Cloud', 'CredentialContents', { 'include-secrets': secrets });
  const listed = new Map<string, Map<string, ListedCredential>>();
  for (const { result, error } of results) {
    if (error) context.io.stderr.write(`ERROR ${error.message}\n`);
    if (!result || (onlyCloud !== undefined && result.content.cloud !== onlyCloud)) continue;
    const { cloud, name, 'auth-type': authType, attrs = {} } = result.content;
    const cloudCredentials = listed.get(cloud) ?? new Map<string, ListedCredential>();
    cloudCredentials.set(
      name,
      shown(authType, attrs, () => false),
    );
    listed.set(cloud, cloudCredentials);
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
function row([cloud, { 'default-credential': defaultName, 'cloud-credentials': cloudCredentials }]: [
  string,
  Listed,
]): string[] {
  const names = [...cloudCredentials.keys()];
  const starred =
    defaultName !== undefined && cloudCredentials.has(defaultName)
      ? [`${defaultName}*`, ...names.filter((n) => n !== defaultName)]
      : names;
  return [cloud, starred.join(', ')];
}

/** Returns the clouds in the form of credentials.yaml. */
function yamlClouds(clouds: Clouds): Map<string, unknown> {
  return new Map(
    [...clouds].map(([cloud, { 'cloud-credentials': cloudCredentials, ...defaults }]) => [
      cloud,
      new Map<string, unknown>([
        ...Object.entries(defaults),
        ...[...cloudCredentials].map(([name, { 'auth-type': authType, details }]): [string, unknown] => [
          name,
          { 'auth-type': authType, ...details },
        ]),
      ]),
    ]),
  );
}

function jsonClouds(clouds: Clouds): Record<string, unknown> {
  return Object.fromEntries(
    [...clouds].map(([cloud, { 'cloud-credentials': cloudCredentials, ...defaults }]) => [
      cloud,
      { ...defaults, 'cloud-credentials': Object.fromEntries(cloudCredentials) },
    ]),
  );
}
