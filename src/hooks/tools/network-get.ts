import { JujuError } from '../../core/errors.ts';
import { UsageError } from '../../kit/gnuflag.ts';
import type { HookContext } from '../context.ts';
import { relationFlag, relationOf } from '../relation-of.ts';
import { atMost, defineTool, type Format } from '../tool.ts';
import { defined } from '../../core/defined.ts';

export const networkGet = defineTool({
  name: 'network-get',
  args: '<binding-name>',
  purpose: 'Get network config: what to listen on, and what to tell others.',
  output: 'smart',
  flags: {
    relation: relationFlag,
    'bind-address': { kind: 'bool', help: 'Get the address for the binding on which the unit should listen' },
    'ingress-address': { kind: 'bool', help: 'Get the address to tell others for the binding' },
    'egress-subnets': { kind: 'bool', help: 'Get the subnets from which the unit is seen by others' },
    'primary-address': { kind: 'bool', help: 'Deprecated: as --bind-address' },
  },
  run({ args, flags, context, format }) {
    atMost(args, 1);
    const binding = args[0] ?? '';
    if (binding === '') throw new UsageError('no arguments specified');
    if (flags.relation !== '') relationOf(context, flags.relation);
    if (!context.bindings().includes(binding)) {
      throw new JujuError('not found', `undefined for unit charm: endpoint "${binding}" not valid`);
    }
    const info = networkInfo(context, format);
    const { address } = context.network();
    if (flags['primary-address']) return address;
    const asked: Record<string, string> = {
      ...defined({ 'bind-address': flags['bind-address'] ? address : undefined }),
      ...(flags['egress-subnets'] ? { 'egress-subnets': info['egress-subnets'].join(',') } : {}),
      ...defined({ 'ingress-address': flags['ingress-address'] ? address : undefined }),
    };
    const values = Object.values(asked);
    return values.length === 0 ? info : values.length === 1 ? values[0] : asked;
  },
});

/**
 * Information on a network. Shells get old and new names of the same value side by side, as charms read either; JSON
 * has the new ones.
 */
function networkInfo(
  context: HookContext,
  format: Format,
): {
  'bind-addresses': unknown[];
  'egress-subnets': string[];
  'ingress-addresses': string[];
} {
  const isOld = format !== 'json';
  const { interfaceName, macAddress, address, cidr, hostname } = context.network();
  return {
    'bind-addresses': [
      {
        'mac-address': macAddress,
        'interface-name': interfaceName,
        ...(isOld && { macaddress: macAddress, interfacename: interfaceName }),
        addresses: [{ hostname, value: address, ...defined({ address: isOld ? address : undefined }), cidr }],
      },
    ],
    'egress-subnets': address === '' ? [] : [`${address}/${address.includes(':') ? 128 : 32}`],
    'ingress-addresses': address === '' ? [] : [address],
  };
}
