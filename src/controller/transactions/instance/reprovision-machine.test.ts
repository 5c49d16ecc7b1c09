import { attachedTo, storageDoc } from '../../../testing/storage-doc.ts';
import { expect, test } from 'vitest';
import { limits } from '../../../core/limits.ts';
import { modelFixture, type ModelFixture } from '../../../testing/model-fixture.ts';
import { violations } from '../../../testing/invariants.ts';
import { provision, settle, withSubordinate } from '../../../testing/steps.ts';
import { addRelation } from '../begin/add-relation.ts';
import { destroyUnit } from '../end/destroy-unit.ts';
import { destroyMachine } from '../end/destroy-machine.ts';
import { enterScope } from '../agent/enter-scope.ts';
import { claimLeadership } from '../agent/leadership.ts';
import { renewMachine, resetMachine } from './renew-machine.ts';
import { reprovisionMachine } from './reprovision-machine.ts';
import { setStatus, type Tx } from '../tx.ts';

const loseInstance = (model: ModelFixture, id = '0'): Promise<void> =>
  model.change((tx) => setStatus(tx, 'instance', id, 'lost', 'gone'));
const reprovision = (model: ModelFixture, more: object = {}): Promise<void> =>
  model.change((tx) => reprovisionMachine(tx, { machine: '0', present: false, force: false, ...more }));
const sound = (model: ModelFixture): void => expect(violations(model.view())).toEqual([]);

/** mysql/0 on machine 0 and wordpress/0 on machine 1, related, installed and idle. */
async function related(): Promise<ModelFixture> {
  const model = await modelFixture();
  await model.deploy('mysql');
  await model.deploy('wordpress');
  for (const id of ['0', '1']) await provision(model, id);
  for (const unit of ['mysql/0', 'wordpress/0']) await settle(model, unit);
  await model.change((tx) => {
    const {
      relation: { id },
    } = addRelation(tx, { endpoints: ['wordpress', 'mysql'] });
    for (const unit of ['mysql/0', 'wordpress/0']) enterScope(tx, { unit, relation: String(id) });
  });
  return model;
}

test('a reprovisioned machine keeps its name and constraints, and nothing of its instance', async () => {
  await using model = await related();
  await model.change((tx) =>
    tx.put('machine', '0', {
      ...tx.get('machine', '0')!,
      zone: 'a',
      failedZones: ['b'],
      hostname: 'h',
      addresses: [{ value: '10.0.0.5', type: 'ipv4', scope: 'local-cloud' }],
    }),
  );
  await loseInstance(model);
  const before = model.view().get('machine', '0')!;
  await reprovision(model);
  const { nonce, passwordHash, zone, failedZones, instance, ...kept } = before;
  expect(nonce && instance && zone && failedZones, 'it had all of them').toBeTruthy();
  expect(passwordHash).toBeUndefined();
  const after = model.view().get('machine', '0');
  // The machine gets another nonce at once: should it be removed before its next start, the old nonce's instance is
  // looked for.
  expect(after?.nonce).not.toBe(nonce);
  expect(after).toEqual({
    ...kept,
    nonce: expect.any(String) as string,
    givenUp: [nonce],
    addresses: [],
    hostname: '',
  });
  expect(model.view().get('status', 'instance:0')).toMatchObject({ status: 'pending', message: '' });
  expect(model.view().get('status', 'machine-agent:0')).toMatchObject({ status: 'pending' });
  sound(model);
});

test('a machine remembers as many attempts that it gave up as its limit says, the last of them', async () => {
  await using model = await related();
  const nonces: (string | undefined)[] = [];
  for (let attempt = 0; attempt < limits.givenUpAttempts.max + 2; attempt++) {
    nonces.push(model.view().get('machine', '0')?.nonce);
    await model.change((tx) => resetMachine(tx, tx.get('machine', '0')!));
  }
  expect(model.view().get('machine', '0')?.givenUp).toEqual(nonces.slice(2));
});

