import fc from '../testing/fast-check.ts';
import { describe, expect, test } from 'vitest';
import {
  architectures,
  constraintsFromWire,
  formatConstraints,
  hardwareSatisfies,
  mergeConstraints,
  parseConstraints,
  validateConstraints,
  type ConstraintRules,
  type Constraints,
} from './constraints.ts';

test.each<[string, Constraints, string]>([
  ['', {}, ''],
  ['mem=4G cores=2', { mem: 4096, cores: 2 }, 'cores=2 mem=4096M'],
  ['cpu-cores=2', { cores: 2 }, 'cores=2'],
  ['mem=512 root-disk=1.5T', { mem: 512, 'root-disk': 1572864 }, 'mem=512M root-disk=1572864M'],
  ['mem=0.5P', { mem: 536870912 }, 'mem=536870912M'],
  ['mem=1.1M', { mem: 2 }, 'mem=2M'],
  ['mem= cores= arch= tags=', { mem: 0, cores: 0, arch: '', tags: [] }, 'arch= cores= mem= tags='],
  ['tags=a,^b,,c', { tags: ['a', '^b', 'c'] }, 'tags=a,^b,c'],
  [
    'spaces=dmz,^db zones=z1,z2',
    { spaces: ['dmz', '^db'], zones: ['z1', 'z2'] },
    'spaces=dmz,^db zones=z1,z2',
  ],
  ['allocate-public-ip=T', { 'allocate-public-ip': true }, 'allocate-public-ip=true'],
  ['allocate-public-ip=false', { 'allocate-public-ip': false }, 'allocate-public-ip=false'],
  ['zones=Zone\\ One', { zones: ['Zone One'] }, 'zones=Zone\\ One'],
  [
    '  arch=arm64\tcontainer=none\ncpu-power=100 ',
    { arch: 'arm64', container: 'none', 'cpu-power': 100 },
    'arch=arm64 container=none cpu-power=100',
  ],
  [
    'image-id=i virt-type=kvm instance-type=m1 instance-role=auto root-disk-source=local',
    {
      'image-id': 'i',
      'virt-type': 'kvm',
      'instance-type': 'm1',
      'instance-role': 'auto',
      'root-disk-source': 'local',
    },
    'instance-role=auto instance-type=m1 root-disk-source=local virt-type=kvm image-id=i',
  ],
  ['instance-type=a=b', { 'instance-type': 'a=b' }, 'instance-type=a=b'],
])('the constraints %j are parsed', (text, constraints, canonical) => {
  expect(parseConstraints(text)).toEqual(constraints);
  expect(formatConstraints(constraints)).toBe(canonical);
});

test.each<readonly [key: string, text: string, value: unknown, canonical: string]>([
  ['arch', 'amd64', 'amd64', 'amd64'],
  ['arch', 'riscv64', 'riscv64', 'riscv64'],
  ['container', 'lxd', 'lxd', 'lxd'],
  ['container', 'kvm', 'kvm', 'kvm'],
  ['cores', '0', 0, ''],
  ['cpu-power', '100', 100, '100'],
  ['instance-role', 'auto', 'auto', 'auto'],
  ['instance-type', 'm1.small', 'm1.small', 'm1.small'],
  ['mem', '1', 1, '1M'],
  ['mem', '1M', 1, '1M'],
  ['mem', '.5G', 512, '512M'],
  ['mem', '2.G', 2048, '2048M'],
  ['mem', '1T', 1048576, '1048576M'],
  ['root-disk', '1P', 1073741824, '1073741824M'],
  ['root-disk-source', 'volume', 'volume', 'volume'],
  ['tags', '^a', ['^a'], '^a'],
  ['spaces', '^db', ['^db'], '^db'],
  ['virt-type', 'virtual-machine', 'virtual-machine', 'virtual-machine'],
  ['zones', 'z1', ['z1'], 'z1'],
  ...['1', 't', 'T', 'true', 'TRUE', 'True'].map((yes) => ['allocate-public-ip', yes, true, 'true'] as const),
  ...['0', 'f', 'F', 'false', 'FALSE', 'False', ''].map(
    (no) => ['allocate-public-ip', no, false, 'false'] as const,
  ),
  ['image-id', 'ami-1', 'ami-1', 'ami-1'],
  // An explicit nothing of each other key.
  ...['arch', 'container', 'instance-role', 'instance-type', 'root-disk-source', 'virt-type', 'image-id'].map(
    (key) => [key, '', '', ''] as const,
  ),
  ...['cores', 'cpu-power', 'mem', 'root-disk'].map((key) => [key, '', 0, ''] as const),
  ...['tags', 'spaces', 'zones'].map((key) => [key, '', [], ''] as const),
])('the constraint %s=%s is parsed', (key, text, value, canonical) => {
  const parsed = parseConstraints(`${key}=${text}`);
  expect(parsed).toEqual({ [key]: value });
  expect(formatConstraints(parsed)).toBe(`${key}=${canonical}`);
  expect(constraintsFromWire(parsed as Record<string, unknown>)).toEqual(parsed);
});

