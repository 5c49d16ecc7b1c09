/** The network of a unit as the unit is told of it (networks.md#network-info). */
import { isOfNetwork } from './address-space.ts';
import { listItems } from '../model/config.ts';
import { defaultSpace } from '../space/document.ts';

/** An address of the unit's machine with its space. */
export interface SpacedAddress {
  readonly value: string;
  readonly scope: string;
  readonly space: string;
  readonly cidr?: string | undefined;
  readonly interfaceName?: string | undefined;
  readonly macAddress?: string | undefined;
}

export interface NetworkInfo {
  /** Addresses that the unit listens on, by device. */
  readonly devices: readonly {
    readonly interfaceName: string;
    readonly macAddress: string;
    readonly addresses: readonly { readonly value: string; readonly cidr: string }[];
  }[];
  /** Addresses that others are told; the first is the unit's `ingress-address`. */
  readonly ingress: readonly string[];
  /** CIDRs from which others see the unit. */
  readonly egress: readonly string[];
}

/** The network of an endpoint that is bound to the space; undefined when the machine has no address there. */
export function networkInfo(
  addresses: readonly SpacedAddress[],
  {
    space,
    egressSubnets,
    via,
  }: {
    readonly space: string;
    readonly egressSubnets: readonly string[];
    /** Set for a relation with another model: the networks that `integrate --via` named. */
    readonly via?: readonly string[] | undefined;
  },
): NetworkInfo | undefined {
  const preferred = privateAddress(addresses);
  const found = addresses
    .filter((one) => one === preferred || (isOfNetwork(one) && (one.interfaceName ?? '') !== ''))
    .filter((one) => one.space === space || (one === preferred && space === defaultSpace))
    .sort((a, b) => order(a, preferred) - order(b, preferred) || compare(a, b));
  const [first] = found;
  if (!first) return undefined;
  // Another model may be elsewhere: its units come to the public address, where there is one (offers.md#ingress).
  const outside =
    via && space === defaultSpace ? addresses.find(({ scope }) => scope === 'public') : undefined;
  const ingress = [...new Set([...(outside ? [outside] : []), ...found].map(({ value }) => value))];
  const egress = via && via.length > 0 ? via : egressSubnets;
  return {
    devices: devicesOf(found),
    ingress,
    egress: egress.length > 0 ? egress : [cidrOf(outside?.value ?? first.value)],
  };
}

/** The address at which other machines of the model reach this one; the ones its provider knows come first. */
export function privateAddress<A extends SpacedAddress>(addresses: readonly A[]): A | undefined {
  const reachable = addresses.filter(isOfNetwork);
  return (
    reachable.find(({ scope }) => scope === 'local-cloud') ??
    reachable[0] ??
    addresses.find(({ scope }) => scope !== 'local-machine') ??
    addresses[0]
  );
}

function order(address: SpacedAddress, preferred: SpacedAddress | undefined): number {
  if (address === preferred) return 0;
  return address.scope === 'public' ? 1 : 2;
}

function compare(a: SpacedAddress, b: SpacedAddress): number {
  if (a.value !== b.value) return a.value < b.value ? -1 : 1;
  return (a.interfaceName ?? '') < (b.interfaceName ?? '') ? -1 : 1;
}

function devicesOf(addresses: readonly SpacedAddress[]): NetworkInfo['devices'] {
  const devices = new Map<string, { macAddress: string; addresses: Map<string, string> }>();
  for (const { value, cidr = '', interfaceName = '', macAddress = '' } of addresses) {
    const device = devices.get(interfaceName) ?? { macAddress, addresses: new Map<string, string>() };
    devices.set(interfaceName, device);
    if (!device.addresses.has(value)) device.addresses.set(value, cidr);
  }
  return [...devices].map(([interfaceName, { macAddress, addresses: ofDevice }]) => ({
    interfaceName,
    macAddress,
    addresses: [...ofDevice].map(([value, cidr]) => ({ value, cidr })),
  }));
}

function cidrOf(address: string): string {
  return `${address}/${address.includes(':') ? 128 : 32}`;
}

/** The keys of a unit's databag that tell of its network; '' where there is nothing to tell. */
export function networkSettings(info: NetworkInfo | undefined): Record<string, string> {
  const ingress = info?.ingress[0] ?? '';
  return {
    'egress-subnets': info?.egress.join(',') ?? '',
    'ingress-address': ingress,
    'private-address': ingress,
  };
}

/** The CIDRs of a setting of the model, such as `egress-subnets`. */
export function parseCidrs(text: unknown): string[] {
  return typeof text === 'string' ? listItems(text) : [];
}