test('units of a reprovisioned machine begin anew without ports or answers, but keep charm state and a lease until it expires', async () => {
  await using model = await related();
  await model.change((tx) => {
    tx.put('unit', 'mysql/0', {
      ...tx.get('unit', 'mysql/0')!,
      ports: { '': ['80/tcp'] },
      resolved: 'retry-hooks',
      workloadVersion: '8',
    });
    tx.put('unit-state', 'mysql/0', {
      unit: 'mysql/0',
      lastHook: 'h1',
      agent: { installed: true },
      charm: { seed: '42' },
    });
    setStatus(tx, 'unit-agent', 'mysql/0', 'error', 'hook failed: "install"');
    setStatus(tx, 'workload', 'mysql/0', 'active');
    claimLeadership(tx, { unit: 'mysql/0', durationMs: 60_000 });
  });
  await loseInstance(model);
  await reprovision(model);
  const view = model.view();
  expect(view.get('unit', 'mysql/0')).toMatchObject({
    life: 'alive',
    machine: '0',
    deployed: false,
    ports: {},
    resolved: '',
    workloadVersion: '',
  });
  expect(view.get('unit-state', 'mysql/0')).toEqual({
    unit: 'mysql/0',
    lastHook: '',
    agent: null,
    charm: { seed: '42' },
  });
  expect(view.get('lease', 'mysql')?.holder).toBe('mysql/0');
  expect(view.get('status', 'unit-agent:mysql/0')).toMatchObject({ status: 'allocating', message: '' });
  expect(view.get('status', 'workload:mysql/0')).toMatchObject({
    status: 'waiting',
    message: 'waiting for machine',
  });
  expect(view.get('unit', 'wordpress/0')?.deployed, 'nobody else is concerned').toBe(true);
  sound(model);
});

test('counterparts see the units of a reprovisioned machine depart and later join again', async () => {
  await using model = await related();
  const [relation] = [...model.view().find('relation', 'application', 'wordpress')];
  const id = String(relation!.id);
  const version = model.view().get('settings', `${id}#mysql/0`)!.version;
  await loseInstance(model);
  await reprovision(model);
  expect(model.view().get('scope', `${id}#mysql/0`)).toBeUndefined();
  expect(model.view().get('scope', `${id}#wordpress/0`)).toBeDefined();
  await model.change((tx) => enterScope(tx, { unit: 'mysql/0', relation: id }));
  expect(model.view().get('settings', `${id}#mysql/0`)!.version).toBe(version + 1);
  sound(model);
});

test('a subordinate stays on a reprovisioned machine, and its principal finds it', async () => {
  await using model = await modelFixture();
  await withSubordinate(model);
  await provision(model, '0');
  const relation = [...model.view().find('relation', 'application', 'logging')][0]!;
  await loseInstance(model);
  await reprovision(model);
  expect(model.view().get('unit', 'logging/0')).toMatchObject({ life: 'alive', deployed: false });
  await model.change((tx) => enterScope(tx, { unit: 'mysql/0', relation: String(relation.id) }));
  expect([...model.view().find('unit', 'application', 'logging')].map(({ name }) => name)).toEqual([
    'logging/0',
  ]);
  sound(model);
});

test('a dying unit is removed on reprovisioning, since no agent is left to end it', async () => {
  await using model = await related();
  await model.change((tx) => destroyUnit(tx, { unit: 'mysql/0' }));
  expect(model.view().get('unit', 'mysql/0')?.life).toBe('dying');
  await loseInstance(model);
  await reprovision(model);
  expect(model.view().get('unit', 'mysql/0')).toBeUndefined();
  expect(
    model.view().get('machine', '0'),
    'and the machine that was made for it is to be released, with what there may be of its instance',
  ).toMatchObject({ life: 'dead', instance: { id: 'i-0' } });
  sound(model);
});

test('the last unit of a dying relation removes it on reprovisioning', async () => {
  await using model = await related();
  const relation = [...model.view().find('relation', 'application', 'wordpress')][0]!;
  await model.change((tx) => {
    tx.put('relation', String(relation.id), { ...relation, life: 'dying', dyingSince: tx.now });
    tx.remove('scope', `${relation.id}#wordpress/0`);
  });
  await loseInstance(model);
  await reprovision(model);
  expect(model.view().get('relation', String(relation.id))).toBeUndefined();
  sound(model);
});

