import { expect, test } from 'vitest';
import { impediments, isImpeded } from '../core/impediments.ts';
import type { AgentRecord, UnitRecord } from '../wire/agent-records.ts';
import { Mirror } from './mirror.ts';
import { mirrorRefs } from './mirror-refs.ts';

const unit = (more: Partial<UnitRecord> = {}): UnitRecord => ({
  life: 'dying',
  application: 'mysql',
  principal: '',
  subordinates: [],
  base: { name: 'ubuntu', channel: '24.04/stable' },
  charmUrl: 'local:mysql-0',
  resolved: '',
  deployed: true,
  ports: {},
  ...more,
});
const member = (relation: number, name: string): [string, AgentRecord] => [
  `member ${relation} ${name}`,
  { relation, unit: name, application: 'mysql', version: 1, container: '', departing: false },
];

function textsOf(kind: 'machine' | 'unit', id: string, records: [string, AgentRecord][]): string[] {
  const mirror = new Mirror();
  mirror.apply({ records, complete: true });
  const refs = mirrorRefs(mirror, '0');
  const found = impediments({ kind, id }, refs);
  expect(isImpeded({ kind, id }, refs)).toBe(found.length > 0);
  return found.map(({ text }) => text);
}

test('the containers on a machine impede its removal', () => {
  const texts = textsOf('machine', '0', [
    ['machine', { life: 'dying', addresses: [], availabilityZone: '' }],
    ['container 0/lxd/0', { id: '0/lxd/0', life: 'dead' }],
  ]);
  expect(texts).toEqual(['machine 0 is hosting container "0/lxd/0"']);
});

test("an agent's mirror shows what impedes the removal of its unit", () => {
  const relation: [string, AgentRecord] = [
    'relation 7',
    { id: 7, key: 'wordpress:db mysql:server', life: 'dying', suspended: false, endpoints: [] },
  ];
  const records: [string, AgentRecord][] = [
    ['unit mysql/0', unit({ subordinates: ['logging/0'] })],
    ['unit logging/0', unit({ application: 'logging', principal: 'mysql/0' })],
    ['unit other/0', unit({ application: 'other' })],
    relation,
    member(7, 'mysql/0'),
    member(7, 'wordpress/0'),
  ];
  expect(textsOf('unit', 'mysql/0', records)).toEqual([
    'unit "mysql/0" has subordinate "logging/0"',
    'unit "mysql/0" is in the scope of relation "wordpress:db mysql:server"',
  ]);
  expect(textsOf('unit', 'logging/0', records)).toEqual([]);
});

test("an agent's mirror shows what impedes the removal of its machine", () => {
  const machine: [string, AgentRecord] = ['machine', { life: 'dying', addresses: [], availabilityZone: '' }];
  expect(textsOf('machine', '0', [machine, ['unit mysql/0', unit()]])).toEqual([
    'machine 0 has unit "mysql/0" assigned',
  ]);
  expect(textsOf('machine', '0', [machine])).toEqual([]);
});
