import { attachedTo, storageDoc } from '../../testing/storage-doc.ts';
import { expect, test } from 'vitest';
import type { ApplicationDoc } from '../application/document.ts';
import type { MachineDoc } from '../machine/document.ts';
import type { ModelDoc } from '../model/document.ts';
import type { RelationDoc } from '../relation/document.ts';
import type { UnitDoc } from '../unit/document.ts';
import { describeChange } from './describe-change.ts';
import type { HistoryEvent, PastNames } from './event.ts';
import type { PastChange } from './past-change.ts';
import { redacted } from './values.ts';

const names: PastNames = {
  relationKey: (id) => (id === '3' ? 'wordpress:db mysql:server' : undefined),
  isSecretOption: (charm, option) => (charm === 'local:gone-1' ? undefined : option === 'token'),
  isSecretModelKey: (key) => key === 'api-key',
  entityOfTag: (tag) => (tag === 'unit-mysql-0' ? { kind: 'unit', id: 'mysql/0' } : undefined),
};
const base = { name: 'ubuntu', channel: '24.04/stable' } as const;
const at = '2026-01-01T00:00:00Z';

const application: ApplicationDoc = {
  name: 'mysql',
  life: 'alive',
  charmUrl: 'local:mysql-0',
  charmOrigin: {},
  base,
  subordinate: false,
  constraints: {},
  config: {},
  trust: false,
  endpointBindings: {},
  workloadVersion: '',
  createdAt: at,
};
const unit: UnitDoc = {
  name: 'mysql/0',
  application: 'mysql',
  life: 'alive',
  charmUrl: 'local:mysql-0',
  base,
  constraints: {},
  resolved: '',
  ports: {},
  workloadVersion: '',
  deployed: false,
  createdAt: at,
};
const machine: MachineDoc = {
  id: '3',
  life: 'alive',
  base,
  constraints: {},
  addresses: [],
  hostname: '',
  removeWhenEmpty: true,
  clean: false,
  keepInstance: false,
  isController: false,
  createdAt: at,
};
const relation: RelationDoc = {
  id: 3,
  key: 'wordpress:db mysql:server',
  endpoints: [
    {
      application: 'wordpress',
      name: 'db',
      role: 'requirer',
      interface: 'mysql',
      scope: 'global',
      limit: 0,
      optional: false,
    },
    {
      application: 'mysql',
      name: 'server',
      role: 'provider',
      interface: 'mysql',
      scope: 'global',
      limit: 0,
      optional: false,
    },
  ],
  life: 'alive',
  createdAt: at,
};
const model: ModelDoc = {
  uuid: 'm',
  name: 'default',
  owner: 'admin',
  life: 'alive',
  cloud: 'aws',
  region: 'eu',
  credential: '',
  config: {},
  constraints: {},
  createdAt: at,
};
const scope = {
  relation: '3',
  unit: 'mysql/0',
  application: 'mysql',
  role: 'provider',
  container: '',
  departing: false,
} as const;
const status = {
  kind: 'workload',
  entity: 'mysql/0',
  status: 'active',
  message: 'ready',
  since: at,
} as const;
const charm = { url: 'local:mysql-1' };
const task = {
  id: '7',
  operation: '6',
  receiver: 'mysql/0',
  receiverKind: 'unit',
  name: 'backup',
  parameters: { password: 'hunter2' },
  status: 'pending',
  message: '',
  output: {},
  enqueued: at,
} as const;

const waiting = (applications: readonly string[]) => ({
  since: at,
  missing: [{ endpoint: 'db', interface: 'kv', applications }],
});

interface Row {
  readonly name: string;
  readonly kind: PastChange['kind'];
  readonly id?: string;
  readonly before?: object;
  readonly after?: object;
  readonly events: readonly string[];
}

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
    name: 'a model is created',
    kind: 'model',
    after: model,
    events: ['model: created (admin/default on aws/eu)'],
  },
];

