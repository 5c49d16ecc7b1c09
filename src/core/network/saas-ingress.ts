/** Networks from which consumers of offers are let in: the model's setting `saas-ingress-allow` (offers.md#ingress). */
import { commonNetwork, networkOf } from '../cidr.ts';
import { anyNetwork } from '../relation/side.ts';
import { parseCidrs } from './network-info.ts';

/** The parts of networks from which consumers are let in. `setting`: absent = from any. */
export function allowedIngress(setting: unknown, networks: readonly string[]): string[] {
  const allowed = setting === undefined ? anyNetwork : parseCidrs(setting);
  if (anyNetwork.every((one) => allowed.includes(one))) return [...networks];
  const common = networks.flatMap((network) =>
    allowed.flatMap((one) => commonNetwork(networkOf(network) ?? network, networkOf(one) ?? one) ?? []),
  );
  return [...new Set(common)];
}

/**
 * The networks of which no part is let in. A network that stands for any address is never among them: nobody knows
 * where its units are.
 */
export function refusedIngress(setting: unknown, networks: readonly string[]): string[] {
  return networks.filter(
    (network) => !anyNetwork.includes(network) && allowedIngress(setting, [network]).length === 0,
  );
}
