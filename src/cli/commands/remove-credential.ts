import { credentialTag } from '../../wire/tags.ts';
import { call, errorOf } from '../../client/calls.ts';
import { cloudFiles, findClientCloud } from '../clouds/client-clouds.ts';
import { controllerClouds } from '../clouds/upload-credentials.ts';
import { whereFlags, whereToChange } from '../clouds/where.ts';
import { command } from '../command.ts';
import { Exit, noMoreArgs, UsageError } from '../errors.ts';
import { bool } from '../flags.ts';

export const removeCredential = command({
  name: 'remove-credential',
  summary: 'Removes a credential for a cloud.',
  usage: '<cloud name> <credential name>',
  details: `From this client, from a controller, or both. A controller refuses it while models use the credential; with
--force it forgets the credential's contents all the same, and those models can neither start nor stop machines until they have
another one (update-credential, set-credential).`,
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
    ...whereFlags,
    force: bool('--force', 'Force remove controller side credential, ignore validation errors'),
  },
  async run(context, flags, args) {
    const [cloud, name, ...rest] = args;
    if (!cloud || !name)
      throw new UsageError('Usage: grigri remove-credential <cloud-name> <credential-name>');
    noMoreArgs(rest);
    const where = await whereToChange(
      context,
      flags,
      `remove credential "${name}" for cloud "${cloud}" from`,
    );
    if (!where) return;
    const files = await cloudFiles(context);
    const known = (await files.credentialsOf(cloud)).credentials;
    const local = where.client && ((await findClientCloud(context, cloud)) !== undefined || known.size > 0);
    const session =
      where.controller === undefined ? undefined : await context.openController(where.controller);
    const remote = session && (await controllerClouds(session)).has(cloud);
    if (!local && !remote) {
      context.info(
        `No cloud "${cloud}" is found.\nTo view all available clouds, use 'grigri clouds'.\nTo add new cloud, use 'grigri add-cloud'.`,
      );
      throw new Exit(1);
    }
    if (local) {
      context.info(`Found local cloud "${cloud}" on this client.`);
      if (known.has(name)) {
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