const others: readonly Row[] = [
  {
    name: 'a status changes',
    kind: 'status',
    after: status,
    events: ['unit mysql/0: workload status active: ready'],
  },
  {
    name: 'an equal status is no event',
    kind: 'status',
    before: status,
    after: { ...status, since: 'later' },
    events: [],
  },
  { name: 'a status that goes with its entity', kind: 'status', before: status, events: [] },
  {
    name: 'a unit enters a scope',
    kind: 'scope',
    after: scope,
    events: ['unit mysql/0: entered the scope of relation 3 (wordpress:db mysql:server)'],
  },
  {
    name: 'a unit begins to leave a scope',
    kind: 'scope',
    before: scope,
    after: { ...scope, departing: true },
    events: ['unit mysql/0: is leaving relation 3 (wordpress:db mysql:server)'],
  },
  {
    name: 'a unit leaves the scope of an unknown relation',
    kind: 'scope',
    before: { ...scope, relation: '1' },
    events: ['unit mysql/0: left the scope of relation 1'],
  },
  {
    name: 'relation data is described without values',
    kind: 'settings',
    before: { relation: '3', owner: 'mysql/0', values: { user: 'a', old: 'x' }, version: 1 },
    after: { relation: '3', owner: 'mysql/0', values: { user: 'b', password: 'hunter2' }, version: 2 },
    events: [
      'unit mysql/0: data in relation 3 (wordpress:db mysql:server): set password; changed user; unset old',
    ],
  },
  {
    name: 'empty relation data is no event',
    kind: 'settings',
    after: { relation: '3', owner: 'mysql', values: {}, version: 0 },
    events: [],
  },
  {
    name: 'leader settings are described without values',
    kind: 'leader-settings',
    id: 'mysql',
    after: { application: 'mysql', values: { password: 'hunter2' }, version: 1 },
    events: ['application mysql: leader settings: set password'],
  },
  {
    name: 'one leader is followed by another',
    kind: 'lease',
    id: 'mysql',
    before: { application: 'mysql', holder: 'mysql/0', expiresAt: at },
    after: { application: 'mysql', holder: 'mysql/1', expiresAt: at },
    events: ['unit mysql/0: is no longer the leader', 'unit mysql/1: became the leader'],
  },
  {
    name: 'a renewed lease is no event',
    kind: 'lease',
    id: 'mysql',
    before: { application: 'mysql', holder: 'mysql/0', expiresAt: at },
    after: { application: 'mysql', holder: 'mysql/0', expiresAt: 'later' },
    events: [],
  },
  {
    name: 'an annotation is described without values',
    kind: 'annotation',
    id: 'unit-mysql-0',
    after: { tag: 'unit-mysql-0', values: { note: 'hunter2' } },
    events: ['unit mysql/0: annotations: set note'],
  },
  {
    name: 'a task is enqueued, without its parameters',
    kind: 'task',
    after: task,
    events: ['unit mysql/0: task 7 (backup) requested'],
  },
  {
    name: 'a task ends, without its output',
    kind: 'task',
    before: task,
    after: { ...task, status: 'completed', output: { secret: 'hunter2' } },
    events: ['unit mysql/0: task 7 (backup) completed'],
  },
  {
    name: 'a task’s log is no event',
    kind: 'task',
    before: task,
    after: { ...task, log: [] },
    events: [],
  },
  {
    name: 'a charm is added',
    kind: 'charm',
    id: 'local:mysql-1',
    after: charm,
    events: ['charm local:mysql-1: added'],
  },
  {
    name: 'an offer is created',
    kind: 'offer',
    id: 'db',
    after: { name: 'db', application: 'mysql', endpoints: [], connections: [] },
    events: ['application mysql: offer db made'],
  },
  {
    name: 'access to the model is granted',
    kind: 'access',
    after: { user: 'bob', model: 'm', access: 'read' },
    events: ['model: user bob has read access'],
  },
  {
    name: 'access to the model is revoked',
    kind: 'access',
    before: { user: 'bob', model: 'm', access: 'read' },
    events: ['model: user bob no longer has access'],
  },
  {
    name: 'an agent’s own state is no event',
    kind: 'unit-state',
    after: { unit: 'mysql/0', lastHook: '', agent: { secret: 'hunter2' }, charm: { password: 'hunter2' } },
    events: [],
  },
  { name: 'a number is taken', kind: 'sequence', after: { name: 'unit mysql', next: 1 }, events: [] },
  {
    name: 'an operation is described by its tasks',
    kind: 'operation',
    after: { id: '6', summary: 'hunter2' },
    events: [],
  },
  { name: 'a user is in no model’s history', kind: 'user', after: { passwordHash: 'hunter2' }, events: [] },
  { name: 'nor a credential', kind: 'credential', after: { attributes: { key: 'hunter2' } }, events: [] },
  { name: 'nor the controller', kind: 'controller', after: { config: { key: 'hunter2' } }, events: [] },
];

test.each([...living, ...others])('$name', ({ kind, id = 'id', before, after, events }) => {
  const described = describeChange({ kind, id, before, after } as PastChange, names);
  expect(described.map(text)).toEqual(events);
  expect(JSON.stringify(described)).not.toContain('hunter');
});

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

function text({ subject, what, detail }: HistoryEvent): string {
  return `${subject}: ${what}${detail === '' ? '' : ` ${detail}`}`;
}
