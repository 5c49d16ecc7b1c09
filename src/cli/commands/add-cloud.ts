import { JujuError } from '../../core/errors.ts';
import { isCloudName } from '../../core/names.ts';
import { call } from '../../client/calls.ts';
import { ask, askOneOf, askUntil } from '../clouds/ask.ts';
import { chooseCredential, useCredential } from '../clouds/choose-credential.ts';
import { cloudSpec } from '../clouds/choose-cloud.ts';
import {
  clientClouds,
  cloudFiles,
  findClientCloud,
  fromEntry,
  defaultAuthTypes,
} from '../clouds/client-clouds.ts';
import { entryOf, toWire } from '../clouds/entries.ts';
import { checkDefinition, readDefinition } from '../clouds/read-definitions.ts';
import { uploadCredentials } from '../clouds/upload-credentials.ts';
import { scopeFlags, scopeToChange } from '../clouds/where.ts';
import type { Provider } from '../../providers/contract/provider.ts';
import { command } from '../command.ts';
import type { CommandContext } from '../context.ts';
import { noMoreArgs, UsageError } from '../errors.ts';
import type { CloudEntry } from '../files/cloud-files.ts';
import { bool, text } from '../flags.ts';
import { defined } from '../../core/defined.ts';

export const addCloud = command({
  name: 'add-cloud',
  summary: 'Adds a cloud definition to grigri.',
  usage: '<cloud name> [<cloud definition file>]',
  details: `A definition is a file in the format of clouds.yaml:

    clouds:
      mycloud:
        type: lxd
        auth-types: [certificate]
        endpoint: https://10.0.0.9:8443
        regions:
          default: {}
        config:
          project: juju

Without a file, the command asks for the definition. For a controller it can also use a cloud that this client knows:
'grigri add-cloud localhost -c mycontroller' lets a controller use the LXD of its own host.

If the cloud requires a credential, the client's credential (see --credential) is uploaded to the controller as well.
Run 'grigri init' to see the settings of each cloud type.`,
  examples: [
    'add-cloud',
    'add-cloud mycloud ~/mycloud.yaml',
    'add-cloud --controller mycontroller mycloud',
    'add-cloud --client mycloud -f mycloud.yaml',
  ],
  seeAlso: ['clouds', 'update-cloud', 'remove-cloud', 'add-credential', 'init'],
  completes: ['cloud', 'file'],
  flags: {
    ...scopeFlags,
    file: text('-f, --file', 'The path to a cloud definition file', { completes: 'file' }),
    credential: text('--credential', 'Credential to use for new cloud'),
    force: bool('--force', 'Force add cloud to the controller'),
    targetController: text('--target-controller', 'The name of a JIMM managed controller to add a cloud to'),
  },
  async run(context, flags, args) {
    const [name = '', file = flags.file, ...moreArgs] = args;
    noMoreArgs(moreArgs);
    if (flags.targetController)
      throw new JujuError('not supported', '--target-controller is not supported: it applies to JIMM only');
    if (name !== '' && !isCloudName(name)) throw new UsageError(`cloud name "${name}" not valid`);
    const scope = await scopeToChange(context, flags, `add cloud${name ? ` "${name}"` : ''} to`);
    if (!scope) return;
    const existing = name === '' ? undefined : await findClientCloud(context, name);
    const providers = await context.io.providers();
    if (scope.client && existing)
      throw new JujuError(
        'already exists',
        `use \`update-cloud ${name} --client\` to override known definition: local cloud "${name}" already exists`,
      );
    const defined: Defined = file
      ? { name, entry: await readDefinition(context, file, name) }
      : existing
        ? { name: existing.name, entry: entryOf(existing) }
        : await askForCloud(context, name);
    const entry = checkDefinition(defined.entry, providers);
    if (scope.client) {
      await (await cloudFiles(context)).setCloud(defined.name, entry, defined.comment);
      if (providers.has(entry.type)) printAdded(context, defined.name, entry);
      else context.info(`Cloud "${defined.name}" successfully added to your local client.`);
    }
    if (scope.controller === undefined) return;
    const session = await context.openController(scope.controller);
    await call(session.connection, 'Cloud', 'AddCloud', {
      name: defined.name,
      cloud: toWire(entry),
      ...(flags.force && { force: true }),
    });
    context.info(`Cloud "${defined.name}" added to controller "${session.controller}".`);
    const cloud = fromEntry(defined.name, entry, providers);
    const provider = providers.get(entry.type);
    if (!provider) {
      context.info(`Models cannot be made on it: cloud type "${entry.type}" is only kept.`);
      return;
    }
    const clientCloud = existing ?? cloud;
    const hasCredential =
      (await (await cloudFiles(context)).credentialsOf(defined.name)).credentials.size > 0;
    const isNeeded = !cloud.authTypes.includes('empty');
    if (!isNeeded && !hasCredential && !flags.credential) return;
    try {
      const chosen = await chooseCredential(context, clientCloud, provider, flags.credential);
      if (!chosen) return;
      const spec = cloudSpec(cloud, cloud.regions[0]?.name ?? '');
      const final = await useCredential(context, spec, provider, chosen);
      await uploadCredentials(context, session, cloud, [final], {
        verb: 'added',
        message: () => `Credential for cloud "${defined.name}" added to controller "${session.controller}".`,
      });
    } catch (error) {
      // The cloud was added. Uploading its credential is left to another command, so that this failure is only a
      // warning.
      if (flags.credential || !(error instanceof JujuError)) throw error;
      context.warning(error.message);
      context.info(
        `To upload a credential to the controller for cloud "${defined.name}", use\n* 'add-model' with --credential option or\n* 'add-credential -c ${session.controller}'.`,
      );
    }
  },
});

