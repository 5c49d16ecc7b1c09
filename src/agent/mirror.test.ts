import { expect, test } from 'vitest';
import type { AgentRecord } from '../wire/agent-records.ts';
import { Mirror } from './mirror.ts';

const record = (value: object): AgentRecord => value as AgentRecord;
const member = (relation: number, unit: string): [string, AgentRecord] => [
  `member ${relation} ${unit}`,
  record({ relation, unit }),
];

test('each relation has its own members, which are removed with it', () => {
  const mirror = new Mirror();
  mirror.apply({
    records: [
      ['relation 1', record({ id: 1 })],
      ['relation 11', record({ id: 11 })],
      member(1, 'mysql/0'),
      member(1, 'mysql/1'),
      member(11, 'web/0'),
      ['app-settings 1 mysql', record({ version: 3 })],
    ],
    complete: true,
  });
  expect(mirror.members(1).map(({ unit }) => unit)).toEqual(['mysql/0', 'mysql/1']);
  expect(mirror.appSettings(1, 'mysql')).toMatchObject({ version: 3 });
  mirror.apply({ records: [['member 1 mysql/0', null]], complete: true });
  expect(mirror.members(1).map(({ unit }) => unit)).toEqual(['mysql/1']);
  mirror.apply({ records: [['relation 1', null]], complete: true });
  expect(mirror.members(1)).toEqual([]);
  expect(mirror.appSettings(1, 'mysql')).toBeUndefined();
  expect(mirror.members(11).map(({ unit }) => unit)).toEqual(['web/0']);
  expect(mirror.relations()).toEqual([{ id: 11 }]);
});

test('a restarted stream replaces the known records only when it is complete', () => {
  const mirror = new Mirror();
  mirror.apply({
    records: [
      ['unit web/10', record({})],
      ['unit web/9', record({})],
    ],
    complete: true,
  });
  expect(mirror.unitNames()).toEqual(['web/9', 'web/10']);
  mirror.restart();
  expect(mirror.apply({ records: [['unit web/9', record({})]], complete: false })).toBe(false);
  expect(mirror.unitNames()).toEqual(['web/9', 'web/10']);
  expect(mirror.apply({ records: [['machine', record({ life: 'dying' })]], complete: true })).toBe(true);
  expect(mirror.unitNames()).toEqual(['web/9']);
  expect(mirror.machine()).toEqual({ life: 'dying' });
});
