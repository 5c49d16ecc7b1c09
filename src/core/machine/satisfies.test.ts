import { expect, test } from 'vitest';
import { parseConstraints } from '../constraints.ts';
import type { Hardware } from './hardware.ts';
import { machineSatisfies } from './satisfies.ts';
import { defined } from '../defined.ts';

const big: Hardware = { mem: 4096, cores: 4 };

test.each<[string, string, Hardware | undefined, boolean]>([
  ['', '', undefined, true],
  ['mem=2G', 'mem=2G', undefined, true],
  ['mem=2G', 'mem=2048', undefined, true],
  ['mem=2G', 'mem=4G', undefined, false],
  ['', 'mem=4G', undefined, false],
  ['mem=', '', undefined, true],
  ['container=lxd mem=2G', 'mem=2G', undefined, true],
  ['mem=2G', '', big, true],
  ['mem=8G', 'mem=8G', big, false],
  ['', 'mem=4G instance-type=m1', big, true],
  ['instance-type=m1', 'instance-type=m1', big, true],
  ['instance-type=m1', 'instance-type=m2', big, false],
  ['image-id=i', '', big, false],
  ['spaces=dmz', 'spaces=dmz', big, true],
  ['container=lxd', '', big, true],
])(
  'constraints %j on a machine with constraints %j and hardware %j are satisfied: %j',
  (wanted, constraints, hardware, satisfied) => {
    const machine = { constraints: parseConstraints(constraints), ...defined({ hardware }) };
    expect(machineSatisfies(parseConstraints(wanted), machine)).toBe(satisfied);
  },
);
