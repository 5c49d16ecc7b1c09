import { credentialTag } from '../../wire/tags.ts';
import { call, errorOf } from '../../client/calls.ts';
import { cloudFiles, findClientCloud } from '../clouds/client-clouds.ts';
import { controllerClouds } from '../clouds/upload-credentials.ts';
import { scopeFlags, scopeToChange } from '../clouds/where.ts';
import { command } from '../command.ts';
import { Exit, noMoreArgs, UsageError } from '../errors.ts';
import { bool } from '../flags.ts';

export const removeCredential = command({
  name: 'remove-credential',
  summary: 'Removes a credential for a cloud.',
  usage: '<cloud name> <credential name>',
  details: `Removes the credential from this client, from a controller, or both. A controller refuses the removal
while models use the credential. With --force, it deletes the credential's content nevertheless; those models cannot
start or stop machines until they have another credential (update-credential, set-credential).`,
  examples: [
    'remove-credential mycloud mycredential',
    'remove-credential mycloud mycredential -c mycontroller',
  ],
  seeAlso: [
    'add-credential',
    'autoload-credentials',
    'credentials',
    'default-credential',
    'set-credential',
    'update-credential',
  ],
  completes: ['cloud'],
  flags: {
    ...scopeFlags,
    force: bool('--force', 'Force remove controller side credential, ignore validation errors'),
  },
  async run(context, flags, args) {
    const [cloud, name, ...moreArgs] = args;
    if (!cloud || !name)
      throw new UsageError('Usage: grigri remove-credential <cloud-name> <credential-name>');
    noMoreArgs(moreArgs);
    const scope = await scopeToChange(
      context,
      flags,
      `remove credential "${name}" for cloud "${cloud}" from`,
    );
    if (!scope) return;
    const files = await cloudFiles(context);
    const stored = (await files.credentialsOf(cloud)).credentials;
    const local = scope.client && ((await findClientCloud(context, cloud)) !== undefined || stored.size > 0);
    const session =
      scope.controller === undefined ? undefined : await context.openController(scope.controller);
    const remote = session && (await controllerClouds(session)).has(cloud);
    if (!local && !remote) {
      context.info(
        `No cloud "${cloud}" is found.\nTo view all available clouds, use 'grigri clouds'.\nTo add new cloud, use 'grigri add-cloud'.`,
      );
      throw new Exit(1);
    }
    if (local) {
      context.info(`Found local cloud "${cloud}" on this client.`);
      if (stored.has(name)) {
        await files.setCredential(cloud, name, undefined);
        context.info(`Credential "${name}" for cloud "${cloud}" removed from this client.`);
      } else context.info(`No credential called "${name}" exists for cloud "${cloud}" on this client`);
    }
    if (!session || !remote) return;
    context.info(`Found remote cloud "${cloud}" from the controller.`);
    const tag = credentialTag(cloud, session.user, name);
    const { results } = await call(session.connection, 'Cloud', 'RevokeCredentialsCheckModels', {
      credentials: [{ tag, force: flags.force }],
    });
    const error = results[0]?.error;
    if (error) {
      context.io.stderr.write(`ERROR could not remove remote credential: ${errorOf(error).message}\n`);
      throw new Exit(1);
    }
    context.info(
      `Credential "${name}" for cloud "${cloud}" removed from the controller "${session.controller}".`,
    );
  },
});
