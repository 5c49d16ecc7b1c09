import { JujuError } from '../../core/errors.ts';
import { cloudFiles, findClientCloud } from '../clouds/client-clouds.ts';
import { required } from '../clouds/where.ts';
import { command } from '../command.ts';
import { noMoreArgs } from '../errors.ts';
import { bool } from '../flags.ts';

export const defaultRegion = command({
  name: 'default-region',
  summary: 'Sets or shows the default region for a cloud.',
  usage: '<cloud name> [<region>]',
  details: `The region that bootstrap takes when none is named. It is this client's affair: controllers know nothing of
it. --reset takes it back: then it is the cloud's first region.`,
  examples: ['default-region mycloud', 'default-region mycloud north', 'default-region mycloud --reset'],
  seeAlso: ['add-credential', 'regions'],
  completes: ['cloud'],
  flags: { reset: bool('--reset', 'Reset default region for the cloud') },
  async run(context, flags, args) {
    const [given, region, ...rest] = args;
    const name = required(given, 'Usage: grigri default-region <cloud-name> [<region>]');
    noMoreArgs(rest);
    const cloud = await findClientCloud(context, name);
    if (!cloud) throw new JujuError('not valid', `cloud ${name} not valid`);
    const files = await cloudFiles(context);
    if (flags.reset) {
      await files.setDefault('default-region', cloud.name, undefined);
      return context.info(`Default region for cloud "${name}" is no longer set on this client.`);
    }
    if (region === undefined) {
      const { defaultRegion: usual } = await files.credentialsOf(cloud.name);
      const is = usual ? `"${usual}"` : 'not set';
      return context.info(`Default region for cloud "${name}" is ${is} on this client.`);
    }
    const names = cloud.regions.map((one) => one.name);
    const found = names.find((one) => one.toLowerCase() === region.toLowerCase());
    if (found === undefined)
      throw new JujuError('not found', `region "${region}" not found (expected one of ${names.join(', ')})`);
    await files.setDefault('default-region', cloud.name, found);
    context.info(`Default region in ${name} set to "${found}".`);
  },
});
