import { createSecretKey } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { indexes } from '../../core/documents.ts';
import { JujuError } from '../../core/errors.ts';
import { modelFixture, type ModelFixture } from '../../testing/model-fixture.ts';
import type { AgentRecord, TaskRecord } from '../../wire/agent-records.ts';
import type { News } from '../../wire/facades/agent-watcher.ts';
import { addRelation } from '../transactions/begin/add-relation.ts';
import { destroyRelation } from '../transactions/end/destroy-relation.ts';
import { destroyUnit } from '../transactions/end/destroy-unit.ts';
import { enterScope } from '../transactions/agent/enter-scope.ts';
import { setApplicationConfig } from '../transactions/set/set-application-config.ts';
import { addUnits } from '../transactions/begin/add-units.ts';
import { leaveScope } from '../transactions/end/leave-scope.ts';
import { agentStarted } from '../transactions/agent/agent-started.ts';
import { createSpace } from '../transactions/begin/create-space.ts';
import { mergeBindings } from '../transactions/set/merge-bindings.ts';
import { moveSubnets } from '../transactions/set/move-subnets.ts';
import { setDatabag } from '../transactions/agent/set-databag.ts';
import { setStatus } from '../transactions/tx.ts';
import { setWorkloadVersion, unitDeployed } from '../transactions/agent/unit-agent.ts';
import { testSecrets } from '../../testing/secrets.ts';
import { createSealer } from '../sealer.ts';
import { createAgentWatcher } from './agent-watcher.ts';
import { createDispatch } from './dispatch.ts';

/** Streams of some machines of a model, and what their agents know from them. */
class Streams {
  readonly #dispatch;
  readonly watchers = new Map<string, ReturnType<typeof createAgentWatcher>>();
  readonly known = new Map<string, Map<string, AgentRecord>>();
  readonly #told = new Map<string, string[]>();

  constructor(model: ModelFixture, ...machines: string[]) {
    const { store, uuid: modelUuid } = model;
    const dispatch = (this.#dispatch = createDispatch(store, indexes));
    const services = { ...testSecrets(store), dispatch };
    for (const machine of machines) {
      const watcher = createAgentWatcher({ store, services, modelUuid, machine, addresses: [] });
      this.watchers.set(machine, watcher);
      this.known.set(machine, new Map());
      this.#told.set(machine, []);
      this.#follow(machine).catch(() => undefined);
    }
  }

  async #follow(machine: string): Promise<void> {
    const known = this.known.get(machine)!;
    for (;;) {
      const { records } = (await this.watchers.get(machine)!.next()) as News;
      for (const [key, record] of records) {
        this.#told.get(machine)!.push(key);
        if (record === null) known.delete(key);
        else known.set(key, record);
      }
    }
  }

  /** Keys that a machine was told since the last call. */
  async all(machine: string): Promise<string[]> {
    await new Promise((resolve) => setImmediate(resolve));
    return this.#told.get(machine)!.splice(0).sort();
  }

  stop(): void {
    for (const watcher of this.watchers.values()) watcher.stop();
    this.#dispatch.stop();
  }
}

test('a stream has the present records, then changes and removals', async () => {
  await using model = await modelFixture();
  await model.deploy('mysql', { numUnits: 2 });
  const streams = new Streams(model, '0');
  expect(await streams.all('0')).toEqual([
    'application mysql',
    'leader mysql',
    'machine',
    'model',
    'relation 0',
    'unit mysql/0',
  ]);
  await model.change((tx) => {
    unitDeployed(tx, 'mysql/1');
    enterScope(tx, { unit: 'mysql/1', relation: '0' });
  });
  expect(await streams.all('0')).toEqual(['member 0 mysql/1']);
  await model.change((tx) => setDatabag(tx, '0', 'mysql/1', { a: 'b' }));
  expect(await streams.all('0')).toEqual(['member 0 mysql/1']);
  await model.change((tx) => destroyUnit(tx, { unit: 'mysql/0', force: { maxWaitMs: 0, by: 'test' } }));
  expect(await streams.all('0')).toContain('unit mysql/0');
  expect(
    [...streams.known.get('0')!.keys()].filter((key) => /^(unit|application|relation)/.test(key)),
  ).toEqual([]);
  streams.stop();
});

