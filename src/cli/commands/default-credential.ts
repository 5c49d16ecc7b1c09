import { JujuError } from '../../core/errors.ts';
import { cloudFiles, findClientCloud } from '../clouds/client-clouds.ts';
import { required } from '../clouds/where.ts';
import { command } from '../command.ts';
import { noMoreArgs } from '../errors.ts';
import { bool } from '../flags.ts';

export const defaultCredential = command({
  name: 'default-credential',
  summary: 'Sets or shows the default credential for a cloud.',
  usage: '<cloud name> [<credential name>]',
  details: `The default credential is used by bootstrap and add-model when no credential is specified and this client
has several for the cloud. --reset removes the default.`,
  examples: [
    'default-credential mycloud',
    'default-credential mycloud mycredential',
    'default-credential mycloud --reset',
  ],
  seeAlso: ['credentials', 'add-credential', 'remove-credential', 'autoload-credentials'],
  completes: ['cloud'],
  flags: { reset: bool('--reset', 'Reset default credential for the cloud') },
  async run(context, flags, args) {
    const [cloudName, credential, ...moreArgs] = args;
    const name = required(cloudName, 'Usage: grigri default-credential <cloud-name> [<credential-name>]');
    noMoreArgs(moreArgs);
    const cloud = await findClientCloud(context, name);
    if (!cloud) throw new JujuError('not valid', `cloud ${name} not valid`);
    const files = await cloudFiles(context);
    if (flags.reset) {
      await files.setDefault('default-credential', cloud.name, undefined);
      return context.info(`Default credential for cloud "${name}" is no longer set on this client.`);
    }
    const stored = await files.credentialsOf(cloud.name);
    if (credential === undefined) {
      const current = stored.defaultCredential ? `"${stored.defaultCredential}"` : 'not set';
      return context.info(`Default credential for cloud "${name}" is ${current} on this client.`);
    }
    if (!stored.credentials.has(credential))
      throw new JujuError('not valid', `credential "${credential}" for cloud ${name} not valid`);
    await files.setDefault('default-credential', cloud.name, credential);
    context.info(`Local credential "${credential}" is set to be default for "${name}" for this client.`);
  },
});
