/** Tests of what a machine's agent can and cannot access. */
import { storageStatus } from '../../../core/storage/status.ts';
import { expect, test } from 'vitest';
import { limits } from '../../../core/limits.ts';
import { createCallers, type Callers } from '../../../testing/call.ts';
import { attachedTo, storageDoc } from '../../../testing/storage-doc.ts';
import { machineAgent as spec } from '../../../wire/facades/machine-agent.ts';
import { hashSecret } from '../../passwords.ts';
import { addRelation } from '../../transactions/begin/add-relation.ts';
import { addUnits } from '../../transactions/begin/add-units.ts';
import { deployApplication } from '../../transactions/begin/deploy-application.ts';
import { beginRestore } from '../../transactions/change/restore.ts';
import { destroyRelation } from '../../transactions/end/destroy-relation.ts';
import { enqueueTasks } from '../../transactions/begin/enqueue-tasks.ts';
import { enterScope } from '../../transactions/agent/enter-scope.ts';
import { claimLeadership } from '../../transactions/agent/leadership.ts';
import { setDatabag } from '../../transactions/agent/set-databag.ts';
import { unitDeployed } from '../../transactions/agent/unit-agent.ts';

const base = { name: 'ubuntu', channel: '24.04/stable' };

/** web/0 and web/1 on machines 0 and 1, each with a subordinate log/N, and tasks 2 and 3 for them. */
async function bench(): Promise<{ callers: Callers; relation: number }> {
  const callers = await createCallers();
  const web = await callers.addCharm('web', {});
  const log = await callers.addCharm('log', {
    subordinate: true,
    requires: { info: { interface: 'juju-info', scope: 'container' } },
  });
  const relation = await callers.change((tx) => {
    const common = {
      charmOrigin: { source: 'local' },
      base,
      constraints: {},
      placement: [],
      config: {},
      trust: false,
      endpointBindings: {},
    };
    deployApplication(tx, { ...common, name: 'web', charmUrl: web, numUnits: 2 });
    deployApplication(tx, { ...common, name: 'log', charmUrl: log, numUnits: 0 });
    const {
      relation: { id },
    } = addRelation(tx, { endpoints: ['log', 'web'] });
    for (const unit of ['web/0', 'log/0', 'web/1', 'log/1']) {
      unitDeployed(tx, unit);
      enterScope(tx, { unit, relation: String(id) });
      setDatabag(tx, String(id), unit, { secret: unit });
    }
    const action = { name: 'juju-exec', parameters: {} };
    enqueueTasks(tx, {
      summary: '',
      receivers: ['web/0', 'web/1'].map((name) => ({ kind: 'unit' as const, name, action })),
    });
    return id;
  });
  return { callers, relation };
}

const as = { as: { kind: 'machine' as const, machine: '0' } };
const denied = { code: 'unauthorized access' };

/** Further parameters of each method that names a unit. */
const params: Record<string, object> = {
  SetStatus: { kind: 'workload', status: 'active', message: '' },
  CloudSpec: {},
  ApplicationStatus: {},
  UnitDeployed: {},
  RenewUnit: {},
  SaveState: { agentState: {} },
  KeepState: { restore: 'r', agentState: {}, charmState: {} },
  CommitHook: { hookId: 'h', relationSettings: [], openPorts: [], closePorts: [], agentState: {} },
  SetUnitCharm: { charmUrl: 'local:web-0' },
  ClearResolved: {},
  ChangePayload: { class: 'web', id: 'c1', change: { kind: 'unregister' } },
  SetWorkloadVersion: { version: '1' },
  EnterScope: { relation: 0 },
  PrepareLeaveScope: { relation: 0 },
  LeaveScope: { relation: 0 },
  RelationSettings: { relation: 0, owner: 'web/1' },
  ClaimLeadership: { durationMs: 60_000 },
  LeaderSettings: {},
  NewSecretIds: { count: 1 },
  SecretContent: { id: '', label: 'x', peek: false, refresh: false },
  OwnSecrets: { id: '', label: '' },
  SetLeaderSettings: { values: {} },
  GoalState: {},
  ResourceInfo: { name: 'blob' },
  ResourceProvided: { name: 'blob', fingerprint: '' },
  ReleaseStorage: { storage: 'data/0' },
  DestroyUnit: {},
  DestroySubordinates: {},
  UnitDead: {},
  RemoveUnit: {},
};
/** Methods that name no unit, or are tested below. */
const otherMethods = [
  'Watch',
  'Started',
  'SetPassword',
  'UnknownUnits',
  'MachineDead',
  'StartTask',
  'LogTask',
  'FinishTask',
  'Log',
];
/** Method that migration-faults.test.ts tests. */
const ofMigrations = ['MigrationTried'];
/** Methods that containers.test.ts tests. */
const ofContainers = [
  'PrepareContainers',
  'ContainerStarted',
  'ContainerFailed',
  'ContainerStatus',
  'ContainersEnded',
  'ContainersSeen',
  'ContainersUnreleased',
];

