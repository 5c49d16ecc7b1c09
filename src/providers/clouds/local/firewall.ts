/** Firewall of one machine and of the containers on it, in its own network namespace. */
import { join } from 'node:path';
import { readJson, writeJson } from '../../toolkit/json-file.ts';
import { firewallTable, openChains, type ModelSubnet } from '../../toolkit/nft-rules.ts';
import { firstRules, type PortRule } from '../../contract/provider.ts';
import { run } from './run.ts';

export async function readRules(folder: string): Promise<readonly PortRule[]> {
  return (await readJson<PortRule[]>(join(folder, 'firewall.json'))) ?? firstRules;
}

/**
 * Replaces the open ports in one nft transaction. The record is written after the kernel's rules: after a crash between
 * the two, the caller finds the older rules recorded and sets the new ones again.
 */
export async function setRules(
  folder: string,
  netnsPath: string | undefined,
  rules: readonly PortRule[],
): Promise<void> {
  const { own, containers } = openChains(rules);
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

/** Loads the complete table of a starting machine. */
export async function installFirewall(
  netnsPath: string,
  { rules, ...network }: ModelSubnet & { readonly rules: readonly PortRule[] },
): Promise<void> {
  await nftWithin(netnsPath, firewallTable([network], rules));
}

async function nftWithin(netnsPath: string, text: string): Promise<void> {
  await run(['nsenter', `--net=${netnsPath}`, 'nft', '-f', '-'], text);
}
