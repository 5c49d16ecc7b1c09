import { JujuError } from '../../core/errors.ts';
import { UsageError } from '../../kit/gnuflag.ts';
import type { NetworkInfo } from '../../core/network/network-info.ts';
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
    const [binding] = args;
    if (binding === undefined) throw new UsageError('no arguments specified');
    if (binding === '') throw new UsageError('no binding name specified');
    if (flags.relation !== '') relationOf(context, flags.relation);
    if (!context.bindings().includes(binding)) {
      throw new JujuError('not found', `undefined for unit charm: endpoint "${binding}" not valid`);
    }
    const network = context.network(binding);
    if (!network) throw new JujuError('', `no network config found for binding "${binding}"`);
    const bindAddress = network.devices[0]?.addresses[0]?.value ?? '';
    const asked: Record<string, string> = {
      ...defined({
        'bind-address': flags['bind-address'] ? bindAddress : undefined,
        'egress-subnets': flags['egress-subnets'] ? network.egress.join(',') : undefined,
        'ingress-address': flags['ingress-address'] ? (network.ingress[0] ?? '') : undefined,
      }),
    };
    const values = Object.values(asked);
    if (flags['primary-address']) {
      if (values.length > 0) throw new JujuError('', '--primary-address must be the only flag specified');
      return bindAddress;
    }
    return values.length === 0 ? shownNetwork(network, format) : values.length === 1 ? values[0] : asked;
  },
});

/**
 * Returns the shown members of a network: shells get old and new names of the same value side by side, as charms read
 * either; JSON has the new names.
 */
function shownNetwork({ devices, egress, ingress }: NetworkInfo, format: Format) {
  const isOld = format !== 'json';
  return {
    'bind-addresses': devices.map(({ interfaceName, macAddress, addresses }) => ({
      'mac-address': macAddress,
      'interface-name': interfaceName,
      ...(isOld && { macaddress: macAddress, interfacename: interfaceName }),
      addresses: addresses.map(({ value, cidr }) => ({
        hostname: '',
        value,
        ...(isOld && { address: value }),
        cidr,
      })),
    })),
    'egress-subnets': [...egress],
    'ingress-addresses': [...ingress],
  };
}
