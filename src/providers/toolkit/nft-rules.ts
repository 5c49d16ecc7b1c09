/**
 * nftables text of the firewall of a machine and of the containers on it. The text is loaded in the machine's network
 * namespace.
 */
import { isIPv4, isIPv6 } from 'node:net';
import { ProviderError, type PortRule } from '../contract/provider.ts';

/** Pattern of the machine's ends of the virtual cables to its containers. */
export const containerCables = 'gc-*';

/** Network of the model, and the address in it that does not belong to the model: the host's or its bridge's. */
export interface ModelSubnet {
  /** CIDR of the network. */
  readonly subnet: string;
  /** Address of the outside party; absent = there is none. */
  readonly gateway?: string;
}

/**
 * Renders the complete table of a machine, which replaces the loaded one. Members of the model reach every port; the
 * host, whose bridge address is in the same subnet, and outsiders reach only open ports. The same applies to each
 * container on the machine; other forwarding that charms set up is left alone. `always`: additional accept
 * rules.
 */
export function firewallTable(
  networks: readonly ModelSubnet[],
  rules: readonly PortRule[],
  always: readonly string[] = [],
): string {
  const { own, containers } = openChains(rules);
  const friends = networks.map(({ subnet, gateway }) => {
    const family = subnet.includes(':') ? 'ip6' : 'ip';
    const others = gateway === undefined ? '' : `${family} saddr != ${gateway} `;
    return `${others}${family} saddr ${subnet} accept`;
  });
  return `table inet grigri
delete table inet grigri
table inet grigri {
  chain open {
    ${own.join('\n    ')}
  }
  chain open_containers {
    ${containers.join('\n    ')}
  }
  chain always {
    ct state established,related accept
    ${friends.join('\n    ')}
  }
  chain input {
    type filter hook input priority filter; policy drop;
    ${['iifname "lo" accept', ...always].join('\n    ')}
    jump always
    jump open
  }
  chain container {
    jump always
    jump open_containers
    drop
  }
  chain forward {
    type filter hook forward priority filter;
    oifname "${containerCables}" jump container
  }
}
`;
}

/** Renders the rules of the two chains that open ports: the machine's own, and those of its containers. */
export function openChains(rules: readonly PortRule[]): { own: string[]; containers: string[] } {
  const isForContainers = ({ to, toContainers }: PortRule): boolean =>
    to !== undefined || toContainers === true;
  return {
    own: renderRules(rules.filter((rule) => !isForContainers(rule))),
    containers: renderRules(rules.filter(isForContainers)),
  };
}

/** Renders one nft rule per port range and address family. Errors: ProviderError `bad request`. */
export function renderRules(rules: readonly PortRule[]): string[] {
  return rules.flatMap((rule) => {
    const target = targetOf(rule);
    const matches = portMatches(rule).map((match) => (target ? `${target.match} ${match}` : match));
    if (rule.sourceCidrs.length === 0) return matches.map((match) => `${match} accept`);
    const families = [
      ['ip', rule.sourceCidrs.filter((cidr) => isCidr(cidr, isIPv4))],
      ['ip6', rule.sourceCidrs.filter((cidr) => isCidr(cidr, isIPv6))],
    ] as const;
    const familyCount = families[0][1].length + families[1][1].length;
    if (familyCount !== rule.sourceCidrs.length) {
      throw new ProviderError(
        'bad request',
        `source of a firewall rule is not a CIDR: ${rule.sourceCidrs.join(', ')}`,
      );
    }
    // A rule with a destination address has only that family: nft refuses to match the other one.
    const possible = families.filter(([family]) => !target || target.family === family);
    return possible.flatMap(([family, cidrs]) =>
      sourceMatches(family, cidrs).flatMap((source) => matches.map((match) => `${source} ${match} accept`)),
    );
  });
}

function targetOf({ to }: PortRule): { family: 'ip' | 'ip6'; match: string } | undefined {
  if (to === undefined) return undefined;
  if (!isIPv4(to) && !isIPv6(to))
    throw new ProviderError('bad request', `target of a firewall rule is not an address: ${to}`);
  const family = isIPv4(to) ? 'ip' : 'ip6';
  return { family, match: `${family} daddr ${to}` };
}

/** Renders one match per source: nft refuses a set with overlapping intervals. */
function sourceMatches(family: 'ip' | 'ip6', cidrs: readonly string[]): string[] {
  if (cidrs.some((cidr) => cidr.endsWith('/0'))) return [`meta nfproto ${family === 'ip' ? 'ipv4' : 'ipv6'}`];
  return cidrs.map((cidr) => `${family} saddr ${cidr}`);
}

function portMatches({ protocol, fromPort, toPort }: PortRule): string[] {
  if (protocol === 'icmp') return ['meta l4proto { icmp, ipv6-icmp }'];
  const valid = Number.isInteger(fromPort) && Number.isInteger(toPort) && fromPort >= 0 && toPort <= 65535;
  if (!valid || fromPort > toPort)
    throw new ProviderError('bad request', `no port range: ${fromPort}-${toPort}`);
  return [`${protocol} dport ${fromPort === toPort ? fromPort : `${fromPort}-${toPort}`}`];
}

function isCidr(text: string, isAddress: (text: string) => boolean): boolean {
  const [address = '', length = '', ...rest] = text.split('/');
  return rest.length === 0 && isAddress(address) && /^\d{1,3}$/.test(length);
}
