/**
 * Firewall of an LXD instance: nftables rules in a file inside it, loaded before its network at each boot. The first
 * rules are installed before the first start.
 */
import { posix } from 'node:path';
import { firewallTable } from '../../toolkit/nft-rules.ts';
import { firstRules, ProviderError, type PortRule } from '../../contract/provider.ts';
import { answered, changeInstance, findOurs, type InstanceSettings } from './change-instance.ts';
import type { LxdContext } from './context.ts';
import { subnetsOf } from './model-networks.ts';

export interface LxdFirewall {
  /** Sets the rules, as in Environ.firewall. A stopped instance gets them for its next start. */
  set(instanceId: string, rules: readonly PortRule[], signal: AbortSignal): Promise<void>;
  rules(instanceId: string, signal: AbortSignal): Promise<readonly PortRule[]>;
  /** Installs the first rules, loaded at each boot, in an instance that was created but never started. Idempotent. */
  install(instanceId: string, signal: AbortSignal): Promise<void>;
}

const rulesFile = '/etc/grigri/firewall.nft';
/** Path of the new rules file, which replaces the old one by rename, so that no crash leaves a partial file. */
const newRulesFile = `${rulesFile}.new`;
const unitFile = '/etc/systemd/system/grigri-firewall.service';
/** Drop-in that replaces a link in sysinit.target.wants, which LXD's file API cannot create in one request. */
const wantsFile = '/etc/systemd/system/sysinit.target.d/grigri-firewall.conf';

/** Script run at boot: new rules that nft refuses do not keep the previous ones from being loaded. */
const bootScript = `if [ -e ${newRulesFile} ] && nft -f ${newRulesFile}; then mv -f ${newRulesFile} ${rulesFile}; else nft -f ${rulesFile}; fi`;
/** Script run at a change; a concurrent boot may load and move the new rules first, at any moment. */
export const changeScript = `if [ -e ${newRulesFile} ] && nft -f ${newRulesFile} && { sync ${newRulesFile} || :; } && mv -f ${newRulesFile} ${rulesFile}; then :; elif [ -e ${newRulesFile} ]; then exit 1; else nft -f ${rulesFile}; fi`;

/** systemd unit ordered after nftables.service, which empties all tables when it is started or restarted. */
const unit = `[Unit]
Description=Open ports of this machine, as its model has them
DefaultDependencies=no
After=local-fs.target nftables.service
PartOf=nftables.service
Before=network-pre.target shutdown.target
Wants=network-pre.target
Conflicts=shutdown.target

[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart=/bin/sh -c '${bootScript}'
`;
const dropIn = `[Unit]
Wants=grigri-firewall.service
`;

/** Protocols that an instance needs to keep its addresses: IPv6 neighbour and router discovery, and both DHCPs. */
const network: readonly string[] = [
  'icmpv6 type { nd-neighbor-solicit, nd-neighbor-advert, nd-router-advert, mld-listener-query } accept',
  'udp sport 67 udp dport 68 accept',
  'ip6 saddr fe80::/10 udp sport 547 udp dport 546 accept',
];

/** Key of the last rules, as JSON. */
const rulesKey = 'user.grigri-ports';

export function createLxdFirewall(context: LxdContext): LxdFirewall {
  const { client, locks } = context;

  const table = async (
    instance: Pick<InstanceSettings, 'name' | 'expanded_devices' | 'status'>,
    rules: readonly PortRule[],
    signal: AbortSignal,
  ): Promise<string> => firewallTable(await subnetsOf(client, instance, signal), rules, network);

  /**
   * Sets the rules. The record is written after the instance's rules: after a crash between the two, the older rules
   * are found and set again.
   */
  const set = async (id: string, rules: readonly PortRule[], signal: AbortSignal): Promise<void> => {
    const instance = await findOurs(context, id, signal);
    const text = await table(instance, rules, signal);
    await client.putFile(id, newRulesFile, text, { mode: '0644' }, signal);
    if (instance.status === 'Running') {
      const { code, stderr } = await client.exec(id, ['sh', '-c', changeScript], signal);
      if (code !== 0) throw refused(code, stderr);
    }
    const record = JSON.stringify(rules);
    await changeInstance(
      client,
      id,
      ({ config }) =>
        config[rulesKey] === record ? undefined : { config: { ...config, [rulesKey]: record } },
      signal,
    );
  };

  const install = async (id: string, signal: AbortSignal): Promise<void> => {
    if (context.open.firewallMode === 'none') return;
    const instance = await findOurs(context, id, signal);
    const files = {
      [rulesFile]: await table(instance, firstRules, signal),
      [unitFile]: unit,
      [wantsFile]: dropIn,
    };
    if (instance.type === 'container') {
      for (const [path, text] of Object.entries(files))
        await client.putFile(id, path, text, { mode: '0644' }, signal);
      return;
    }
    // Files cannot be written into a virtual machine before it runs.
    const vendorData = bootCommand(files);
    await changeInstance(
      client,
      id,
      ({ config }) => ({ config: { ...config, 'user.vendor-data': vendorData } }),
      signal,
    );
  };

  return {
    set: (id, rules, signal) =>
      // The lock is per instance, because concurrent changes would share the file.
      locks(`firewall ${id}`, () => answered(set(id, rules, signal))),
    rules: (id, signal) =>
      answered(
        findOurs(context, id, signal).then(({ config: { [rulesKey]: record } }) =>
          record === undefined ? firstRules : (JSON.parse(record) as readonly PortRule[]),
        ),
      ),
    install: (id, signal) => answered(install(id, signal)),
  };
}

/** Renders vendor data for cloud-init that writes the files at the first boot, and loads the rules at each boot. */
function bootCommand(files: Readonly<Record<string, string>>): string {
  const writing = Object.entries(files).map(
    ([path, text]) =>
      `mkdir -p ${posix.dirname(path)}; echo ${Buffer.from(text).toString('base64')} | base64 -d >${path}`,
  );
  const script = `[ -e ${rulesFile} ] || { ${writing.join('; ')}; systemctl daemon-reload; }; ${bootScript}`;
  return `#cloud-config\nbootcmd:\n  - [sh, -c, ${JSON.stringify(script)}]\n`;
}

function refused(code: number, stderr: string): ProviderError {
  const why =
    code === 127 || /nft: not found/.test(stderr)
      ? 'nft is missing: install the package nftables in the instance'
      : stderr.trim().slice(-500) || `nft ended with ${code}`;
  return new ProviderError('transient', `cannot set the open ports of the instance: ${why}`);
}