test.each([
  ['mem', 'malformed constraint "mem"'],
  ['=4', 'malformed constraint "=4"'],
  ['memory=4G', 'unknown constraint "memory"'],
  ['constructor=1', 'unknown constraint "constructor"'],
  ['mem=4G mem=4G', 'bad "mem" constraint: already set'],
  ['cores=1 cpu-cores=1', 'bad "cpu-cores" constraint: already set'],
  ['arch=i386', 'bad "arch" constraint: "i386" not recognized'],
  ['cores=-1', 'bad "cores" constraint: must be a non-negative integer'],
  ['arch=amd64 arch=', 'bad "arch" constraint: already set'],
  ['mem=1m', 'bad "mem" constraint: must be a non-negative float with optional M/G/T/P suffix'],
  ['cpu-power=x', 'bad "cpu-power" constraint: must be a non-negative integer'],
  ['cores=1.5', 'bad "cores" constraint: must be a non-negative integer'],
  ['mem=-1', 'bad "mem" constraint: must be a non-negative float with optional M/G/T/P suffix'],
  ['mem=4X', 'bad "mem" constraint: must be a non-negative float with optional M/G/T/P suffix'],
  ['root-disk=G', 'bad "root-disk" constraint: must be a non-negative float with optional M/G/T/P suffix'],
  ['container=docker', 'bad "container" constraint: invalid container type "docker"'],
  ['spaces=Bad_Space', 'bad "spaces" constraint: "Bad_Space" is not a valid space name'],
  ['allocate-public-ip=maybe', "bad \"allocate-public-ip\" constraint: must be 'true' or 'false'"],
])('the constraint %j is refused', (text, message) => {
  expect(() => parseConstraints(text)).toThrow(expect.objectContaining({ code: 'not valid', message }));
});

test('formatted constraints parse to the same constraints', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'B', '1', ' ', '\\', '=', '^', '.'), minLength: 1 });
  const list = fc.array(text, { maxLength: 3 });
  const arbitrary = fc.record(
    {
      arch: fc.constantFrom('', ...architectures),
      cores: fc.nat(),
      mem: fc.nat(),
      'root-disk': fc.nat(),
      'instance-type': fc.oneof(fc.constant(''), text),
      tags: list,
      zones: list,
      'allocate-public-ip': fc.boolean(),
    },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(arbitrary, (constraints) => {
      expect(parseConstraints(formatConstraints(constraints))).toEqual(constraints);
    }),
  );
});

test('constraints from the wire are parsed', () => {
  const wire = {
    arch: 'amd64',
    cores: 2,
    mem: 0,
    tags: ['a'],
    zones: [],
    'allocate-public-ip': false,
    'image-id': null,
  };
  expect(constraintsFromWire(wire)).toEqual({
    arch: 'amd64',
    cores: 2,
    mem: 0,
    tags: ['a'],
    zones: [],
    'allocate-public-ip': false,
  });
  expect(() => constraintsFromWire({ gpus: 1 })).toThrow('unknown constraint "gpus"');
  expect(() => constraintsFromWire({ cores: -1 })).toThrow('bad "cores" constraint');
  expect(() => constraintsFromWire({ cores: {} })).toThrow('bad "cores" constraint');
});

