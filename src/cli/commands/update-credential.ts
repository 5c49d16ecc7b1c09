import { JujuError } from '../../core/errors.ts';
import { chooseRegion, cloudSpec } from '../clouds/choose-cloud.ts';
import { finalizeCredential, useCredential } from '../clouds/choose-credential.ts';
import type { NamedCredential } from '../clouds/cloud.ts';
import { cloudFiles, findClientCloud, fromEntry } from '../clouds/client-clouds.ts';
import { readCredentialsFile } from '../clouds/read-definitions.ts';
import { controllerClouds, uploadCredentials } from '../clouds/upload-credentials.ts';
import { scopeFlags, scopeToChange } from '../clouds/where.ts';
import { command } from '../command.ts';
import type { CommandContext } from '../context.ts';
import { Exit, UsageError } from '../errors.ts';
import type { CloudEntry } from '../files/cloud-files.ts';
import { bool, text } from '../flags.ts';

type CredentialsByCloud = ReadonlyMap<string, readonly NamedCredential[]>;

export const updateCredential = command({
  name: 'update-credential',
  summary: 'Updates a controller credential for a cloud.',
  usage: '[<cloud name> [<credential name>]]',
  details: `Updates a controller's credential from a file (-f), or else with this client's credential; --client with a
file updates the client's own credential. The controller checks the credential with the clouds of the models that use
it and refuses one that they reject, unless --force is given. Models whose machines wait for a credential then
continue.`,
  examples: [
    'update-credential mycloud mycredential',
    'update-credential -f mine.yaml --client',
    'update-credential mycloud -f mine.yaml --controller mycontroller',
    'update-credential mycloud mycredential --force',
  ],
  seeAlso: ['add-credential', 'credentials', 'remove-credential', 'set-credential'],
  completes: ['cloud'],
  flags: {
    ...scopeFlags,
    file: text('-f, --file', 'The YAML file containing credential details to update', { completes: 'file' }),
    region: text('--region', 'Cloud region that credential is valid for'),
    force: bool('--force', 'Force update controller side credential, ignore validation errors'),
  },
  async run(context, flags, args) {
    const [cloud, name] = args;
    if (args.length > 2)
      throw new UsageError('only a cloud name and / or credential name need to be provided');
    if (cloud === undefined && !flags.file)
      throw new UsageError('Usage: grigri update-credential [options] [<cloud-name> [<credential-name>]]');
    const scope = await scopeToChange(context, flags, 'update credential on');
    if (!scope) return;
    const selected = flags.file
      ? pick(await fromFile(context, flags.file), cloud, name, `file "${flags.file}"`)
      : pick(await fromClient(context, cloud!), cloud, name, 'local client');
    if (scope.controller === undefined && !flags.file)
      throw new UsageError('cannot update the client without a credential: use -f <file>');
    const session =
      scope.controller === undefined ? undefined : await context.openController(scope.controller);
    const remote = session ? await controllerClouds(session) : new Map<string, CloudEntry>();
    const files = await cloudFiles(context);
    const ready: [cloud: string, credentials: readonly NamedCredential[]][] = [];
    for (const [cloudName, credentials] of selected) {
      const final = await finalized(context, cloudName, remote.get(cloudName), credentials, flags);
      if (scope.client && flags.file)
        for (const credential of final) await files.setCredential(cloudName, credential.name, credential);
      ready.push([cloudName, final]);
    }
    if (scope.client && flags.file)
      context.info('Local client was updated successfully with provided credential information.');
    if (!session) return;
    let hasAllClouds = true;
    for (const [cloudName, final] of ready) {
      if (remote.has(cloudName)) {
        await uploadCredentials(context, session, { name: cloudName }, final, {
          verb: 'updated',
          force: flags.force,
        });
        continue;
      }
      context.io.stderr.write(
        `ERROR No cloud "${cloudName}" available to user "${session.user}" remotely on controller "${session.controller}"\n`,
      );
      hasAllClouds = false;
    }
    if (!hasAllClouds) throw new Exit(1);
  },
});

/** Returns the credentials after their provider has checked and finalized them; unchanged when the cloud is unknown. */
async function finalized(
  context: CommandContext,
  cloudName: string,
  remote: CloudEntry | undefined,
  credentials: readonly NamedCredential[],
  { file, region }: { readonly file: string; readonly region: string },
): Promise<readonly NamedCredential[]> {
  const providers = await context.io.providers();
  // The client's definition of the cloud takes precedence, because the client may reach the cloud in another way than
  // the controller.
  const cloud =
    (await findClientCloud(context, cloudName)) ?? (remote && fromEntry(cloudName, remote, providers));
  if (!cloud) return credentials;
  const provider = providers.get(cloud.type);
  if (!provider) throw new JujuError('not supported', `cloud type "${cloud.type}" is unknown`);
  const spec = cloudSpec(cloud, chooseRegion(cloud, region, ''));
  const make = file ? finalizeCredential : useCredential;
  const final: NamedCredential[] = [];
  for (const credential of credentials) final.push(await make(context, spec, provider, credential));
  return final;
}

async function fromFile(context: CommandContext, file: string): Promise<CredentialsByCloud> {
  return named(await readCredentialsFile(context, file));
}

async function fromClient(context: CommandContext, cloud: string): Promise<CredentialsByCloud> {
  const stored = await (await cloudFiles(context)).credentials();
  if (!stored.has(cloud))
    throw new JujuError(
      'not found',
      `could not get credentials from local client: loading credentials: credentials for cloud ${cloud} not found`,
    );
  return named(stored);
}

function named(clouds: Awaited<ReturnType<typeof readCredentialsFile>>): CredentialsByCloud {
  return new Map(
    [...clouds].map(([cloud, { credentials }]) => [
      cloud,
      [...credentials].map(([name, { authType, attributes }]) => ({ name, authType, attributes })),
    ]),
  );
}

/** Selects credentials by cloud and name. Errors: `not found`. */
function pick(
  byCloud: CredentialsByCloud,
  cloud: string | undefined,
  name: string | undefined,
  source: string,
): CredentialsByCloud {
  const inCloud = [...byCloud].filter(([of]) => cloud === undefined || of === cloud);
  const picked = inCloud
    .map(
      ([of, credentials]) =>
        [of, credentials.filter((one) => name === undefined || one.name === name)] as const,
    )
    .filter(([, credentials]) => credentials.length > 0);
  if (picked.length === 0)
    throw new JujuError(
      'not found',
      name === undefined
        ? `could not get credentials from ${source}: credentials for cloud ${cloud ?? ''} not found`
        : `could not get credentials from ${source}: credential "${name}" for cloud "${cloud}" in ${source} not found`,
    );
  return new Map(picked);
}
