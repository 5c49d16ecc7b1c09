import { expect, test } from 'vitest';
import { formatPortRange } from '../ports.ts';
import { anywhere, exposedRules, type ExposedUnit, type IngressRule } from './exposed-rules.ts';

const from = (...cidrs: string[]) => ({ cidrs, spaces: [] });
const ports = { '': ['80/tcp'], admin: ['8080/tcp'], metrics: ['9100-9110/tcp', 'icmp'] };

test.each<[string, ExposedUnit[], string[]]>([
  ['not exposed', [{ ports }], []],
  ['exposed, nothing open', [{ ports: {}, exposed: { '': from(...anywhere) } }], []],
  [
    'an application exposed on all endpoints opens all ports',
    [{ ports, exposed: { '': from(...anywhere) } }],
    ['icmp from anywhere', '80/tcp from anywhere', '8080/tcp from anywhere', '9100-9110/tcp from anywhere'],
  ],
  [
    'an application exposed on one endpoint opens its ports and those for all',
    [{ ports, exposed: { admin: from('10.0.0.0/8') } }],
    ['80/tcp from 10.0.0.0/8', '8080/tcp from 10.0.0.0/8'],
  ],
  [
    'a named endpoint is not covered by the entry for all',
    [{ ports, exposed: { '': from('0.0.0.0/0'), admin: from('10.0.0.0/8') } }],
    [
      'icmp from 0.0.0.0/0',
      '80/tcp from 0.0.0.0/0,10.0.0.0/8',
      '8080/tcp from 10.0.0.0/8',
      '9100-9110/tcp from 0.0.0.0/0',
    ],
  ],
  ['no source, no rule', [{ ports, exposed: { '': from() } }], []],
  [
    'an exposed space stands for its subnets',
    [{ ports: { '': ['80/tcp'] }, exposed: { '': { cidrs: [], spaces: ['dmz'] } } }],
    ['80/tcp from 192.168.1.0/24'],
  ],
  [
    'a space without subnets is no source',
    [{ ports, exposed: { '': { cidrs: [], spaces: ['empty'] } } }],
    [],
  ],
  [
    'the sources of two units are joined',
    [
      { ports: { '': ['icmp'] }, exposed: { '': from('10.0.0.0/8') } },
      { ports: { '': ['icmp'] }, exposed: { '': from('172.16.0.0/12') } },
      { ports: { '': ['22/tcp'] } },
    ],
    ['icmp from 10.0.0.0/8,172.16.0.0/12'],
  ],
])('exposed rules: %s', (_, units, rules) => {
  const subnets = (space: string) => (space === 'dmz' ? ['192.168.1.0/24'] : []);
  expect(exposedRules(units, subnets).map(text)).toEqual(rules);
});

/** A rule as text: `80/tcp from 10.0.0.0/8`. */
function text(rule: IngressRule): string {
  return `${formatPortRange(rule)} from ${rule.sourceCidrs.join(',') || 'anywhere'}`;
}
