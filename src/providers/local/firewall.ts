/** The firewall of one machine and of the containers on it, in its own network namespace. */
import { join } from 'node:path';
import { isIPv4, isIPv6 } from 'node:net';
import { readJson, writeJson } from '../json-file.ts';
import { ProviderError, type PortRule } from '../provider.ts';
import { containerCables } from './network.ts';
import { run } from './run.ts';

export async function readRules(folder: string): Promise<readonly PortRule[]> {
  return (await readJson<PortRule[]>(join(folder, 'firewall.json'))) ?? [];
}

/**
 * Replaces the open ports in one nft transaction. The record follows the kernel: after a crash between the two the
 * caller finds the older rules recorded and sets the new ones again.
 */
export async function setRules(
  folder: string,
  netnsPath: string | undefined,
  rules: readonly PortRule[],
): Promise<void> {
  const { own, containers } = chainsOf(rules);
  if (netnsPath) {
    const commands = [
      'flush chain inet grigri open',
      ...own.map((line) => `add rule inet grigri open ${line}`),
      'flush chain inet grigri open_containers',
      ...containers.map((line) => `add rule inet grigri open_containers ${line}`),
    ];
    await nftWithin(netnsPath, commands.join('\n') + '\n');
  }
  await writeJson(join(folder, 'firewall.json'), rules);
}

/**
 * The whole table of a starting machine: everything of its model may reach it, but not the host, whose bridge address
 * is in the same subnet; the others only port 22 and what is open. The same is true of each container on it; what else
 * its charms make it forward is theirs.
 */
export async function installFirewall(
  netnsPath: string,
  { subnet, gateway, rules }: { subnet: string; gateway: string; rules: readonly PortRule[] },
): Promise<void> {
  const { own, containers } = chainsOf(rules);
  await nftWithin(
    netnsPath,
    `table inet grigri
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
    ip saddr != ${gateway} ip saddr ${subnet} accept
    tcp dport 22 accept
  }
  chain input {
    type filter hook input priority filter; policy drop;
    iifname "lo" accept
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
`,
  );
}

function chainsOf(rules: readonly PortRule[]): { own: string[]; containers: string[] } {
  return {
    own: renderRules(rules.filter(({ to }) => to === undefined)),
    containers: renderRules(rules.filter(({ to }) => to !== undefined)),
  };
}

/** One nft rule for each port range and address family. Errors: ProviderError `bad request`. */
export function renderRules(rules: readonly PortRule[]): string[] {
  return rules.flatMap((rule) => {
    const target = targetOf(rule);
    const matches = portMatches(rule).map((match) => (target ? `${target.match} ${match}` : match));
    if (rule.sourceCidrs.length === 0) return matches.map((match) => `${match} accept`);
    const families = [
      ['ip', rule.sourceCidrs.filter((cidr) => isCidr(cidr, isIPv4))],
      ['ip6', rule.sourceCidrs.filter((cidr) => isCidr(cidr, isIPv6))],
    ] as const;
    const known = families[0][1].length + families[1][1].length;
    if (known !== rule.sourceCidrs.length) {
      throw new ProviderError(
        'bad request',
        `source of a firewall rule is no CIDR: ${rule.sourceCidrs.join(', ')}`,
      );
    }
    // What goes to an address is of its family: nft refuses to look for another.
    const possible = families.filter(([family]) => !target || target.family === family);
    return possible.flatMap(([family, cidrs]) =>
      sourceMatches(family, cidrs).flatMap((source) => matches.map((match) => `${source} ${match} accept`)),
    );
  });
}

function targetOf({ to }: PortRule): { family: 'ip' | 'ip6'; match: string } | undefined {
  if (to === undefined) return undefined;
  if (!isIPv4(to) && !isIPv6(to))
    throw new ProviderError('bad request', `target of a firewall rule is no address: ${to}`);
  const family = isIPv4(to) ? 'ip' : 'ip6';
  return { family, match: `${family} daddr ${to}` };
}

/** One match for each source: nft refuses a set whose intervals overlap. */
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

async function nftWithin(netnsPath: string, text: string): Promise<void> {
  await run(['nsenter', `--net=${netnsPath}`, 'nft', '-f', '-'], text);
}
