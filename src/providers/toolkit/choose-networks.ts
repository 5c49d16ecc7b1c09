import type { MachineNetworks } from '../../core/network/machine-networks.ts';
import { ProviderError } from '../contract/provider.ts';

/** A network that a cloud can start an instance on. */
export interface CloudNetwork {
  readonly name: string;
  /** The network's subnets, as CIDRs. */
  readonly subnets: readonly string[];
}

/**
 * Chooses the networks of an instance: one with a subnet in each space, none with an excluded one. Earlier networks are
 * preferred; a network may serve several spaces. Errors: ProviderError `bad request` when there is none. `cloud`: the
 * cloud in the message.
 */
export function chooseNetworks<N extends CloudNetwork>(
  cloud: string,
  { spaces, excluded }: MachineNetworks,
  networks: readonly N[],
): N[] {
  const usable = networks.filter(({ subnets }) => !subnets.some((cidr) => excluded.includes(cidr)));
  const missing = (what: string): ProviderError => {
    const has = usable.map(({ name, subnets }) => `${name} (${subnets.join(', ')})`).join(', ');
    const left = excluded.length > 0 ? ' outside of the excluded spaces' : '';
    return new ProviderError(
      'bad request',
      `${cloud} has no network ${what}; networks${left}: ${has === '' ? 'none' : has}`,
    );
  };
  const chosen: N[] = [];
  for (const { name, subnets } of spaces) {
    const serves = (network: N): boolean => network.subnets.some((cidr) => subnets.includes(cidr));
    if (chosen.some(serves)) continue;
    const network = usable.find(serves);
    if (!network) throw missing(`with a subnet of space "${name}" (${subnets.join(', ')})`);
    chosen.push(network);
  }
  if (spaces.length > 0) return chosen;
  const [first] = usable;
  if (!first) throw missing('for the machine');
  return [first];
}