test('the agent of a host hears of the containers on its host, and of nothing else of these containers', async () => {
  await using model = await modelFixture();
  const containerTypes = ['lxd'];
  const onHost = [{ scope: 'lxd', directive: '0' }];
  await model.deploy('mysql');
  await model.deploy('wordpress', { placement: onHost, containerTypes });
  const streams = new Streams(model, '0', '0/lxd/0');
  expect(await streams.all('0')).toContain('container 0/lxd/0');
  expect(streams.known.get('0')!.get('container 0/lxd/0')).toMatchObject({ id: '0/lxd/0', life: 'alive' });
  expect((await streams.all('0/lxd/0')).filter((key) => /^(container|unit)/.test(key))).toEqual([
    'unit wordpress/0',
  ]);
  // A new container, the progress of its start, and the unit that keeps it.
  await model.change((tx) =>
    addUnits(tx, { application: 'wordpress', count: 1, placement: onHost, containerTypes }),
  );
  expect(await streams.all('0')).toEqual(['container 0/lxd/1']);
  await model.change((tx) => setStatus(tx, 'instance', '0/lxd/1', 'provisioning error', 'no room'));
  expect(await streams.all('0')).toEqual(['container 0/lxd/1']);
  expect(streams.known.get('0')!.get('container 0/lxd/1')).toMatchObject({ failed: true });
  await model.change((tx) => setWorkloadVersion(tx, { unit: 'wordpress/1', version: '8.0' }));
  expect(await streams.all('0')).toEqual([]);
  await model.change((tx) => destroyUnit(tx, { unit: 'wordpress/1' }));
  expect(await streams.all('0')).toEqual(['container 0/lxd/1']);
  expect(streams.known.get('0')!.has('container 0/lxd/1')).toBe(false);
  expect(JSON.stringify([...streams.known.get('0')!])).not.toContain('assword');
  streams.stop();
});

test('status changes of a unit or its application reach no other machine and no other unit', async () => {
  await using model = await modelFixture();
  await model.deploy('mysql', { numUnits: 2 });
  await model.deploy('wordpress', { placement: [{ scope: '#', directive: '0' }] });
  const streams = new Streams(model, '0', '1');
  await streams.all('0');
  await streams.all('1');
  await model.change((tx) => setWorkloadVersion(tx, { unit: 'mysql/0', version: '8.0' }));
  expect(await streams.all('1')).toEqual([]);
  expect(await streams.all('0')).toEqual(['unit mysql/0']);
  await model.change((tx) =>
    setApplicationConfig(tx, { application: 'mysql', set: {}, reset: [], trust: true }),
  );
  expect(await streams.all('1')).toEqual(['application mysql']);
  streams.stop();
});

test('a principal hears when its subordinate comes and goes', async () => {
  await using model = await modelFixture();
  await model.deploy('mysql', { numUnits: 2 });
  await model.deploy('logging');
  const {
    relation: { id },
  } = await model.change((tx) => addRelation(tx, { endpoints: ['logging', 'mysql'] }));
  const streams = new Streams(model, '0', '1');
  await streams.all('0');
  await streams.all('1');
  await model.change((tx) => {
    unitDeployed(tx, 'mysql/0');
    enterScope(tx, { unit: 'mysql/0', relation: String(id) });
  });
  await streams.all('0');
  expect(streams.known.get('0')!.get('unit mysql/0')).toMatchObject({ subordinates: ['logging/0'] });
  expect(streams.known.get('0')!.get(`relation ${id}`)).toMatchObject({
    endpoints: expect.arrayContaining([
      expect.objectContaining({ application: 'logging', subordinate: true }),
      expect.objectContaining({ application: 'mysql', subordinate: false }),
    ]) as unknown,
  });
  expect(await streams.all('1'), 'another container').toEqual([]);
  await model.change((tx) => {
    unitDeployed(tx, 'logging/0');
    enterScope(tx, { unit: 'logging/0', relation: String(id) });
  });
  await streams.all('0');
  expect(streams.known.get('0')!.has(`member ${id} logging/0`)).toBe(true);
  await model.change((tx) => destroyRelation(tx, { id, force: { maxWaitMs: 0, by: 'test' } }));
  await model.change((tx) => destroyUnit(tx, { unit: 'mysql/0', force: { maxWaitMs: 0, by: 'test' } }));
  await streams.all('0');
  expect([...streams.known.get('0')!.keys()].filter((key) => key.startsWith('unit'))).toEqual([]);
  streams.stop();
});

