import { call } from '../../client/calls.ts';
import { cloudFiles, findClientCloud } from '../clouds/client-clouds.ts';
import { scopeFlags, scopeToShow } from '../clouds/where.ts';
import { command, formatFlags } from '../command.ts';
import type { CommandContext } from '../context.ts';
import { UsageError } from '../errors.ts';
import { bool } from '../flags.ts';
import { render } from '../format/render.ts';
import { defined } from '../../core/defined.ts';
import { credentialSchema } from '../../providers/contract/credential-schema.ts';

/** Credentials and their users: cloud → credential → contents. */
type Shown = Record<
  string,
  Record<string, { content: Record<string, string>; models?: Record<string, string> }>
>;

export const showCredential = command({
  name: 'show-credential',
  summary: 'Shows credential information stored either on this client or on a controller.',
  usage: '[<cloud name> <credential name>]',
  details: `Without names, all credentials of the user are shown. For a controller, the models that use the
credential, and the user's access to them, are shown too. Secrets are shown only with --show-secrets; controllers show
them only to superusers.`,
  examples: [
    'show-credential mycloud mycredential',
    'show-credential --client --show-secrets',
    'show-credential mycloud mycredential -c mycontroller',
  ],
  seeAlso: [
    'credentials',
    'add-credential',
    'update-credential',
    'remove-credential',
    'autoload-credentials',
  ],
  completes: ['cloud'],
  flags: {
    ...scopeFlags,
    ...formatFlags('yaml', 'json'),
    showSecrets: bool('--show-secrets', 'Display credential secret attributes'),
  },
  async run(context, flags, args) {
    if (args.length === 1) throw new UsageError('both cloud and credential name are needed');
    if (args.length > 2) throw new UsageError('only cloud and credential names are supported');
    const requested = args.length === 2 ? { cloud: args[0]!, name: args[1]! } : undefined;
    const scope = await scopeToShow(context, flags);
    const remote =
      scope.controller === undefined
        ? {}
        : await loadFromController(context, scope.controller, requested, flags.showSecrets);
    const local = scope.client ? await loadFromClient(context, requested, flags.showSecrets) : {};
    if (Object.keys(remote).length + Object.keys(local).length === 0)
      return context.info('No credentials from this client or from a controller to display.');
    await context.write(
      render(flags.format, {
        ...(Object.keys(remote).length > 0 && { 'controller-credentials': remote }),
        ...defined({ 'client-credentials': Object.keys(local).length > 0 ? local : undefined }),
      }),
    );
  },
});

interface RequestedCredential {
  readonly cloud: string;
  readonly name: string;
}

async function loadFromController(
  context: CommandContext,
  controller: string,
  requested: RequestedCredential | undefined,
  secrets: boolean,
): Promise<Shown> {
  const { connection } = await context.openController(controller);
  const { results } = await call(connection, 'Cloud', 'CredentialContents', {
    'include-secrets': secrets,
    ...(requested && { credentials: [{ 'cloud-name': requested.cloud, 'credential-name': requested.name }] }),
  });
  const shown: Shown = {};
  for (const { result, error } of results) {
    if (error) context.io.stderr.write(`${error.message}\n`);
    if (!result) continue;
    const { cloud, name, 'auth-type': authType, valid, attrs = {} } = result.content;
    const models = (result.models ?? []).map(({ model, access }) => [model, access || 'no access'] as const);
    (shown[cloud] ??= {})[name] = {
      content: {
        'auth-type': authType,
        ...(valid !== undefined && { 'validity-check': valid ? 'valid' : 'invalid' }),
        ...sortedKeys(attrs),
      },
      models: Object.fromEntries([...models].sort(([a], [b]) => (a < b ? -1 : 1))),
    };
  }
  return shown;
}

async function loadFromClient(
  context: CommandContext,
  requested: RequestedCredential | undefined,
  secrets: boolean,
): Promise<Shown> {
  const shown: Shown = {};
  const providers = await context.io.providers();
  for (const [cloud, { credentials }] of await (await cloudFiles(context)).credentials()) {
    if (requested && requested.cloud !== cloud) continue;
    const type = (await findClientCloud(context, cloud))?.type ?? '';
    for (const [name, { authType, attributes }] of credentials) {
      if (requested && requested.name !== name) continue;
      const schema = credentialSchema(providers.get(type), type, authType) ?? {};
      const visible = Object.entries(attributes).filter(
        ([key]) => secrets || (Object.hasOwn(schema, key) && !schema[key]!.secret),
      );
      (shown[cloud] ??= {})[name] = {
        content: { 'auth-type': authType, ...sortedKeys(Object.fromEntries(visible)) },
      };
    }
  }
  return shown;
}

const sortedKeys = (attributes: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(attributes).sort(([a], [b]) => (a < b ? -1 : 1)));
