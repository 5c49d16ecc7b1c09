import { credentialSchema } from '../../providers/contract/credential-schema.ts';
import { JujuError } from '../../core/errors.ts';
import { isCredentialName } from '../../core/names.ts';
import type { Attribute } from '../../providers/contract/provider.ts';
import { ask, askOneOf, askUntil } from '../clouds/ask.ts';
import { chooseRegion, cloudSpec } from '../clouds/choose-cloud.ts';
import { finalizeCredential } from '../clouds/choose-credential.ts';
import type { ClientCloud, NamedCredential } from '../clouds/cloud.ts';
import { cloudFiles, findClientCloud, fromEntry } from '../clouds/client-clouds.ts';
import { readCredentialsFile } from '../clouds/read-definitions.ts';
import { controllerClouds, uploadCredentials } from '../clouds/upload-credentials.ts';
import { required, scopeFlags, scopeToChange, type Scope } from '../clouds/where.ts';
import { command } from '../command.ts';
import type { ControllerSession } from '../../operate/sessions.ts';
import type { CommandContext } from '../context.ts';
import { noMoreArgs } from '../errors.ts';
import { bool, text } from '../flags.ts';

export const addCredential = command({
  name: 'add-credential',
  summary: 'Adds a credential for a cloud to a local client and uploads it to a controller.',
  usage: '<cloud name>',
  details: `Without a file, the command asks for each attribute; secrets are not echoed. A file (-f; - is standard
input) has the format of credentials.yaml:

    credentials:
      mycloud:
        mycredential:
          auth-type: certificate
          client-cert: /path/to/client.crt
          client-key: /path/to/client.key

Attributes that hold the content of a file may be given as paths. A trust token of an LXD server is exchanged for a
certificate immediately, and only the certificate is stored. Do not put secrets into command lines or --config.`,
  examples: [
    'add-credential mycloud',
    'add-credential mycloud --client',
    'add-credential mycloud -f ~/credentials.yaml --controller mycontroller',
  ],
  seeAlso: [
    'credentials',
    'remove-credential',
    'update-credential',
    'default-credential',
    'default-region',
    'autoload-credentials',
  ],
  completes: ['cloud'],
  flags: {
    ...scopeFlags,
    file: text('-f, --file', 'The YAML file containing credentials to add', { completes: 'file' }),
    region: text('--region', 'Cloud region that credential is valid for'),
    replace: bool('--replace', 'Overwrite credentials of this client that have the same names'),
  },
  async run(context, flags, args) {
    const [cloudName, ...moreArgs] = args;
    const name = required(cloudName, 'Usage: grigri add-credential <cloud-name> [-f <credentials.yaml>]');
    noMoreArgs(moreArgs);
    const scope = await scopeToChange(context, flags, 'add a credential to');
    if (!scope) return;
    const session =
      scope.controller === undefined ? undefined : await context.openController(scope.controller);
    const { cloud, isRemote } = await findCloud(context, name, scope, session);
    if (cloud.authTypes.length === 0) throw new Error(`cloud "${cloud.name}" does not require credentials`);
    const files = await cloudFiles(context);
    const existing = scope.client ? (await files.credentialsOf(cloud.name)).credentials : new Map();
    const newCredentials = flags.file
      ? await fromFile(context, flags.file, cloud)
      : [await askForCredential(context, cloud, flags.region, (one) => existing.has(one) && !flags.replace)];
    const provider = (await context.io.providers()).get(cloud.type);
    const region = chooseRegion(cloud, flags.region, '');
    const final: NamedCredential[] = [];
    for (const credential of newCredentials) {
      if (existing.has(credential.name) && !flags.replace)
        throw new JujuError(
          'already exists',
          `local credential "${credential.name}" for cloud "${cloud.name}" already exists; use --replace, or 'grigri update-credential'`,
        );
      final.push(await finalizeCredential(context, cloudSpec(cloud, region), provider, credential));
    }
    if (scope.client) {
      for (const credential of final) {
        await files.setCredential(cloud.name, credential.name, credential);
        context.io.stdout.write(
          `Credential "${credential.name}" added locally for cloud "${cloud.name}".\n\n`,
        );
      }
    }
    if (!session) return;
    if (!isRemote)
      return context.io.stdout.write(
        `No cloud "${cloud.name}" found on the controller "${session.controller}": credentials are not uploaded.\nUse 'grigri clouds -c ${session.controller}' to see what clouds are available on the controller.\nUse 'grigri add-cloud ${cloud.name} -c ${session.controller}' to add your cloud to the controller.\n`,
      );
    await uploadCredentials(context, session, cloud, final, { verb: 'added' });
  },
});