function printAdded(context: CommandContext, name: string, entry: CloudEntry): void {
  context.info(`Cloud "${name}" successfully added to your local client.`);
  context.info(
    entry['auth-types']?.includes('empty')
      ? `You can bootstrap a controller on it (\`grigri bootstrap ${name}\`), or create a model\n(\`grigri add-model <your model name> ${name}\`) when a controller has it too.`
      : `You will need to add a credential for this cloud (\`grigri add-credential ${name}\`)\nbefore you can use it to bootstrap a controller (\`grigri bootstrap ${name}\`) or\nto create a model (\`grigri add-model <your model name> ${name}\`).`,
  );
}

interface Defined {
  readonly name: string;
  readonly entry: CloudEntry;
  /** Comment for clouds.yaml that lists further settings of the cloud. */
  readonly comment?: string;
}

async function askForCloud(context: CommandContext, givenName: string): Promise<Defined> {
  const providers = await context.io.providers();
  const type = await askOneOf(context, {
    title: 'Cloud Types',
    question: 'Select cloud type',
    choices: [...providers.keys()].sort(),
    defaultAnswer: '',
    problemWith: (answer) => `Invalid cloud type: "${answer}"`,
  });
  const provider = providers.get(type)!;
  const existingClouds = await clientClouds(context);
  const checkName = (name: string): string | undefined =>
    name === ''
      ? ''
      : !isCloudName(name)
        ? `cloud name "${name}" not valid`
        : existingClouds.has(name)
          ? `cloud "${name}" already exists`
          : undefined;
  const name = givenName || (await askUntil(context, `Enter a name for your ${type} cloud`, checkName));
  const { endpoint: endpointSpec } = provider;
  const endpoint = endpointSpec
    ? await askUntil(context, `Enter ${lowered(endpointSpec.description)}`, (text) =>
        text === '' && !endpointSpec.optional ? '' : undefined,
      )
    : '';
  const region = await ask(context, 'Enter region [default]');
  return {
    name,
    entry: {
      type,
      'auth-types': defaultAuthTypes(provider, endpoint),
      ...defined({ endpoint: endpoint || undefined }),
      regions: new Map([[region || 'default', {}]]),
    },
    comment: settingsOf(provider),
  };
}

/** Returns the provider's settings with their defaults as a comment; '' when it has none. */
function settingsOf({ config }: Provider): string {
  const lines = Object.entries(config).map(
    ([key, { description, default: defaultValue = '' }]) =>
      `   ${key}: ${JSON.stringify(defaultValue)} # ${description}`,
  );
  return lines.length === 0 ? '' : [' config: # of its models; these are the defaults', ...lines].join('\n');
}

const lowered = (text: string): string =>
  /^[A-Z][a-z]/.test(text)
    ? text[0]!.toLowerCase() + text.slice(1).replace(/\.$/, '')
    : text.replace(/\.$/, '');
