import { describe, expect, test } from 'vitest';
import {
  closePort,
  formatPortRange,
  openPort,
  openRanges,
  parsePortRange,
  rangesOverlap,
  takenRanges,
  type OpenPorts,
} from './ports.ts';

test.each([
  ['80', '80/tcp'],
  ['80/tcp', '80/tcp'],
  ['80/TCP', '80/tcp'],
  ['9000-9010/UDP', '9000-9010/udp'],
  ['80-80', '80/tcp'],
  ['icmp', 'icmp'],
  ['ICMP', 'icmp'],
  ['1-65535', '1-65535/tcp'],
])('parsePortRange of %s is %s', (text, formatted) =>
  expect(formatPortRange(parsePortRange(text))).toBe(formatted),
);

test.each([
  ['', 'invalid port range ""'],
  ['http', 'invalid port range "http"'],
  ['80-', 'invalid port range "80-"'],
  ['-80', 'invalid port range "-80"'],
  ['80-90-100', 'invalid port range "80-90-100"'],
  ['80/sctp', 'invalid protocol "sctp", expected "tcp", "udp", or "icmp"'],
  ['80/icmp', 'invalid protocol "icmp"'],
  ['90-80', 'invalid port range 90-80/tcp'],
  ['0', 'port range bounds must be between 1 and 65535, got 0-0'],
  ['80-65536', 'port range bounds must be between 1 and 65535, got 80-65536'],
])('the port range %j is refused', (text, message) => expect(() => parsePortRange(text)).toThrow(message));

test.each([
  ['80', '80', true],
  ['80-90', '90-100', true],
  ['80-90', '91', false],
  ['80/tcp', '80/udp', false],
  ['icmp', 'icmp', true],
  ['icmp', '80', false],
])('the port ranges %s and %s overlap: %s', (a, b, expected) => {
  expect(rangesOverlap(parsePortRange(a), parsePortRange(b))).toBe(expected);
});

describe('openPort', () => {
  const open = (ports: OpenPorts, endpoint: string, range: string, others: OpenPorts = {}) =>
    openPort(
      { unit: 'a/0', ports },
      { endpoint, range: parsePortRange(range) },
      takenRanges([{ name: 'b/0', ports: others }]),
    );

  test.each<[string, OpenPorts, string, string, OpenPorts]>([
    ['the first', {}, '', '80', { '': ['80/tcp'] }],
    ['again', { '': ['80/tcp'] }, '', '80', { '': ['80/tcp'] }],
    ['for another endpoint', { '': ['80/tcp'] }, 'db', '80', { '': ['80/tcp'], db: ['80/tcp'] }],
    ['sorted', { '': ['443/tcp'] }, '', '80', { '': ['80/tcp', '443/tcp'] }],
    ['for an endpoint of an odd name', {}, 'constructor', '80', { constructor: ['80/tcp'] }],
    ['of another protocol', { '': ['80/tcp'] }, '', '80/udp', { '': ['80/tcp', '80/udp'] }],
  ])('openPort: %s', (_, ports, endpoint, range, expected) =>
    expect(open(ports, endpoint, range)).toEqual(expected),
  );

  test('openPort lets any number of units open icmp', () => {
    expect(open({}, '', 'icmp', { '': ['icmp'] })).toEqual({ '': ['icmp'] });
  });
  test('openPort refuses a part of a range that the unit has opened', () => {
    expect(() => open({ '': ['80-90/tcp'] }, 'db', '85')).toThrow(
      'cannot open 85/tcp (unit "a/0"): port range conflicts with 80-90/tcp (unit "a/0")',
    );
  });
  test('openPort refuses a port that another unit has opened', () => {
    expect(() => open({}, '', '80', { db: ['80/tcp'] })).toThrow(
      'port range conflicts with 80/tcp (unit "b/0")',
    );
  });
});

describe('closePort', () => {
  const close = (ports: OpenPorts, endpoint: string, range: string) =>
    closePort({ unit: 'a/0', ports }, { endpoint, range: parsePortRange(range) });

  test.each<[string, OpenPorts, string, string, OpenPorts]>([
    ['the last', { '': ['80/tcp'] }, '', '80', {}],
    ['of one endpoint', { '': ['80/tcp'], db: ['80/tcp'] }, 'db', '80', { '': ['80/tcp'] }],
    ['of all endpoints', { '': ['80/tcp'], db: ['80/tcp', '81/tcp'] }, '', '80', { db: ['81/tcp'] }],
    ['one that is closed', { '': ['80/tcp'] }, '', '90', { '': ['80/tcp'] }],
  ])('closePort: %s', (_, ports, endpoint, range, expected) =>
    expect(close(ports, endpoint, range)).toEqual(expected),
  );

  test('closePort refuses a part of an open range', () => {
    expect(() => close({ '': ['80-90/tcp'] }, '', '85')).toThrow(
      'port range conflicts with 80-90/tcp (unit "a/0")',
    );
  });
});

test('openRanges lists every range once', () => {
  expect(openRanges({ '': ['443/tcp', '80/tcp'], db: ['80/tcp', '53/udp'] })).toEqual([
    '53/udp',
    '80/tcp',
    '443/tcp',
  ]);
});
