import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import type { Address } from '../../../core/machine/document.ts';
import { sshHostname, type SshTarget } from '../../toolkit/ssh/ssh.ts';

/** Returns the addresses at which this process reaches the host; the agent reports the others later. */
export async function hostAddresses(target: SshTarget): Promise<Address[]> {
  const name = await sshHostname(target);
  const found = isIP(name) ? [name] : (await lookup(name, { all: true }).catch(() => [])).map(addressOf);
  const values = [...new Set(found)].filter((value) => !isLoopback(value));
  return values.map((value): Address => ({
    value,
    type: isIP(value) === 6 ? 'ipv6' : 'ipv4',
    scope: isPrivate(value) ? 'local-cloud' : 'public',
  }));
}

function addressOf({ address }: { readonly address: string }): string {
  return address;
}

function isLoopback(value: string): boolean {
  return value === '::1' || value.startsWith('127.');
}

function isPrivate(value: string): boolean {
  return /^(10\.|192\.168\.|172\.(1[6-9]|2\d|3[01])\.|169\.254\.)/.test(value) || /^f[cd]|^fe80/i.test(value);
}
