import type { Credential, Provider } from '../../providers/contract/provider.ts';
import { cloudSpec } from '../clouds/choose-cloud.ts';
import { finalizeCredential } from '../clouds/choose-credential.ts';
import type { ClientCloud } from '../clouds/cloud.ts';
import { cloudFiles, detect, findClientCloud } from '../clouds/client-clouds.ts';
import { controllerClouds, uploadCredentials } from '../clouds/upload-credentials.ts';
import { scopeFlags, scopeToChange } from '../clouds/where.ts';
import { command } from '../command.ts';
import type { ControllerSession } from '../../operate/sessions.ts';
import type { CommandContext } from '../context.ts';
import { noMoreArgs, UsageError } from '../errors.ts';

interface DetectedCredential {
  readonly label: string;
  readonly name: string;
  readonly cloud: string;
  readonly provider: Provider;
  readonly credential: Credential;
}

export const autoloadCredentials = command({
  name: 'autoload-credentials',
  summary: 'Attempts to automatically detect and add credentials for a cloud.',
  usage: '[<cloud type>]',
  details: `Detects credentials on this computer, for example for an LXD server that this user can access, and saves the
selected ones on this client, on a controller, or both.`,
  examples: ['autoload-credentials', 'autoload-credentials lxd', 'autoload-credentials --client'],
  seeAlso: ['add-credential', 'credentials', 'default-credential', 'remove-credential'],
  flags: scopeFlags,
  async run(context, flags, args) {
    const [type, ...moreArgs] = args;
    noMoreArgs(moreArgs);
    const scope = await scopeToChange(context, flags, 'add a credential to');
    if (!scope) return;
    context.info('\nLooking for cloud and credential information on local client...');
    const detected = await detectCredentials(context, type);
    const session =
      scope.controller === undefined ? undefined : await context.openController(scope.controller);
    if (session) context.info(`\nLooking for cloud information on controller "${session.controller}"...`);
    if (detected.length === 0)
      return context.info(type ? `No cloud credentials found for ${type}.` : 'No cloud credentials found.');
    const files = await cloudFiles(context);
    for (;;) {
      const stored = await files.credentials();
      const lines = detected.map(
        ({ label, cloud, name }, i) =>
          `${i + 1}. ${label} (${stored.get(cloud)?.credentials.has(name) ? 'existing, will overwrite' : 'new'})`,
      );
      const number = await answer(
        context,
        `\n${lines.join('\n')}\nSelect a credential to save by number, or type Q to quit: `,
      );
      if (number === undefined) return;
      const chosen = detected[Number(number) - 1];
      if (!chosen) {
        context.io.stderr.write(`Invalid choice, enter a number between 1 and ${detected.length}\n`);
        continue;
      }
      const name = await answer(
        context,
        `\nSelect the cloud it belongs to, or type Q to quit [${chosen.cloud}]: `,
      );
      if (name === undefined) return;
      const cloud = await findClientCloud(context, name || chosen.cloud);
      if (!cloud || cloud.type !== chosen.provider.type) {
        context.io.stderr.write(
          `\n${cloud ? `${chosen.label} is not valid for cloud "${name}"` : `cloud "${name}" not found`}\n`,
        );
        continue;
      }
      await save(context, chosen, cloud, scope.client, session);
    }
  },
});

/** Detects credentials on this computer. Errors: UsageError for an unknown type. */
async function detectCredentials(
  context: CommandContext,
  type: string | undefined,
): Promise<DetectedCredential[]> {
  const providers = await context.io.providers();
  if (type !== undefined && !providers.has(type))
    throw new UsageError(
      `unknown cloud type "${type}", expected one of ${[...providers.keys()].sort().join(', ')}`,
    );
  const detected: DetectedCredential[] = [];
  for (const provider of providers.values()) {
    if (type !== undefined && provider.type !== type) continue;
    for (const { name: alias, credentials } of await detect(context, provider)) {
      const cloud = (await findClientCloud(context, alias))?.name ?? alias;
      for (const [name, { label, ...credential }] of Object.entries(credentials))
        detected.push({ label, name, cloud, provider, credential });
    }
  }
  return detected;
}

async function save(
  context: CommandContext,
  { label, name, provider, credential }: DetectedCredential,
  cloud: ClientCloud,
  isLocal: boolean,
  session: ControllerSession | undefined,
): Promise<void> {
  const spec = cloudSpec(cloud, cloud.regions[0]?.name ?? '');
  const final = await finalizeCredential(context, spec, provider, { name, ...credential });
  if (isLocal) {
    await (await cloudFiles(context)).setCredential(cloud.name, name, final);
    context.io.stderr.write(`\nSaved ${label} to cloud ${cloud.name} locally\n`);
  }
  if (!session) return;
  if (!(await controllerClouds(session)).has(cloud.name)) {
    context.io.stderr.write(
      `\nCloud "${cloud.name}" is not on the controller "${session.controller}": use 'grigri add-cloud ${cloud.name} -c ${session.controller}' to add it\n`,
    );
    return;
  }
  context.io.stderr.write('\n');
  await uploadCredentials(context, session, cloud, [final], { verb: 'loaded' });
}

/** Asks a question. Undefined when the user wants to quit. */
async function answer(context: CommandContext, question: string): Promise<string | undefined> {
  context.io.stderr.write(question);
  const text = (await context.io.stdin.readLine())?.trim();
  return text === undefined || text.toLowerCase() === 'q' ? undefined : text;
}
