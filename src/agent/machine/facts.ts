import { arch, availableParallelism, hostname, networkInterfaces, totalmem } from 'node:os';
import { networkOf } from '../../core/cidr.ts';
import { sshHostKeys } from '../../kit/ssh-host-keys.ts';
import type { MachineAgentMethods } from '../../wire/facades/machine-agent.ts';
import { limits } from '../../core/limits.ts';
import { defined } from '../../core/defined.ts';

type Facts = MachineAgentMethods['Started']['params'];

/** Facts that this machine reports when its agent starts, and when they change. */
export function machineFacts(version: string): Facts {
  return {
    hostname: hostname(),
    addresses: machineAddresses(),
    hardware: { arch: jujuArch(), cores: availableParallelism(), mem: Math.floor(totalmem() / 1024 ** 2) },
    version,
    // Host keys reported by the agent are part of the machine's record (logging-in.md#reported-host-keys).
    hostKeys: sshHostKeys(limits.hostKeys.max),
  };
}

/** Returns Juju's name of this processor architecture. */
export function jujuArch(): string {
  return { x64: 'amd64', arm: 'armhf' }[arch() as string] ?? arch();
}

/** Returns the addresses of the machine without loopback and link-local addresses, which other machines cannot use. */
function machineAddresses(): Facts['addresses'] {
  const addresses: Facts['addresses'] = [];
  for (const [interfaceName, entries] of Object.entries(networkInterfaces())) {
    for (const { address, cidr, mac, internal, family, scopeid } of entries ?? []) {
      if (internal || (family === 'IPv6' && scopeid !== 0) || address.startsWith('169.254.')) continue;
      addresses.push({
        value: address,
        scope: 'local-cloud',
        interfaceName,
        macAddress: mac,
        ...defined({ cidr: cidr === null ? undefined : networkOf(cidr) }),
      });
    }
  }
  return addresses;
}
