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
  details: `The default region is used by bootstrap when no region is specified. It is stored on this client only, not
on controllers. --reset removes it, so that the cloud's first region is the default again.`,
  examples: ['default-region mycloud', 'default-region mycloud north', 'default-region mycloud --reset'],
  seeAlso: ['add-credential', 'regions'],
  completes: ['cloud'],
  flags: { reset: bool('--reset', 'Reset default region for the cloud') },
  async run(context, flags, args) {
    const [cloudName, region, ...moreArgs] = args;
    const name = required(cloudName, 'Usage: grigri default-region <cloud-name> [<region>]');
    noMoreArgs(moreArgs);
    const cloud = await findClientCloud(context, name);
    if (!cloud) throw new JujuError('not valid', `cloud ${name} not valid`);
    const files = await cloudFiles(context);
    if (flags.reset) {
      await files.setDefault('default-region', cloud.name, undefined);
      return context.info(`Default region for cloud "${name}" is no longer set on this client.`);
    }
    if (region === undefined) {
      const { defaultRegion: currentRegion } = await files.credentialsOf(cloud.name);
      const current = currentRegion ? `"${currentRegion}"` : 'not set';
      return context.info(`Default region for cloud "${name}" is ${current} on this client.`);
    }
    const names = cloud.regions.map((one) => one.name);
    const match = names.find((one) => one.toLowerCase() === region.toLowerCase());
    if (match === undefined)
      throw new JujuError('not found', `region "${region}" not found (expected one of ${names.join(', ')})`);
    await files.setDefault('default-region', cloud.name, match);
    context.info(`Default region in ${name} set to "${match}".`);
  },
});