/** Reports about storage: method → further parameters. */
const ofStorage: Record<string, object> = {
  StorageMade: { size: 1 },
  StorageMounted: { path: '/srv' },
  StorageUnmounted: {},
  StorageDestroyed: {},
  StorageFailed: { message: 'full' },
};

test('this file tests each method of the facade', () => {
  const tested = [
    ...Object.keys(params),
    ...Object.keys(ofStorage),
    ...otherMethods,
    ...ofMigrations,
    ...ofContainers,
  ];
  expect(tested.sort()).toEqual(Object.keys(spec.methods).sort());
});

test.each(Object.entries(params))(
  '%s is refused for a unit of another machine, and changes nothing',
  async (method, params) => {
    const { callers } = await bench();
    await using _ = callers;
    const before = callers.store.read().revision;
    for (const unit of ['web/1', 'log/1'])
      await expect(callers.call('MachineAgent', method, { unit, ...params }, as)).rejects.toMatchObject(
        denied,
      );
    expect(callers.store.read().revision).toBe(before);
  },
);

test.each(Object.entries(ofStorage))(
  '%s changes nothing about storage on another machine',
  async (method, params) => {
    const { callers } = await bench();
    await using _ = callers;
    const doc = storageDoc('data/0', { ...attachedTo('web/1'), machine: '1' });
    await callers.change((tx) => tx.put('storage', doc.id, doc));
    await callers.call('MachineAgent', method, { storage: 'data/0', ...params }, as);
    expect(callers.view().get('storage', 'data/0')).toEqual(doc);
  },
);

test('a failed step of storage is shown with its next attempt, until it is done', async () => {
  const { callers } = await bench();
  await using _ = callers;
  await callers.change((tx) =>
    tx.put('storage', 'data/0', storageDoc('data/0', { ...attachedTo('web/0'), machine: '0' })),
  );
  const report = (method: string, more: object): Promise<unknown> =>
    callers.call('MachineAgent', method, { storage: 'data/0', ...more }, as);
  const shown = () => storageStatus(callers.view().get('storage', 'data/0')!);
  await report('StorageFailed', { message: 'full', retry: { attempt: 1, at: '2026-01-01T01:00:30.000Z' } });
  const { since } = shown();
  const next = '2026-01-01T01:02:30.000Z';
  await report('StorageFailed', { message: 'full', retry: { attempt: 2, at: next } });
  expect(shown()).toEqual({
    status: 'pending',
    message: 'attempt 2 failed, next at 01:02:30Z: full',
    data: { next },
    since,
  });
  await report('StorageMade', { size: 1 });
  expect(shown()).toMatchObject({ status: 'attaching', message: '' });
});

test.each([
  ['StorageMounted', { path: 'x'.repeat(limits.storagePath.max + 1) }, 'exceed the limit'],
  ['StorageMade', { size: -1 }, 'size'],
  ['StorageMade', { size: 1e300 }, 'size'],
  ['StorageMade', { size: 0.5 }, 'size'],
])('%s refuses what no machine has', async (method, params, why) => {
  const { callers } = await bench();
  await using _ = callers;
  const doc = storageDoc('data/0', { ...attachedTo('web/0'), machine: '0' });
  await callers.change((tx) => tx.put('storage', doc.id, doc));
  await expect(callers.call('MachineAgent', method, { storage: 'data/0', ...params }, as)).rejects.toThrow(
    why,
  );
  expect(callers.view().get('storage', 'data/0')).toEqual(doc);
});

test("a machine's agent chooses its password", async () => {
  const { callers } = await bench();
  await using _ = callers;
  const password = 'what nobody else knows of it';
  const hashOf = (id: string): string | undefined => callers.view().get('machine', id)!.passwordHash;
  const otherHash = hashOf('1');
  const chosen = callers.call('MachineAgent', 'SetPassword', { password }, as);
  // The same start may create another instance.
  await expect(chosen).rejects.toMatchObject({ code: 'try again' });
  await callers.change((tx) =>
    tx.put('machine', '0', {
      ...tx.get('machine', '0')!,
      instance: { id: 'i-0', displayName: '', hardware: {}, isolation: '' },
    }),
  );
  await callers.call('MachineAgent', 'SetPassword', { password }, as);
  expect(callers.view().get('machine', '0')).toMatchObject({
    passwordHash: hashSecret(password),
    ownPassword: true,
  });
  expect(hashOf('1')).toBe(otherHash);
});