/** Finds the cloud on the client, or else on the controller. Errors: `not valid`. */
async function findCloud(
  context: CommandContext,
  name: string,
  scope: Scope,
  session: ControllerSession | undefined,
): Promise<{ cloud: ClientCloud; isRemote: boolean }> {
  const remote = session && (await controllerClouds(session)).get(name);
  if (remote && !scope.client) {
    context.info(`Using cloud "${name}" from the controller to verify credentials.`);
    return { cloud: fromEntry(name, remote, await context.io.providers()), isRemote: true };
  }
  const local = await findClientCloud(context, name);
  if (local) return { cloud: local, isRemote: remote !== undefined };
  if (remote) {
    context.info(`Using cloud "${name}" from the controller to verify credentials.`);
    return { cloud: fromEntry(name, remote, await context.io.providers()), isRemote: true };
  }
  context.info(
    "To view all available clouds, use 'grigri clouds'.\nTo add new cloud, use 'grigri add-cloud'.",
  );
  throw new JujuError('not valid', `cloud ${name} not valid`);
}

/** Reads a credential from a file. Errors: `not found`, `not valid`, plain Error. */
async function fromFile(
  context: CommandContext,
  file: string,
  cloud: ClientCloud,
): Promise<NamedCredential[]> {
  const fileCredentials =
    (await readCredentialsFile(context, file)).get(cloud.name)?.credentials ?? new Map();
  if (fileCredentials.size === 0)
    throw new JujuError('not found', `no credentials for cloud ${cloud.name} exist in file ${file}`);
  return [...fileCredentials].map(([name, { authType, attributes }]) => {
    if (!cloud.authTypes.includes(authType))
      throw new JujuError(
        'not valid',
        `credential "${name}" contains invalid auth type "${authType}", valid auth types for cloud "${cloud.name}" are [${cloud.authTypes.join(' ')}]`,
      );
    return { name, authType, attributes };
  });
}

async function askForCredential(
  context: CommandContext,
  cloud: ClientCloud,
  region: string,
  isTaken: (name: string) => boolean,
): Promise<NamedCredential> {
  const name = await askUntil(context, 'Enter credential name', (answer) =>
    answer === ''
      ? ''
      : !isCredentialName(answer)
        ? `"${answer}" is not a valid credential name`
        : isTaken(answer)
          ? `A credential "${answer}" already exists locally on this client; use --replace to overwrite it.`
          : undefined,
  );
  if (region) context.io.stdout.write(`User specified region "${region}", using it.\n\n`);
  const [firstAuthType] = cloud.authTypes;
  if (cloud.authTypes.length === 1) context.io.stdout.write(`Using auth-type "${firstAuthType}".\n\n`);
  const authType =
    cloud.authTypes.length === 1
      ? firstAuthType!
      : await askOneOf(context, {
          title: 'Auth Types',
          question: 'Select auth type',
          choices: cloud.authTypes,
          defaultAnswer: firstAuthType!,
          problemWith: (answer) => `Invalid auth type: "${answer}"`,
        });
  const provider = (await context.io.providers()).get(cloud.type);
  const schema = credentialSchema(provider, cloud.type, authType) ?? {};
  const attributes: Record<string, string> = {};
  for (const [key, attribute] of Object.entries(schema)) {
    const value = await askForAttribute(context, key, attribute);
    if (value !== '') attributes[key] = value;
  }
  return { name, authType, attributes };
}

async function askForAttribute(context: CommandContext, key: string, attribute: Attribute): Promise<string> {
  const defaultAnswer = attribute.default === undefined ? '' : String(attribute.default);
  const question = [
    `Enter ${key}`,
    attribute.file ? ' (the path of a file)' : '',
    defaultAnswer ? ` [${defaultAnswer}]` : attribute.optional ? ' (optional)' : '',
  ].join('');
  for (;;) {
    const answer =
      (await ask(context, question, { hidden: attribute.secret === true && !attribute.file })) ||
      defaultAnswer;
    if (answer !== '' && attribute.values && !attribute.values.includes(answer))
      context.io.stdout.write(`Invalid ${key}: expected one of ${attribute.values.join(', ')}\n`);
    else if (answer !== '' || attribute.optional) return attribute.file ? asPath(answer) : answer;
  }
}

/** Prefixes a bare file name with `./`, so that it is read as a path. */
const asPath = (answer: string): string => (answer === '' || /^[/~.]/.test(answer) ? answer : `./${answer}`);
