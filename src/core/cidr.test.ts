import { isIP } from 'node:net';
import fc, { runs } from '../testing/fast-check.ts';
import { expect, test } from 'vitest';
import { commonNetwork, isCidr, isIpv4, isIpv6, networkOf } from './cidr.ts';

test.each([
  '10.0.0.0/8',
  '0.0.0.0/0',
  '::/0',
  'fd00::/8',
  '2001:db8::1/128',
  '1.2.3.4/32',
  '::ffff:1.2.3.4/96',
])('%s is a CIDR', (text) => expect(isCidr(text)).toBe(true));
test.each([
  '',
  '10.0.0.0',
  '10.0.0.0/33',
  '10.0.0/8',
  '256.0.0.0/8',
  '::/129',
  ':::/0',
  '1::2::3/0',
  'x/8',
  '10.0.0.0/',
  '10.0.0.0/08',
])('%j is no CIDR', (text) => expect(isCidr(text)).toBe(false));

test('an address is valid where Node accepts it', () => {
  const part = fc.constantFrom(
    '0',
    '1',
    '255',
    '256',
    '01',
    '',
    'ffff',
    'fffff',
    'g',
    ':',
    '::',
    '.',
    '1.2.3.4',
    ':1',
  );
  const text = fc.oneof(
    fc.array(part, { maxLength: 9 }).map((parts) => parts.join(':')),
    fc.array(part, { maxLength: 9 }).map((parts) => parts.join('')),
    fc.array(part, { maxLength: 5 }).map((parts) => parts.join('.')),
    fc.ipV6(),
    fc.ipV4(),
  );
  fc.assert(
    fc.property(text, (address) => {
      expect([address, isIpv4(address), isIpv6(address)]).toEqual([
        address,
        isIP(address) === 4,
        isIP(address) === 6,
      ]);
    }),
    { numRuns: runs(2000) },
  );
});

test.each([
  ['10.0.0.7/24', '10.0.0.0/24'],
  ['10.0.0.7/32', '10.0.0.7/32'],
  ['255.255.255.255/1', '128.0.0.0/1'],
  ['1.2.3.4/0', '0.0.0.0/0'],
  ['fd00:0:0:1::5/64', 'fd00:0:0:1::/64'],
  ['FD00::5/48', 'fd00::/48'],
  ['2001:db8:0:1:0:0:0:1/128', '2001:db8:0:1::1/128'],
  ['::ffff:1.2.3.4/112', '::ffff:102:0/112'],
  ['::1/0', '::/0'],
  ['1::/16', '1::/16'],
  ['1:0:1:0:1:0:1:0/128', '1:0:1:0:1:0:1:0/128'],
  ['10.0.0.7', undefined],
  ['nonsense', undefined],
])('the network of %s is %s', (cidr, network) => expect(networkOf(cidr)).toBe(network));

test.each([
  ['10.0.0.0/8', '10.1.0.0/16', '10.1.0.0/16'],
  ['10.1.0.0/16', '10.1.0.0/16', '10.1.0.0/16'],
  ['0.0.0.0/0', '10.1.2.3/32', '10.1.2.3/32'],
  ['10.1.0.0/16', '10.2.0.0/16', undefined],
  ['0.0.0.0/0', 'fd00::/8', undefined],
  ['::/0', 'fd00::/8', 'fd00::/8'],
  ['fd00::/8', 'fe80::/10', undefined],
])('the CIDRs %s and %s have %s in common', (a, b, common) => {
  expect(commonNetwork(a, b)).toBe(common);
  expect(commonNetwork(b, a)).toBe(common);
});