test('tasks and log lines of others are refused', async () => {
  const { callers } = await bench();
  await using _ = callers;
  const task = [...callers.view().find('task', 'receiver', 'web/1')][0]!;
  await expect(callers.call('MachineAgent', 'StartTask', { id: task.id }, as)).rejects.toMatchObject(denied);
  await expect(
    callers.call('MachineAgent', 'LogTask', { id: task.id, message: 'm' }, as),
  ).rejects.toMatchObject(denied);
  await expect(
    callers.call(
      'MachineAgent',
      'FinishTask',
      { id: task.id, status: 'completed', message: '', output: {} },
      as,
    ),
  ).rejects.toMatchObject(denied);
  const line = { time: '2026-01-01T00:00:00Z', level: 'INFO', module: 'm', message: 'm' };
  for (const entity of ['unit-web-1', 'unit-web-77', 'unit-nobody-0', 'machine-1', 'user-admin'])
    await expect(
      callers.call('MachineAgent', 'Log', { records: [{ entity, ...line }] }, as),
    ).rejects.toMatchObject(denied);
});

test.each([
  { level: 'LOUD' },
  { level: '\u001B[2J' },
  { time: 'yesterday' },
  { time: '2026-01-01T00:00:00Z\n2026-01-01' },
])('a log line with %j is refused', async (odd) => {
  const { callers } = await bench();
  await using _ = callers;
  const line = {
    entity: 'unit-web-0',
    time: '2026-01-01T00:00:00Z',
    level: 'INFO',
    module: 'm',
    message: 'm',
  };
  const log = (record: object): Promise<unknown> =>
    callers.call('MachineAgent', 'Log', { records: [record] }, as);
  await log(line);
  await expect(log({ ...line, ...odd })).rejects.toMatchObject({ code: 'bad request' });
  expect(callers.logged).toHaveLength(1);
});

test('the last lines of a removed unit are accepted from its former machine, and from no other', async () => {
  const { callers } = await bench();
  await using _ = callers;
  const line = { time: '2026-01-01T00:00:00Z', level: 'INFO', module: 'm', message: 'm' };
  for (const name of ['web/0', 'web/1']) await callers.change((tx) => tx.remove('unit', name));
  const log = (entity: string): Promise<unknown> =>
    callers.call('MachineAgent', 'Log', { records: [{ entity, ...line }] }, as);
  await log('unit-web-0');
  await expect(log('unit-web-1')).rejects.toMatchObject(denied);
});

test('a task reports its progress while it runs', async () => {
  const { callers } = await bench();
  await using _ = callers;
  const { id } = [...callers.view().find('task', 'receiver', 'web/0')][0]!;
  const log = (message: string) => callers.call('MachineAgent', 'LogTask', { id, message }, as);
  await expect(log('early')).rejects.toThrow(`cannot log message to task "${id}" with status pending`);
  await callers.call('MachineAgent', 'StartTask', { id }, as);
  await log('one');
  callers.advance(1000);
  await log('two');
  await callers.call('MachineAgent', 'FinishTask', { id, status: 'completed', message: '', output: {} }, as);
  await expect(log('late')).rejects.toThrow('with status completed');
  expect(callers.view().get('task', id)).toMatchObject({
    status: 'completed',
    log: [
      { timestamp: '2026-01-01T00:00:00.000Z', message: 'one' },
      { timestamp: '2026-01-01T00:00:01.000Z', message: 'two' },
    ],
  });
});

test('the agent of a removed machine is refused', async () => {
  const { callers } = await bench();
  await using _ = callers;
  const gone = { as: { kind: 'machine' as const, machine: '7' } };
  const line = { time: '2026-01-01T00:00:00Z', level: 'INFO', module: 'm', message: 'm' };
  await expect(
    callers.call('MachineAgent', 'Log', { records: [{ entity: 'machine-7', ...line }] }, gone),
  ).rejects.toMatchObject(denied);
});

test('a unit in a container relation reads what is in its own container only', async () => {
  const { callers, relation } = await bench();
  await using _ = callers;
  const read = (unit: string, owner: string): Promise<unknown> =>
    callers.call('MachineAgent', 'RelationSettings', { unit, relation, owner }, as);
  expect(await read('web/0', 'log/0')).toMatchObject({ values: { secret: 'log/0' } });
  expect(await read('log/0', 'web/0')).toMatchObject({ values: { secret: 'web/0' } });
  await expect(read('web/0', 'log/1')).rejects.toMatchObject(denied);
  await expect(read('log/0', 'web/1')).rejects.toMatchObject(denied);
});

