import { expect, test } from 'vitest';
import { paramsOf } from '../testing/machine-records.ts';
import { splitByRequest } from './split-by-request.ts';

type Params = ReturnType<typeof paramsOf>;
const start = (id: string, more: Partial<Params> = {}): { params: Params } => ({
  params: { ...paramsOf(id, `nonce-${id}`), ...more },
});
const idsOf = (groups: { params: Params }[][]): string[][] =>
  groups.map((group) => group.map(({ params }) => params.machineId));

test.each([
  { what: 'each start is a request where the cloud has no groups', max: 1, groups: [['0'], ['1'], ['2']] },
  {
    what: 'starts that are alike share requests of at most the maximum',
    max: 2,
    groups: [['0', '1'], ['2']],
  },
  { what: 'starts that are alike are one request below the maximum', max: 10, groups: [['0', '1', '2']] },
])('$what', ({ max, groups }) => {
  expect(idsOf(splitByRequest([start('0'), start('1'), start('2')], max))).toEqual(groups);
});

test.each<{ what: string; more: Partial<Params> }>([
  { what: 'zone', more: { zone: 'z1' } },
  { what: 'placement', more: { placement: 'rack=1' } },
  { what: 'base', more: { base: { name: 'ubuntu', channel: '22.04/stable' } } },
  { what: 'constraints', more: { constraints: { mem: 4096 } } },
])('Starts with another $what are another request', ({ more }) => {
  expect(idsOf(splitByRequest([start('0'), start('1', more), start('2')], 10))).toEqual([['0', '2'], ['1']]);
});
