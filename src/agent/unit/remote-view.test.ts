import { expect, test } from 'vitest';
import type { AgentRecord, ApplicationRecord, RelationRecord, UnitRecord } from '../../wire/agent-records.ts';
import { Mirror } from '../mirror.ts';
import { defined } from '../../core/defined.ts';
import { remoteView } from './remote-view.ts';

const moment = {
  machineId: '0',
  leader: false,
  bootId: 'boot',
  charmUrl: 'local:x-0',
  charmModifiedVersion: 0,
  retryDue: false,
  updateStatusDue: false,
  deferred: new Set<number>(),
};
const application = (subordinate: boolean): ApplicationRecord => ({
  life: 'alive',
  charmUrl: 'local:x-0',
  charmSha256: '',
  charmName: 'x',
  charmModifiedVersion: 0,
  forceCharm: false,
  subordinate,
  config: {},
  configOptions: {},
  trust: false,
  exposed: false,
  endpoints: {},
  extraBindings: [],
  bindings: { '': 'alpha' },
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

test.each([
  ['a machine of a cloud without profiles', undefined, 'x-1', false],
  ['a machine that has the profile', ['x-0', 'x-1'], 'x-1', false],
  ['a machine that has that of the charm before', ['x-0'], 'x-1', true],
  ['a charm that asks for none', ['x-0'], undefined, false],
])('the profile of a charm is waited for: %s', (_, profiles, profile, away) => {
  const mirror = new Mirror();
  const records: [string, AgentRecord][] = [
    ['machine', { life: 'alive', addresses: [], availabilityZone: '', ...defined({ profiles }) }],
    ['unit logger/0', unit],
    ['application logger', { ...application(true), charmUrl: 'local:x-1', ...defined({ profile }) }],
  ];
  mirror.apply({ records, complete: true });
  expect(remoteView(mirror, 'logger/0', moment)?.profileAway).toBe(away);
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

test.each([
  ['nothing', '', false],
  ['the unit', 'unit logger/0', true],
  ['its application', 'application logger', true],
  ['its principal', 'unit web/0', true],
  ['its principal’s application', 'application web', true],
  ['its machine', 'machine', true],
  ['another unit', 'unit web/1', false],
])('the forced removal of %s counts as one of the unit: %s', (_, forcedKey, forced) => {
  const mirror = new Mirror();
  const of = (key: string, record: AgentRecord): [string, AgentRecord] => [
    key,
    key === forcedKey ? { ...record, forced: true } : record,
  ];
  const records = [
    of('unit logger/0', unit),
    of('unit web/0', { ...unit, application: 'web', principal: '' }),
    of('unit web/1', { ...unit, application: 'web', principal: '' }),
    of('application logger', application(true)),
    of('application web', application(false)),
    of('machine', { life: 'alive', addresses: [], availabilityZone: '' }),
  ];
  mirror.apply({ records, complete: true });
  expect(remoteView(mirror, 'logger/0', moment)?.forced).toBe(forced);
});

test('a relation that is removed by force is known as such', () => {
  const mirror = new Mirror();
  const records: [string, AgentRecord][] = [
    ['unit logger/0', unit],
    ['application logger', application(true)],
    ['relation 1', { ...relation(1, 'web', false), life: 'dying', forced: true }],
  ];
  mirror.apply({ records, complete: true });
  const view = remoteView(mirror, 'logger/0', moment);
  expect([view?.forced, view?.relations['1']?.forced]).toEqual([false, true]);
});

test('config-changed is due after a change of bindings, of an address’s space, and of the egress subnets', () => {
  const hash = (bindings: Record<string, string>, space: string, egressSubnets: string[]): string => {
    const mirror = new Mirror();
    const address = { value: '10.0.0.1', scope: 'local-cloud', space };
    const records: [string, AgentRecord][] = [
      ['unit logger/0', unit],
      ['application logger', { ...application(true), bindings }],
      ['machine', { life: 'alive', addresses: [address], availabilityZone: '' }],
      ['model', { egressSubnets } as AgentRecord],
    ];
    mirror.apply({ records, complete: true });
    return remoteView(mirror, 'logger/0', moment)!.configHash;
  };
  const hashes = [
    hash({ '': 'alpha' }, 'alpha', []),
    hash({ '': 'db' }, 'alpha', []),
    hash({ '': 'alpha', feed: 'db' }, 'alpha', []),
    hash({ '': 'alpha' }, 'db', []),
    hash({ '': 'alpha' }, 'alpha', ['10.0.0.0/8']),
  ];
  expect(new Set(hashes).size).toBe(hashes.length);
  expect(hash({ '': 'alpha', feed: 'alpha' }, 'alpha', [])).toBe(hashes[0]);
});