test('the databag of a unit that a restored model does not know is empty, and not an error of the hooks that read it', async () => {
  const { callers, relation } = await bench();
  await using _ = callers;
  const read = (owner: string): Promise<unknown> =>
    callers.call('MachineAgent', 'RelationSettings', { unit: 'web/0', relation, owner }, as);
  await expect(read('log/9')).rejects.toMatchObject({ code: 'not found' });
  const restore = { id: 'r-1', backup: '2026-01-01T00:00:00Z', at: '2026-01-02T00:00:00Z' };
  await callers.change((tx) => beginRestore(tx.in(''), restore));
  expect(await read('log/9')).toEqual({ values: {} });
  await expect(read('log/1')).rejects.toMatchObject(denied);
});

test('a subordinate has no part in its application’s relation with another principal', async () => {
  const { callers } = await bench();
  await using _ = callers;
  const {
    relation: { id },
  } = await callers.change((tx) => {
    const { after: _, ...web } = tx.get('application', 'web')!;
    deployApplication(tx, { ...web, name: 'db', numUnits: 0, placement: [], force: false });
    addUnits(tx, { application: 'db', count: 1, placement: [] });
    claimLeadership(tx, { unit: 'log/0', durationMs: 60_000 });
    return addRelation(tx, { endpoints: ['log', 'db'] });
  });
  const unit = 'log/0';
  await expect(
    callers.call('MachineAgent', 'RelationSettings', { unit, relation: id, owner: 'db' }, as),
  ).rejects.toMatchObject(denied);
  await expect(callers.call('MachineAgent', 'EnterScope', { unit, relation: id }, as)).rejects.toMatchObject({
    code: 'cannot enter scope',
  });
  const relationSettings = [{ relation: id, app: true, set: { a: 'b' } }];
  await expect(
    callers.call('MachineAgent', 'CommitHook', { unit, ...params['CommitHook'], relationSettings }, as),
  ).rejects.toMatchObject(denied);
});

test('a hook that wrote to a relation which has been removed since is committed once', async () => {
  const { callers, relation } = await bench();
  await using _ = callers;
  await callers.change((tx) => destroyRelation(tx, { id: relation, force: { maxWaitMs: 0, by: 'test' } }));
  const commit = {
    ...params['CommitHook'],
    unit: 'web/0',
    relationSettings: [{ relation, app: false, set: { a: 'b' } }],
    openPorts: [{ endpoint: '', range: '80/tcp' }],
  };
  await callers.call('MachineAgent', 'CommitHook', commit, as);
  expect(callers.view().get('unit', 'web/0')?.ports).toEqual({ '': ['80/tcp'] });
  const { revision } = callers.store.read();
  await callers.call('MachineAgent', 'CommitHook', commit, as);
  expect(callers.store.read().revision).toBe(revision);
  expect(callers.view().count('settings', 'relation', String(relation))).toBe(0);
});

test('a unit that asks to be destroyed without a reason stays alive', async () => {
  const { callers, relation } = await bench();
  await using _ = callers;
  const destroy = (unit: string): Promise<unknown> =>
    callers.call('MachineAgent', 'DestroyUnit', { unit }, as);
  const life = (unit: string): string | undefined => callers.view().get('unit', unit)?.life;
  await destroy('web/0');
  await destroy('log/0');
  expect([life('web/0'), life('log/0')]).toEqual(['alive', 'alive']);
  await callers.change((tx) => destroyRelation(tx, { id: relation }));
  await destroy('web/0');
  await destroy('log/0');
  expect([life('web/0'), life('log/0')]).toEqual(['alive', 'dying']);
});

test("CloudSpec gives a trusted application's units the model's credential in clear, and others nothing", async () => {
  const { callers } = await bench();
  await using _ = callers;
  const cloudSpec = () => callers.call('MachineAgent', 'CloudSpec', { unit: 'web/0' }, as);
  await expect(cloudSpec()).rejects.toMatchObject(denied);

  const secret = callers.context.services.sealer.seal('the secret');
  await callers.store.change((root) => {
    const { model } = callers;
    const doc = root.get('model', model)!;
    const id = `${doc.cloud}_admin_mine`;
    root.put('credential', id, {
      cloud: doc.cloud,
      owner: 'admin',
      name: 'mine',
      authType: 'access-key',
      attributes: { id: 'me', key: secret },
    });
    root.put('model', model, { ...doc, credential: id });
    const tx = root.in(model);
    tx.put('application', 'web', { ...tx.get('application', 'web')!, trust: true });
  }, 'test');
  expect(await cloudSpec()).toMatchObject({
    type: 'test',
    credential: { 'auth-type': 'access-key', attrs: { id: 'me', key: 'the secret' } },
  });
});