describe('a unit that waits for the requirements of its application', () => {
  /** Places the unit as the unit placer does. */
  const place = (model: ModelFixture, name: string): Promise<void> =>
    model.change((tx) => {
      const { unplaced: _, ...unit } = tx.get('unit', name)!;
      tx.put('unit', name, { ...unit, machine: '0' });
    });
  const ofUnits = (streams: Streams): string[] =>
    [...streams.known.get('0')!.keys()].filter((key) => /^(unit|application|leader) /.test(key)).sort();

  test('a waiting unit reaches no agent, and with its placement everything that concerns the unit does', async () => {
    await using model = await modelFixture();
    await model.deploy('mysql');
    await model.deploy('wordpress', { require: ['db'], placement: [{ scope: '#', directive: '0' }] });
    const streams = new Streams(model, '0');
    await streams.all('0');
    const before = ['application mysql', 'leader mysql', 'unit mysql/0'];
    expect(ofUnits(streams)).toEqual(before);
    await model.change((tx) => addRelation(tx, { endpoints: ['wordpress', 'mysql'] }));
    await streams.all('0');
    expect(ofUnits(streams), 'it may be placed, and is not yet').toEqual(before);
    await place(model, 'wordpress/0');
    expect(await streams.all('0')).toEqual(['application wordpress', 'leader wordpress', 'unit wordpress/0']);
    streams.stop();
  });

  test('a waiting subordinate does not reach its principal, whose agent waits for no unit that it cannot see', async () => {
    await using model = await modelFixture();
    await model.deploy('mysql');
    await model.deploy('logging');
    const { relation } = await model.change((tx) => addRelation(tx, { endpoints: ['logging', 'mysql'] }));
    const missing = [{ endpoint: 'syslog', interface: 'syslog', applications: [] }];
    await model.change((tx) => {
      tx.put('application', 'logging', {
        ...tx.get('application', 'logging')!,
        pending: { since: tx.now, missing },
      });
      unitDeployed(tx, 'mysql/0');
      enterScope(tx, { unit: 'mysql/0', relation: String(relation.id) });
    });
    expect(model.view().get('unit', 'logging/0')).toMatchObject({ principal: 'mysql/0', unplaced: {} });
    const streams = new Streams(model, '0');
    await streams.all('0');
    expect(streams.known.get('0')!.get('unit mysql/0')).toMatchObject({ subordinates: [] });
    await place(model, 'logging/0');
    expect(await streams.all('0')).toEqual(expect.arrayContaining(['unit logging/0', 'unit mysql/0']));
    expect(streams.known.get('0')!.get('unit mysql/0')).toMatchObject({ subordinates: ['logging/0'] });
    streams.stop();
  });

  test('a waiting subordinate does not impede a dying principal, which is removed at once', async () => {
    await using model = await modelFixture();
    await model.deploy('mysql');
    await model.change((tx) => {
      unitDeployed(tx, 'mysql/0');
      const { machine: _, ...unit } = tx.get('unit', 'mysql/0')!;
      const waiting = { ...unit, name: 'logging/0', application: 'logging', principal: 'mysql/0' };
      tx.put('unit', 'logging/0', { ...waiting, deployed: false, unplaced: {} });
      destroyUnit(tx, { unit: 'mysql/0' });
    });
    expect([...model.view().list('unit')]).toMatchObject([{ name: 'mysql/0', life: 'dying' }]);
  });

  test('a unit keeps the container that it is placed in', async () => {
    await using model = await modelFixture();
    const onHost = [{ scope: 'lxd', directive: '0' }];
    await model.deploy('mysql');
    await model.deploy('wordpress', { placement: onHost, containerTypes: ['lxd'] });
    await model.deploy('wordpress', { name: 'blog', require: ['db'] });
    const streams = new Streams(model, '0');
    await streams.all('0');
    await model.change((tx) => {
      const { unplaced: _, ...unit } = tx.get('unit', 'blog/0')!;
      tx.put('unit', 'blog/0', { ...unit, machine: '0/lxd/0' });
    });
    expect(await streams.all('0')).toEqual(['container 0/lxd/0']);
    streams.stop();
  });
});

