import { expect, test } from 'vitest';
import {
  application,
  at,
  describeRows,
  machine,
  model,
  names,
  relation,
  type Row,
  scope,
  status,
  unit,
  waiting,
} from '../../testing/history-rows.ts';
import { attachedTo, storageDoc } from '../../testing/storage-doc.ts';
import { describeChange } from './describe-change.ts';
import type { PastChange } from './past-change.ts';
import { redacted } from './values.ts';

const restored = { id: 'r1', at: '', backup: '2026-11-29T13:58:23Z', state: 'held' } as const;

const living: readonly Row[] = [
  {
    name: 'an application is created',
    kind: 'application',
    after: {
      ...application,
      config: { port: 80, token: 'hunter2' },
      constraints: { mem: 1024 },
      trust: true,
    },
    events: [
      `application mysql: created (charm local:mysql-0 on ubuntu@24.04, constraints "mem=1024M", config port set to 80, config token set to ${redacted}, trusted)`,
    ],
  },
  {
    name: 'a life advances',
    kind: 'unit',
    before: unit,
    after: { ...unit, life: 'dying', dyingSince: at },
    events: ['unit mysql/0: life alive -> dying'],
  },
  {
    name: 'a forced removal has a deadline',
    kind: 'unit',
    before: unit,
    after: { ...unit, life: 'dying', force: { deadline: '2026-01-01T00:01:00Z', by: 'user-admin' } },
    events: [
      'unit mysql/0: life alive -> dying',
      'unit mysql/0: forced: what is left of it is removed at 2026-01-01T00:01:00Z',
    ],
  },
  { name: 'what is removed', kind: 'machine', before: machine, events: ['machine 3: removed'] },
  {
    name: 'a relation is named by its ends',
    kind: 'relation',
    after: relation,
    events: ['relation 3 (wordpress:db mysql:server): created'],
  },
  {
    name: 'configuration is set, changed and unset',
    kind: 'application',
    before: { ...application, config: { port: 80, old: 'a b' } },
    after: { ...application, config: { port: 8080, debug: true } },
    events: [
      'application mysql: config debug set to true',
      'application mysql: config old "a b" unset',
      'application mysql: config port 80 -> 8080',
    ],
  },
  {
    name: 'a secret option is only shown as changed',
    kind: 'application',
    before: { ...application, config: { token: 'hunter1' } },
    after: { ...application, config: { token: 'hunter2' } },
    events: [`application mysql: config token changed (${redacted})`],
  },
  {
    name: 'an option of an unknown charm is treated as a secret',
    kind: 'application',
    before: { ...application, charmUrl: 'local:gone-1', config: { port: 'hunter1' } },
    after: { ...application, config: {} },
    events: [
      'application mysql: charm local:gone-1 -> local:mysql-0',
      `application mysql: config port ${redacted} unset`,
    ],
  },
  {
    name: 'exposure, trust, constraints and bindings change',
    kind: 'application',
    before: application,
    after: {
      ...application,
      trust: true,
      constraints: { cores: 2 },
      exposed: { '': { cidrs: [], spaces: [] } },
      endpointBindings: { db: 'alpha' },
      storage: { data: { pool: 'rootfs', provider: 'rootfs', detachable: false, size: 1024, count: 1 } },
    },
    events: [
      'application mysql: constraints none -> cores=2',
      'application mysql: trusted',
      'application mysql: exposed: all',
      'application mysql: endpoint bindings: set db',
      'application mysql: storage of new units: set data',
    ],
  },
  {
    name: 'a unit is created on a machine, or beside its principal',
    kind: 'unit',
    after: { ...unit, machine: '3', principal: 'wordpress/1' },
    events: ['unit mysql/0: created beside unit wordpress/1 on machine 3'],
  },
  {
    name: 'a pending application is created with required endpoints',
    kind: 'application',
    after: { ...application, require: ['db'], pending: waiting([]) },
    events: [
      'application mysql: created (charm local:mysql-0 on ubuntu@24.04, requires db, waits for relations: db (kv))',
    ],
  },
  {
    name: 'an application becomes pending',
    kind: 'application',
    before: application,
    after: { ...application, pending: waiting([]) },
    events: ['application mysql: waits for relations: db (kv)'],
  },
  {
    name: 'an application waits for other requirements',
    kind: 'application',
    before: { ...application, pending: waiting([]) },
    after: { ...application, pending: waiting(['redis']) },
    events: ['application mysql: waits for applications: redis (db)'],
  },
  {
    name: 'an application is no longer pending',
    kind: 'application',
    before: { ...application, pending: waiting(['redis']) },
    after: application,
    events: ['application mysql: requirements met'],
  },
  {
    name: 'a pending application becomes dying',
    kind: 'application',
    before: { ...application, pending: waiting([]) },
    after: { ...application, life: 'dying', dyingSince: at },
    events: ['application mysql: life alive -> dying'],
  },
  {
    name: 'a waiting unit is placed',
    kind: 'unit',
    before: { ...unit, unplaced: { problem: 'machine 3 not found' } },
    after: { ...unit, machine: '3' },
    events: ['unit mysql/0: placed on machine 3'],
  },
  {
    name: 'a unit cannot be placed',
    kind: 'unit',
    before: { ...unit, unplaced: {} },
    after: { ...unit, unplaced: { problem: 'machine 3 not found' } },
    events: ['unit mysql/0: cannot be placed: machine 3 not found'],
  },
  {
    name: 'a unit is placed, started and resolved, and opens ports',
    kind: 'unit',
    before: { ...unit, ports: { '': ['80/tcp'] } },
    after: {
      ...unit,
      machine: '3',
      deployed: true,
      resolved: 'retry-hooks',
      ports: { '': ['443/tcp'] },
      workloadVersion: '8',
    },
    events: [
      'unit mysql/0: placed on machine 3',
      'unit mysql/0: resolved, the failed hook is to be run again',
      'unit mysql/0: opened 443/tcp',
      'unit mysql/0: closed 80/tcp',
      'unit mysql/0: workload version none -> 8',
      'unit mysql/0: agent started',
    ],
  },
  {
    name: 'an instance is started, without the agent’s secret',
    kind: 'machine',
    before: machine,
    after: { ...machine, nonce: 'n', passwordHash: 'hunter2' },
    events: ['machine 3: an instance is requested'],
  },
  {
    name: 'a machine without an ssh server tells of no host keys',
    kind: 'machine',
    before: machine,
    after: { ...machine, hostKeys: [] },
    events: [],
  },
  {
    name: 'a machine has other host keys',
    kind: 'machine',
    before: { ...machine, hostKeys: ['ssh-ed25519 AAAA'] },
    after: { ...machine, hostKeys: [] },
    events: ['machine 3: host keys none'],
  },
  {
    name: 'an agent has another program',
    kind: 'machine',
    before: { ...machine, program: { build: 'a'.repeat(64) } },
    after: { ...machine, program: { build: 'b'.repeat(64) } },
    events: ['machine 3: program of its agent aaaaaaaaaaaa -> bbbbbbbbbbbb'],
  },
  {
    name: 'an agent went back to its program',
    kind: 'machine',
    before: { ...machine, program: { build: 'a'.repeat(64) } },
    after: {
      ...machine,
      program: { build: 'a'.repeat(64), failed: { build: 'b'.repeat(64), attempt: 0, message: 'it hangs' } },
    },
    events: ['machine 3: its agent keeps program aaaaaaaaaaaa: bbbbbbbbbbbb did not come up: it hangs'],
  },
  {
    name: 'a model has another program for its agents',
    kind: 'model',
    before: { ...model, program: { build: 'a'.repeat(64), version: '3.6.27' } },
    after: { ...model, program: { build: 'b'.repeat(64), version: '3.6.28' } },
    events: ['model: program of agents aaaaaaaaaaaa -> bbbbbbbbbbbb'],
  },
  {
    name: 'an instance is recorded with its addresses',
    kind: 'machine',
    before: { ...machine, nonce: 'n' },
    after: {
      ...machine,
      nonce: 'n',
      instance: { id: 'i-1', displayName: 'juju-3', hardware: {}, isolation: '' },
      hostname: 'juju-3',
      addresses: [{ value: '10.0.0.1', type: 'ipv4', scope: 'local-cloud' }],
    },
    events: [
      'machine 3: instance juju-3 started',
      'machine 3: hostname juju-3',
      'machine 3: addresses 10.0.0.1',
    ],
  },
  {
    name: 'a model is configured',
    kind: 'model',
    before: model,
    after: {
      ...model,
      config: { 'api-key': 'hunter2', 'default-base': 'ubuntu@24.04' },
      keptInstances: ['i-9'],
    },
    events: [
      `model: config api-key set to ${redacted}`,
      'model: config default-base set to ubuntu@24.04',
      'model: instance i-9 is left running',
    ],
  },
  {
    name: 'a model is restored from a backup',
    kind: 'model',
    before: { ...model, restored: { ...restored, id: 'r0', state: 'keep' } },
    after: { ...model, restored },
    events: ['model: restored from the backup of 2026-11-29T13:58:23Z, hooks wait'],
  },
  {
    name: 'the restore of a model is accepted',
    kind: 'model',
    before: { ...model, restored },
    after: { ...model, restored: { ...restored, accepting: 'rerun' } },
    events: ['model: restore accepted with --hooks rerun'],
  },
  {
    name: 'an accepted restore is over',
    kind: 'model',
    before: { ...model, restored: { ...restored, accepting: 'rerun' } },
    after: { ...model, restored: { ...restored, state: 'rerun' } },
    events: [],
  },
  {
    name: 'a model is created',
    kind: 'model',
    after: model,
    events: ['model: created (admin/default on aws/eu)'],
  },
];

