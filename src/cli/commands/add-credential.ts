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
import { required, whereFlags, whereToChange, type Where } from '../clouds/where.ts';
import { command } from '../command.ts';
import type { ControllerSession } from '../../operate/sessions.ts';
import type { CommandContext } from '../context.ts';
import { noMoreArgs } from '../errors.ts';
import { bool, text } from '../flags.ts';

export const addCredential = command({
  name: 'add-credential',
  summary: 'Adds a credential for a cloud to a local client and uploads it to a controller.',
  usage: '<cloud name>',
  details: `Without a file everything is asked for; what is secret does not appear on the terminal. A file (-f; - is
standard input) has the form of credentials.yaml:

    credentials:
      mycloud:
        mycredential:
          auth-type: certificate
          client-cert: /path/to/client.crt
          client-key: /path/to/client.key

Attributes that are whole files may be given as paths. A trust token of an LXD server becomes a certificate at once: what is
kept is the certificate. Secrets belong into neither command lines nor --config.`,
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
    ...whereFlags,
    file: text('-f, --file', 'The YAML file containing credentials to add', { completes: 'file' }),
    region: text('--region', 'Cloud region that credential is valid for'),
    replace: bool('--replace', 'Overwrite credentials of this client that have the same names'),
  },
  async run(context, flags, args) {
    const [given, ...rest] = args;
    const name = required(given, 'Usage: grigri add-credential <cloud-name> [-f <credentials.yaml>]');
    noMoreArgs(rest);
    const where = await whereToChange(context, flags, 'add a credential to');
    if (!where) return;
    const session =
      where.controller === undefined ? undefined : await context.openController(where.controller);
    const { cloud, isRemote } = await findCloud(context, name, where, session);
    if (cloud.authTypes.length === 0) throw new Error(`cloud "${cloud.name}" does not require credentials`);
    const files = await cloudFiles(context);
    const taken = where.client ? (await files.credentialsOf(cloud.name)).credentials : new Map();
    const given_ = flags.file
      ? await fromFile(context, flags.file, cloud)
      : [await askForCredential(context, cloud, flags.region, (one) => taken.has(one) && !flags.replace)];
    const provider = (await context.io.providers()).get(cloud.type)!;
    const region = chooseRegion(cloud, flags.region, '');
    const final: NamedCredential[] = [];
    for (const one of given_) {
      if (taken.has(one.name) && !flags.replace)
        throw new JujuError(
          'already exists',
          `local credential "${one.name}" for cloud "${cloud.name}" already exists; use --replace, or 'grigri update-credential'`,
        );
      final.push(await finalizeCredential(context, cloudSpec(cloud, region), provider, one));
    }
    if (where.client) {
      for (const one of final) {
        await files.setCredential(cloud.name, one.name, one);
        context.io.stdout.write(`Credential "${one.name}" added locally for cloud "${cloud.name}".\n\n`);
      }
    }
    if (!session) return;
    if (!isRemote)
      return context.io.stdout.write(
        `No cloud "${cloud.name}" found on the controller "${session.controller}": credentials are not uploaded.\nUse 'grigri clouds -c ${session.controller}' to see what clouds are available on the controller.\nUse 'grigri add-cloud ${cloud.name} -c ${session.controller}' to add your cloud to the controller.\n`,
      );
    await uploadCredentials(context, session, cloud, final, { done: 'added' });
  },
});

/** Finds the cloud on the client, or else on the controller. Errors: `not valid`. */
async function findCloud(
  context: CommandContext,
  name: string,
  where: Where,
  session: ControllerSession | undefined,
): Promise<{ cloud: ClientCloud; isRemote: boolean }> {
  const remote = session && (await controllerClouds(session)).get(name);
  if (remote && !where.client) {
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
  const found = (await readCredentialsFile(context, file)).get(cloud.name)?.credentials ?? new Map();
  if (found.size === 0)
    throw new JujuError('not found', `no credentials for cloud ${cloud.name} exist in file ${file}`);
  return [...found].map(([name, { authType, attributes }]) => {
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
          ? `A credential "${answer}" already exists locally on this client; --replace overwrites it.`
          : undefined,
  );
  if (region) context.io.stdout.write(`User specified region "${region}", using it.\n\n`);
  const [first] = cloud.authTypes;
  if (cloud.authTypes.length === 1) context.io.stdout.write(`Using auth-type "${first}".\n\n`);
  const authType =
    cloud.authTypes.length === 1
      ? first!
      : await askOneOf(context, {
          title: 'Auth Types',
          question: 'Select auth type',
          choices: cloud.authTypes,
          usual: first!,
          wrong: (answer) => `Invalid auth type: "${answer}"`,
        });
  const schema = (await context.io.providers()).get(cloud.type)?.authTypes[authType] ?? {};
  const attributes: Record<string, string> = {};
  for (const [key, attribute] of Object.entries(schema)) {
    const value = await askForAttribute(context, key, attribute);
    if (value !== '') attributes[key] = value;
  }
  return { name, authType, attributes };
}

async function askForAttribute(context: CommandContext, key: string, attribute: Attribute): Promise<string> {
  const usual = attribute.default === undefined ? '' : String(attribute.default);
  const question = [
    `Enter ${key}`,
    attribute.file ? ' (the path of a file)' : '',
    usual ? ` [${usual}]` : attribute.optional ? ' (optional)' : '',
  ].join('');
  for (;;) {
    const answer =
      (await ask(context, question, { hidden: attribute.secret === true && !attribute.file })) || usual;
    if (answer !== '' && attribute.values && !attribute.values.includes(answer))
      context.io.stdout.write(`Invalid ${key}: expected one of ${attribute.values.join(', ')}\n`);
    else if (answer !== '' || attribute.optional) return attribute.file ? asPath(answer) : answer;
  }
}

/** Prefixes a bare file name with `./`, so that it is read as a path. */
const asPath = (answer: string): string => (answer === '' || /^[/~.]/.test(answer) ? answer : `./${answer}`);