test('running tasks are aborted on reprovisioning, and pending tasks go on waiting', async () => {
  await using model = await related();
  const task = (status: 'pending' | 'running') => ({
    id: status,
    operation: '1',
    receiver: 'mysql/0',
    receiverKind: 'unit' as const,
    name: 'backup',
    parameters: {},
    status,
    message: '',
    output: {},
    enqueued: '2026-01-01T00:00:00.000Z',
  });
  await model.change((tx) => {
    for (const status of ['pending', 'running'] as const) tx.put('task', status, task(status));
  });
  await loseInstance(model);
  await reprovision(model);
  expect(model.view().get('task', 'pending')?.status).toBe('pending');
  expect(model.view().get('task', 'running')).toMatchObject({
    status: 'aborted',
    message: 'machine was lost',
  });
});

const change = (more: object) => (tx: Tx) => tx.put('machine', '0', { ...tx.get('machine', '0')!, ...more });
test.each([
  {
    name: 'whose agent is connected',
    args: { present: true, force: true },
    error: 'cannot reprovision machine 0: its agent is connected, so its instance is not lost',
  },
  {
    name: 'that is not known to be lost',
    before: (tx: Tx) => setStatus(tx, 'instance', '0', 'running'),
    error:
      'cannot reprovision machine 0: instance i-0 is not known to be lost (--force stops it, with all that is on its disks)',
  },
  {
    name: 'of the controller',
    before: change({ isController: true }),
    error: 'cannot reprovision machine 0: it runs the controller',
  },
  {
    name: 'that no provider started',
    before: change({
      instance: { id: 'i-0', displayName: '', hardware: {}, isolation: '', unmanaged: true },
    }),
    error: 'cannot reprovision machine 0: no provider started it',
  },
  {
    name: 'that is a container',
    before: change({ parent: '1', containerType: 'lxd' }),
    error: 'cannot reprovision machine 0: it is a container on machine 1',
  },
  {
    name: 'with containers',
    before: (tx: Tx) =>
      tx.put('machine', '0/lxd/0', { ...tx.get('machine', '0')!, id: '0/lxd/0', parent: '0' }),
    error: 'cannot reprovision machine 0: it is hosting container "0/lxd/0"',
  },
  {
    name: 'that is dying',
    before: (tx: Tx) =>
      void destroyMachine(tx, { machine: '0', force: { maxWaitMs: 60_000, by: 'u' }, keepInstance: false }),
    error: 'cannot reprovision machine 0: it is dying',
  },
  {
    name: 'with storage that outlives it',
    before: (tx: Tx) =>
      tx.put(
        'storage',
        'data/0',
        storageDoc('data/0', { ...attachedTo('mysql/0'), machine: '0', detachable: true }),
      ),
    error: 'cannot reprovision machine 0: it has storage "data/0" attached',
  },
])('reprovisioning is refused for a machine $name', async ({ before, args = {}, error }) => {
  await using model = await related();
  await loseInstance(model);
  if (before) await model.change(before);
  await expect(reprovision(model, args)).rejects.toThrow(error);
});

test('reprovisioning is refused for a machine that was never started, and one that does not exist', async () => {
  await using model = await modelFixture();
  await model.deploy('mysql');
  await expect(reprovision(model)).rejects.toThrow(
    'cannot reprovision machine 0: it has no instance yet (retry-provisioning tries a failed start again)',
  );
  await expect(reprovision(model, { machine: '7' })).rejects.toMatchObject({ code: 'not found' });
});

test('the operator declares the machine lost with force', async () => {
  await using model = await related();
  await reprovision(model, { force: true });
  expect(model.view().get('machine', '0')?.instance).toBeUndefined();
  sound(model);
});

test('storage of a machine’s own disk is made anew on the next instance, and a made volume of the cloud waits to be attached', async () => {
  await using model = await modelFixture();
  await model.deploy('mysql');
  const used = { ...attachedTo('mysql/0'), machine: '0', made: { providerId: 'v', size: 1 } };
  await model.change((tx) => {
    // An agent came on an instance that was gone before it was recorded.
    tx.put('machine', '0', { ...tx.get('machine', '0')!, ownPassword: true });
    tx.put('storage', 'data/0', storageDoc('data/0', { ...used, mounted: '/srv', problem: 'busy' }));
    tx.put('storage', 'data/1', storageDoc('data/1', { ...used, detachable: true }));
    renewMachine(tx, '0');
  });
  const { made: _, ...anew } = storageDoc('data/0', used);
  expect(model.view().get('storage', 'data/0')).toEqual(anew);
  expect(model.view().get('storage', 'data/1')).toEqual(storageDoc('data/1', { ...used, detachable: true }));
  sound(model);
});