describe('mergeConstraints', () => {
  const conflicts = [{ left: ['instance-type'], right: ['mem', 'cores'] }] as const;
  test.each([
    ['a missing key is inherited', 'mem=1G', 'cores=2', 'cores=2 mem=1024M'],
    ["one's own wins", 'mem=1G', 'mem=2G', 'mem=2048M'],
    ['an explicit nothing wins', 'mem=1G', 'mem=', 'mem='],
    ['a conflicting key is dropped', 'mem=1G arch=amd64', 'instance-type=m1', 'arch=amd64 instance-type=m1'],
    ['both ways', 'instance-type=m1', 'cores=2', 'cores=2'],
    ['an explicit nothing conflicts with no key', 'mem=1G', 'instance-type=', 'instance-type= mem=1024M'],
    [
      'a false flag counts',
      'allocate-public-ip=true',
      'allocate-public-ip=false',
      'allocate-public-ip=false',
    ],
  ])('%s', (_, fallback, own, merged) => {
    expect(
      formatConstraints(mergeConstraints(parseConstraints(fallback), parseConstraints(own), conflicts)),
    ).toBe(merged);
  });
});

describe('validateConstraints', () => {
  const rules: ConstraintRules = {
    unsupported: ['tags', 'virt-type'],
    conflicts: [{ left: ['instance-type'], right: ['mem'] }],
    vocabulary: {
      arch: ['amd64', 'arm64'],
      zones: ['z1', 'z2'],
      'instance-type': Array.from({ length: 12 }, (_, i) => `m${i}`),
    },
  };
  const validate = (text: string) => validateConstraints(parseConstraints(text), rules);

  test('constraint values that the cloud has are valid', () => {
    expect(validate('arch=arm64 zones=z1,z2 mem=1G')).toEqual({ warnings: [] });
  });
  test('constraint keys that the cloud ignores give a warning', () => {
    expect(validate('tags=a virt-type=kvm')).toEqual({
      warnings: ['unsupported constraints: tags,virt-type'],
    });
  });
  test('a constraint with an explicitly empty value is always valid', () => {
    expect(validate('tags= arch= mem= instance-type=m1')).toEqual({ warnings: [] });
  });
  test('conflicting constraints are ambiguous', () => {
    expect(() => validate('mem=1G instance-type=m1')).toThrow(
      'ambiguous constraints: "instance-type" overlaps with "mem"',
    );
  });
  test('a value that the cloud lacks is refused', () => {
    expect(() => validate('arch=s390x')).toThrow(
      'invalid constraint value: arch=s390x, valid values are: [amd64 arm64]',
    );
    expect(() => validate('zones=z1,z3')).toThrow(
      'invalid constraint value: zones=z3, valid values are: [z1 z2]',
    );
  });
  test('the error of an invalid value shows the ten nearest valid values', () => {
    expect(() => validate('instance-type=m12')).toThrow(
      'valid values are: [m1 m10 m11 m2 m0 m3 m4 m5 m6 m7 ...(plus 2 more)]',
    );
  });
});

test.each([
  ['', {}, true],
  ['mem=1G', { mem: 1024 }, true],
  ['mem=1G', { mem: 1023 }, false],
  ['mem=1G', {}, false],
  ['mem=', {}, true],
  ['arch=amd64', { arch: 'arm64' }, false],
  ['cores=2 cpu-power=10 root-disk=1G', { cores: 2, cpuPower: 10, rootDisk: 2048 }, true],
  ['tags=a,b', { tags: ['b', 'a', 'c'] }, true],
  ['tags=a,b', { tags: ['a'] }, false],
  ['tags=^a', { tags: ['a'] }, false],
  ['tags=^a', {}, true],
  ['zones=z1,z2', { availabilityZone: 'z2' }, true],
  ['zones=z1', {}, false],
  ['virt-type=kvm', { virtType: 'lxd' }, false],
])('the constraints %j are satisfied by the hardware %j: %j', (text, hardware, satisfied) => {
  expect(hardwareSatisfies(parseConstraints(text), hardware)).toBe(satisfied);
});