test('a side of a relation that no unit sees any more is forgotten, and told anew to the next unit that sees it', async () => {
  await using model = await modelFixture();
  const onMachine0 = { placement: [{ scope: '#', directive: '0' }] };
  await model.deploy('mysql');
  await model.deploy('wordpress', { numUnits: 2, ...onMachine0 });
  const {
    relation: { id },
  } = await model.change((tx) => addRelation(tx, { endpoints: ['wordpress', 'mysql'] }));
  const relation = String(id);
  await model.change((tx) => {
    for (const unit of ['mysql/0', 'wordpress/0', 'wordpress/1']) {
      unitDeployed(tx, unit);
      enterScope(tx, { unit, relation });
    }
  });
  const streams = new Streams(model, '0');
  const members = async (): Promise<string[]> => {
    await streams.all('0');
    return [...streams.known.get('0')!.keys()].filter((key) => key.startsWith(`member ${id} `)).sort();
  };
  expect(await members()).toEqual([
    `member ${id} mysql/0`,
    `member ${id} wordpress/0`,
    `member ${id} wordpress/1`,
  ]);
  await model.change((tx) => destroyUnit(tx, { unit: 'mysql/0', force: { maxWaitMs: 0, by: 'test' } }));
  expect(await members(), 'wordpress/0 sees itself and nobody').toEqual([`member ${id} wordpress/0`]);
  await model.change((tx) => leaveScope(tx, { unit: 'wordpress/1', relation }));
  await model.change((tx) => addUnits(tx, { application: 'mysql', count: 1, ...onMachine0 }));
  expect(await members()).toEqual([`member ${id} wordpress/0`]);
  streams.stop();
});

test('every waiting reader is told that the watcher was stopped', async () => {
  await using model = await modelFixture();
  const streams = new Streams(model, '0');
  await streams.all('0');
  const watcher = streams.watchers.get('0')!;
  const waiting = [watcher.next(), watcher.next()];
  streams.stop();
  for (const one of waiting) await expect(one).rejects.toBeInstanceOf(JujuError);
});

test('an agent hears of its addresses when a subnet moves to another space, and of bindings', async () => {
  await using model = await modelFixture();
  await model.deploy('mysql', { numUnits: 1 });
  await model.change((tx) => {
    agentStarted(tx, {
      machine: '0',
      hostname: 'host',
      hardware: {},
      addresses: [{ value: '10.0.8.5', cidr: '10.0.8.5/24', interfaceName: 'eth0' }],
    });
    createSpace(tx, { name: 'db', cidrs: [] });
  });
  const streams = new Streams(model, '0');
  await streams.all('0');
  await model.change((tx) => moveSubnets(tx, { subnets: ['1'], space: 'db', force: false }));
  expect(await streams.all('0')).toEqual(['machine']);
  expect(streams.known.get('0')!.get('machine')).toMatchObject({ addresses: [{ space: 'db' }] });
  await model.change((tx) =>
    mergeBindings(tx, { application: 'mysql', bindings: { '': 'db' }, force: false }),
  );
  expect(await streams.all('0')).toEqual(['application mysql']);
  expect(streams.known.get('0')!.get('application mysql')).toMatchObject({ bindings: { '': 'db' } });
  streams.stop();
});

test('an agent hears why it cannot run a task that is sealed with another key, and of everything else', async () => {
  await using model = await modelFixture();
  await model.deploy('mysql');
  const foreign = createSealer(createSecretKey(Buffer.alloc(32, 7)));
  const task = {
    operation: '1',
    receiver: 'mysql/0',
    receiverKind: 'unit',
    name: 'backup',
    parameters: {},
    status: 'pending',
    message: '',
    output: {},
    enqueued: '2026-01-01T00:00:00Z',
  } as const;
  await model.change((tx) => {
    tx.put('task', '2', { ...task, id: '2', sealedParameters: foreign.seal('{"file":"f"}') });
    tx.put('task', '3', { ...task, id: '3', sealed: foreign.seal('secret-set a=b') });
    tx.put('task', '4', { ...task, id: '4' });
  });
  const streams = new Streams(model, '0');
  expect(await streams.all('0')).toEqual(
    expect.arrayContaining(['task 2', 'task 3', 'task 4', 'unit mysql/0']),
  );
  const problemOf = (id: string): unknown =>
    (streams.known.get('0')!.get(`task ${id}`) as TaskRecord).problem;
  expect(problemOf('2')).toContain('cannot decrypt');
  expect(problemOf('3')).toContain('cannot decrypt');
  expect(problemOf('4')).toBeUndefined();
  streams.stop();
});
