import { expect, test } from 'vitest';
import { parseBase } from '../base.ts';
import { otherBases } from './other-bases.ts';
import { defined } from '../defined.ts';

const machine = (
  asked: string,
  actual?: string,
): Parameters<typeof otherBases>[0] extends Iterable<infer M> ? M : never => ({
  base: parseBase(asked),
  instance: {
    id: 'i',
    displayName: '',
    hardware: {},
    isolation: '',
    ...defined({ base: actual === undefined ? undefined : parseBase(actual) }),
  },
});

test.each<[string, ReturnType<typeof machine>[], string]>([
  ['nothing about machines that run their own base', [machine('debian@12')], ''],
  [
    'one machine',
    [machine('ubuntu@24.04', 'debian@12'), machine('debian@12')],
    '1 machine of ubuntu@24.04 runs on debian@12: see "help local-image"',
  ],
  [
    'many machines in one line',
    [
      ...Array.from({ length: 40 }, () => machine('ubuntu@24.04', 'debian@12')),
      machine('ubuntu@22.04', 'debian@12'),
    ],
    '41 machines of ubuntu@22.04, ubuntu@24.04 run on debian@12: see "help local-image"',
  ],
])('otherBases reports %s', (_, machines, expected) => expect(otherBases(machines)).toBe(expected));
