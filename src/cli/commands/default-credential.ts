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
  details: `The credential that bootstrap and add-model take when none is named and this client has several for the
cloud. --reset takes it back.`,
  examples: [
    'default-credential mycloud',
    'default-credential mycloud mycredential',
    'default-credential mycloud --reset',
  ],
  seeAlso: ['credentials', 'add-credential', 'remove-credential', 'autoload-credentials'],
  completes: ['cloud'],
  flags: { reset: bool('--reset', 'Reset default credential for the cloud') },
  async run(context, flags, args) {
    const [given, credential, ...rest] = args;
    const name = required(given, 'Usage: grigri default-credential <cloud-name> [<credential-name>]');
    noMoreArgs(rest);
    const cloud = await findClientCloud(context, name);
    if (!cloud) throw new JujuError('not valid', `cloud ${name} not valid`);
    const files = await cloudFiles(context);
    if (flags.reset) {
      await files.setDefault('default-credential', cloud.name, undefined);
      return context.info(`Default credential for cloud "${name}" is no longer set on this client.`);
    }
    const known = await files.credentialsOf(cloud.name);
    if (credential === undefined) {
      const is = known.defaultCredential ? `"${known.defaultCredential}"` : 'not set';
      return context.info(`Default credential for cloud "${name}" is ${is} on this client.`);
    }
    if (!known.credentials.has(credential))
      throw new JujuError('not valid', `credential "${credential}" for cloud ${name} not valid`);
    await files.setDefault('default-credential', cloud.name, credential);
    context.info(`Local credential "${credential}" is set to be default for "${name}" for this client.`);
  },
});