describeRows(living);

test.each([
  [
    'a unit’s creation is in the history of its application, machine and principal',
    'unit',
    undefined,
    { ...unit, machine: '3', principal: 'web/1' },
    ['unit mysql/0', 'application mysql', 'machine 3', 'unit web/1'],
  ],
  [
    'a unit’s ports are only in its own history',
    'unit',
    unit,
    { ...unit, ports: { '': ['80/tcp'] } },
    ['unit mysql/0'],
  ],
  [
    'a relation is in the history of its applications',
    'relation',
    undefined,
    relation,
    ['relation 3', 'application wordpress', 'application mysql'],
  ],
  [
    'a scope is in the history of its unit and relation',
    'scope',
    undefined,
    scope,
    ['unit mysql/0', 'relation 3'],
  ],
  [
    'a leader is in the history of its application',
    'lease',
    undefined,
    { holder: 'mysql/0' },
    ['unit mysql/0', 'application id'],
  ],
  [
    'a storage is in the history of its unit and machine',
    'storage',
    undefined,
    storageDoc('data/0', { ...attachedTo('mysql/0'), machine: '3' }),
    ['unit mysql/0', 'machine 3'],
  ],
  [
    'a container is in the history of its host',
    'machine',
    undefined,
    { ...machine, id: '3/lxd/0', parent: '3' },
    ['machine 3/lxd/0', 'machine 3'],
  ],
] as const)('%s', (_, kind, before, after, about) => {
  const [event] = describeChange({ kind, id: 'id', before, after } as unknown as PastChange, names);
  expect(event?.about.map((one) => `${one.kind} ${one.id}`)).toEqual(about);
});

test.each([
  ['executing', 'idle', 'agent-status'],
  ['executing', 'error', undefined],
  ['error', 'idle', 'status'],
])('the change of a unit’s agent from %s to %s is reported as %s', (from, to, report) => {
  const of = (name: string): object => ({ ...status, kind: 'unit-agent', status: name });
  const [event] = describeChange(
    { kind: 'status', id: 'x', before: of(from), after: of(to) } as unknown as PastChange,
    names,
  );
  expect(event?.report).toBe(report);
});
