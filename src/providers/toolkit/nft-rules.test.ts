import { expect, test } from 'vitest';
import type { PortRule } from '../contract/provider.ts';
import { openChains, renderRules } from './nft-rules.ts';

const tcp = (fromPort: number, toPort: number, ...sourceCidrs: string[]): PortRule => ({
  fromPort,
  toPort,
  protocol: 'tcp',
  sourceCidrs,
});

test.each<{ name: string; rule: PortRule; nft: string[] }>([
  { name: 'a port, from anywhere', rule: tcp(80, 80), nft: ['tcp dport 80 accept'] },
  { name: 'a range', rule: { ...tcp(1, 65535), protocol: 'udp' }, nft: ['udp dport 1-65535 accept'] },
  {
    name: 'sources of both families',
    rule: tcp(80, 80, '192.0.2.0/24', '2001:db8::/32'),
    nft: ['ip saddr 192.0.2.0/24 tcp dport 80 accept', 'ip6 saddr 2001:db8::/32 tcp dport 80 accept'],
  },
  {
    name: 'every source of a family',
    rule: tcp(80, 80, '0.0.0.0/0', '192.0.2.0/24'),
    nft: ['meta nfproto ipv4 tcp dport 80 accept'],
  },
  {
    name: 'icmp, whose ports are -1',
    rule: { protocol: 'icmp', fromPort: -1, toPort: -1, sourceCidrs: ['192.0.2.0/24'] },
    nft: ['ip saddr 192.0.2.0/24 meta l4proto { icmp, ipv6-icmp } accept'],
  },
  {
    name: 'to a container, from the sources of its family',
    rule: { ...tcp(80, 80, '192.0.2.0/24', '2001:db8::/32'), to: '10.1.2.3' },
    nft: ['ip saddr 192.0.2.0/24 ip daddr 10.1.2.3 tcp dport 80 accept'],
  },
  {
    name: 'to a container, from anywhere',
    rule: { ...tcp(80, 80), to: '2001:db8::1' },
    nft: ['ip6 daddr 2001:db8::1 tcp dport 80 accept'],
  },
])('Rules are rendered: $name', ({ rule, nft }) => {
  expect(renderRules([rule])).toEqual(nft);
});

test('Rules for one container, and for all, are not for the machine itself', () => {
  const rules = [tcp(80, 80), { ...tcp(443, 443), to: '10.1.2.3' }, { ...tcp(22, 22), toContainers: true }];
  expect(openChains(rules)).toEqual({
    own: ['tcp dport 80 accept'],
    containers: ['ip daddr 10.1.2.3 tcp dport 443 accept', 'tcp dport 22 accept'],
  });
});

test.each([
  tcp(80, 79),
  tcp(0.5, 1),
  tcp(80, 65536),
  tcp(80, 80, '192.0.2.1'),
  tcp(80, 80, 'x; flush ruleset/8'),
  tcp(80, 80, '192.0.2.0/24; flush ruleset'),
  { ...tcp(80, 80), to: '10.1.2.3; flush ruleset' },
])('Rule %j is refused', (rule) => {
  expect(() => renderRules([rule])).toThrow(expect.objectContaining({ class: 'bad request' }));
});
