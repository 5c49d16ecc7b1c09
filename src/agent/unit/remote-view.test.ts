import { expect, test } from 'vitest';
import type { AgentRecord, ApplicationRecord, RelationRecord, UnitRecord } from '../../wire/agent-records.ts';
import { Mirror } from '../mirror.ts';
import { remoteView } from './remote-view.ts';

const moment = {
  machineId: '0',
  leader: false,
  bootId: 'boot',
  retryDue: false,
  updateStatusDue: false,
  deferred: new Set<number>(),
};
const application = (subordinate: boolean): ApplicationRecord => ({
  life: 'alive',
  charmUrl: 'local:x-0',
  charmSha256: '',
  charmName: 'x',
  subordinate,
  config: {},
  configOptions: {},
  trust: false,
  exposed: false,
  endpoints: {},
  extraBindings: [],
  actions: {},
});
const unit: UnitRecord = {
  life: 'alive',
  application: 'logger',
  principal: 'web/0',
  subordinates: [],
  base: { name: 'ubuntu', channel: '24.04/stable' },
  charmUrl: 'local:x-0',
  resolved: '',
  deployed: true,
  ports: {},
};
const relation = (id: number, other: string, subordinate: boolean): RelationRecord => ({
  id,
  key: `logger:feed ${other}:feed`,
  life: 'alive',
  suspended: false,
  endpoints: [
    { application: 'logger', role: 'requirer' as const, subordinate: true },
    { application: other, role: 'provider' as const, subordinate },
  ].map((end) => ({ ...end, name: 'feed', interface: 'x', scope: 'container', limit: 0, optional: true })),
});

/** Relations of its application that logger/0, on web/0's machine, takes part in. */
function relationsOf(...relations: RelationRecord[]): string[] {
  const mirror = new Mirror();
  const records: [string, AgentRecord][] = [
    ['unit logger/0', unit],
    ['application logger', application(true)],
    ['application web', application(false)],
    ...relations.map((record): [string, AgentRecord] => [`relation ${record.id}`, record]),
  ];
  mirror.apply({ records, complete: true });
  return Object.keys(remoteView(mirror, 'logger/0', moment)?.relations ?? {});
}

test('a subordinate takes no part in its application’s container relations with other principals', () => {
  expect(relationsOf(relation(1, 'web', false), relation(2, 'mysql', false))).toEqual(['1']);
});

test('a subordinate takes part in container relations with other subordinates, also while none of theirs is on the machine', () => {
  expect(relationsOf(relation(1, 'monitor', true))).toEqual(['1']);
});
