import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import type { ApplicationDoc } from '../../core/application/document.ts';
import { machine, testModel } from '../../testing/api-server.ts';
import {
  application,
  change,
  createdAt,
  next,
  prepareWatchedModel,
  presence,
  short,
  store,
  unit,
  watcher,
} from '../../testing/watched-model.ts';
import { setStatus } from '../transactions/tx.ts';
import { AllWatcher } from './all-watcher.ts';

prepareWatchedModel();

describe('the first answer of AllWatcher', () => {
  it('the first answer is the model alone when there is nothing else', async () => {
    const [model] = await next();
    expect(model).toEqual([
      'model',
      'change',
      expect.objectContaining({
        'model-uuid': testModel,
        name: 'test',
        life: 'alive',
        owner: 'admin',
        type: 'iaas',
        'cloud-region': 'here',
        version: '3.6.28',
        status: expect.objectContaining({ current: 'available' }) as unknown,
        sla: { level: 'unsupported', owner: '' },
      }) as unknown,
    ]);
  });

  it('the first answer is everything, each entity after those that it names', async () => {
    await change((tx) => {
      tx.put('unit', 'x/0', unit('x/0', { machine: '0' }));
      tx.put('application', 'x', application('x'));
      tx.put('machine', '0', machine('0', createdAt));
      tx.put('block', 'BlockChange', { type: 'BlockChange', number: 7, message: 'no' });
      tx.put('annotation', 'application-x', { tag: 'application-x', values: { 'gui-x': '1' } });
    });
    const late = new AllWatcher(store, testModel, { presence, providers: new Map(), version: '3.6.28' });
    expect(short(await next(late))).toEqual([
      'model change test',
      'machine change 0',
      'application change x',
      'unit change x/0',
      'annotation change application-x',
      'block change 7',
    ]);
    late.stop();
  });

  it('a large first answer comes in pieces', async () => {
    await change((tx) => {
      for (let i = 0; i < 4000; i++) tx.put('unit', `x/${i}`, unit(`x/${i}`));
    });
    const late = new AllWatcher(store, testModel, { presence, providers: new Map(), version: '3.6.28' });
    const names: string[] = [];
    while (names.length < 4001) {
      const deltas = await next(late);
      expect(JSON.stringify(deltas).length).toBeLessThan(4 * 1024 * 1024);
      names.push(...short(deltas));
    }
    expect(new Set(names).size).toBe(4001);
    late.stop();
  });

  it('a first answer in pieces includes the changes in between', async () => {
    await change((tx) => {
      for (let i = 0; i < 2000; i++) tx.put('unit', `x/${i}`, unit(`x/${i}`));
    });
    const late = new AllWatcher(store, testModel, { presence, providers: new Map(), version: '3.6.28' });
    const first = short(await next(late));
    expect(first).not.toContain('unit change x/1999');
    await change((tx) => {
      tx.remove('unit', 'x/0');
      tx.remove('unit', 'x/1999');
      tx.put('unit', 'x/1998', unit('x/1998', { life: 'dying' }));
      tx.put('unit', 'x/2000', unit('x/2000'));
    });
    const second = await next(late);
    expect(short(second)).not.toContain('unit change x/1999');
    expect(second.find(([, , body]) => body['name'] === 'x/1998')?.[2]).toMatchObject({ life: 'dying' });
    const rest = new Set([...short(second), ...short(await next(late))]);
    expect(rest).toContain('unit change x/2000');
    expect(rest).toContain('unit remove x/0');
    expect(rest).not.toContain('unit remove x/1999');
    late.stop();
  });
});

describe('later answers of AllWatcher', () => {
  beforeEach(async () => void (await next()));

  it('a later answer waits for news', async () => {
    let answered = false;
    const waiting = next().finally(() => (answered = true));
    await new Promise((resolve) => setImmediate(resolve));
    expect(answered).toBe(false);
    await change((tx) => tx.put('application', 'x', application('x')));
    expect(short(await waiting)).toEqual(['application change x']);
  });

  it('a later answer has a changed entity once, in its present state', async () => {
    await change((tx) => tx.put('application', 'x', application('x')));
    await change((tx) => tx.put('application', 'x', application('x', { life: 'dying' })));
    const deltas = await next();
    expect(short(deltas)).toEqual(['application change x']);
    expect(deltas[0]![2]).toMatchObject({ life: 'dying', status: { current: 'unset' } });
  });

  it('an entity that came and went between two answers is left out', async () => {
    await change((tx) => tx.put('unit', 'x/0', unit('x/0')));
    await change((tx) => tx.remove('unit', 'x/0'));
    await change((tx) => tx.put('application', 'y', application('y')));
    expect(short(await next())).toEqual(['application change y']);
  });

  it('a later answer names removed entities', async () => {
    await change((tx) => {
      tx.put('application', 'x', application('x'));
      tx.put('relation', '0', { id: 0, key: 'x:a y:b', endpoints: [], life: 'alive', createdAt });
      tx.put('machine', '0', machine('0', createdAt));
    });
    await next();
    await change((tx) => {
      tx.remove('application', 'x');
      tx.remove('relation', '0');
      tx.remove('machine', '0');
    });
    expect(await next()).toEqual([
      ['application', 'remove', { 'model-uuid': testModel, name: 'x' }],
      ['relation', 'remove', { 'model-uuid': testModel, key: 'x:a y:b', id: 0 }],
      ['machine', 'remove', { 'model-uuid': testModel, id: '0' }],
    ]);
  });

  it('containers are told like machines, each by itself', async () => {
    const host = machine('0', createdAt);
    const container = { ...host, id: '0/lxd/0', parent: '0', containerType: 'lxd' };
    await change((tx) => {
      tx.put('machine', '0', host);
      tx.put('machine', '0/lxd/0', container);
    });
    expect(await next()).toMatchObject([
      ['machine', 'change', { id: '0', 'container-type': '' }],
      ['machine', 'change', { id: '0/lxd/0', 'container-type': 'lxd' }],
    ]);
    await change((tx) => setStatus(tx, 'instance', '0/lxd/0', 'running', 'Running'));
    expect(await next()).toMatchObject([
      ['machine', 'change', { id: '0/lxd/0', 'instance-status': { current: 'running' } }],
    ]);
    await change((tx) => tx.remove('machine', '0/lxd/0'));
    expect(short(await next())).toEqual(['machine remove 0/lxd/0']);
  });

  it("a unit is told when its status, its machine's address, or its agent's presence changes", async () => {
    await change((tx) => {
      tx.put('machine', '0', machine('0', createdAt));
      tx.put(
        'unit',
        'x/0',
        unit('x/0', { machine: '0', deployed: true, ports: { '': ['80/tcp', '9000-9010/udp'] } }),
      );
    });
    expect((await next())[1]![2]).toMatchObject({
      name: 'x/0',
      base: 'ubuntu@24.04',
      'machine-id': '0',
      'agent-status': { current: 'allocating', version: '3.6.28' },
      'workload-status': { current: 'waiting', message: 'waiting for machine' },
      ports: [
        { protocol: 'tcp', number: 80 },
        { protocol: 'udp', number: 9000 },
      ],
      'port-ranges': [
        { 'from-port': 80, 'to-port': 80, protocol: 'tcp' },
        { 'from-port': 9000, 'to-port': 9010, protocol: 'udp' },
      ],
    });
    const leave = presence.enter(testModel, '0', { superseded: () => undefined, heardAt: () => 0 });
    expect(short(await next())).toEqual(['machine change 0', 'unit change x/0']);
    await change((tx) => {
      for (const [kind, status] of [
        ['unit-agent', 'idle'],
        ['workload', 'active'],
      ] as const)
        tx.put('status', `${kind}:x/0`, { kind, entity: 'x/0', status, message: '', since: createdAt });
    });
    const statuses = { 'agent-status': { current: 'idle' }, 'workload-status': { current: 'active' } };
    expect((await next())[0]![2]).toMatchObject(statuses);
    await change((tx) =>
      tx.put('machine', '0', {
        ...machine('0', createdAt),
        addresses: [{ value: '10.0.0.7', type: 'ipv4', scope: 'local-cloud' }],
      }),
    );
    const moved = await next();
    expect(short(moved)).toEqual(['machine change 0', 'unit change x/0']);
    expect(moved[1]![2]).toMatchObject({ 'public-address': '10.0.0.7', 'private-address': '10.0.0.7' });
    leave();
    expect((await next())[1]![2]).toMatchObject({
      'agent-status': { current: 'lost' },
      'workload-status': { current: 'unknown' },
    });
  });

  it('waiting units are told when what they wait for changes, and no others', async () => {
    const pending = (endpoint: string): Partial<ApplicationDoc> => ({
      pending: { since: createdAt, missing: [{ endpoint, interface: 'i', applications: [] }] },
    });
    await change((tx) => {
      tx.put('application', 'x', application('x', pending('db')));
      tx.put('unit', 'x/0', unit('x/0', { unplaced: {} }));
      tx.put('unit', 'x/1', unit('x/1', { machine: '7' }));
      tx.put('unit', 'y/0', unit('y/0', { unplaced: {} }));
    });
    expect((await next())[1]![2]).toMatchObject({
      name: 'x/0',
      'machine-id': '',
      'workload-status': { current: 'blocked', message: 'missing relation: db (i)' },
      'agent-status': { current: 'idle', version: '' },
    });
    await change((tx) => tx.put('application', 'x', application('x', pending('cache'))));
    const [, told, ...laterDeltas] = await next();
    expect(told![2]).toMatchObject({
      name: 'x/0',
      'workload-status': { message: 'missing relation: cache (i)' },
    });
    expect(laterDeltas).toEqual([]);
    await change((tx) =>
      tx.put('application', 'x', {
        ...tx.get('application', 'x')!,
        workloadVersion: '2',
      }),
    );
    expect(short(await next()), 'that is all the same to its units').toEqual(['application change x']);
    await change((tx) => tx.put('application', 'x', application('x')));
    expect((await next())[1]![2]).toMatchObject({ 'workload-status': { message: 'waiting for machine' } });
    await change((tx) => tx.put('unit', 'x/0', unit('x/0', { machine: '8' })));
    expect((await next())[0]![2]).toMatchObject({ name: 'x/0', 'machine-id': '8' });
  });

  it('very many waiting units are told in pieces, each once, also those that came and went in between', async () => {
    const missing = [{ endpoint: 'db', interface: 'i', applications: [] }];
    await change((tx) => {
      tx.put('application', 'x', application('x', { pending: { since: createdAt, missing } }));
      for (let i = 0; i < 3000; i++) tx.put('unit', `x/${i}`, unit(`x/${i}`, { unplaced: {} }));
    });
    for (let told = 0; told < 3001;) told += (await next()).length;
    await change((tx) => tx.put('application', 'x', application('x')));
    await change((tx) => {
      tx.put('unit', 'x/3000', unit('x/3000', { unplaced: {} }));
      tx.remove('unit', 'x/7');
    });
    await change((tx) => tx.remove('unit', 'x/3000'));
    const names: string[] = [];
    while (names.length < 3001) names.push(...short(await next()));
    expect(new Set(names).size).toBe(3001);
    expect(names).toContain('unit change x/2999');
    expect(names).toContain('unit remove x/7');
    expect(names, 'nobody was told of it').not.toContain('unit remove x/3000');
  });

  it('units created in the same change are told as new ones', async () => {
    const missing = [{ endpoint: 'db', interface: 'i', applications: [] }];
    await change((tx) => {
      tx.put('application', 'x', application('x', { pending: { since: createdAt, missing } }));
      tx.put('unit', 'x/0', unit('x/0', { unplaced: {} }));
    });
    await change((tx) => {
      tx.remove('unit', 'x/0');
      tx.remove('application', 'x');
      tx.put('application', 'y', application('y'));
    });
    expect(short(await next()), 'nobody was told of it').toEqual(['application change y']);
  });

  it('a task is told as an action', async () => {
    await change((tx) =>
      tx.put('task', '2', {
        id: '2',
        operation: '1',
        receiver: 'x/0',
        receiverKind: 'unit',
        name: 'juju-exec',
        parameters: { command: 'true' },
        status: 'pending',
        message: '',
        output: {},
        enqueued: createdAt,
      }),
    );
    expect((await next())[0]).toEqual([
      'action',
      'change',
      {
        'model-uuid': testModel,
        id: '2',
        receiver: 'x/0',
        name: 'juju-exec',
        parameters: { command: 'true' },
        status: 'pending',
        message: '',
        results: {},
        enqueued: createdAt,
        started: '0001-01-01T00:00:00Z',
        completed: '0001-01-01T00:00:00Z',
      },
    ]);
  });

  it('the progress of a task, which deltas do not show, is left out', async () => {
    const task = {
      id: '2',
      operation: '1',
      receiver: 'x/0',
      receiverKind: 'unit',
      name: 'backup',
      parameters: {},
      status: 'running',
      message: '',
      output: {},
      enqueued: createdAt,
    } as const;
    await change((tx) => tx.put('task', '2', task));
    expect(short(await next())).toEqual(['action change backup']);
    const log = [{ timestamp: createdAt, message: 'half way' }];
    await change((tx) => tx.put('task', '2', { ...task, log }));
    await change((tx) => tx.put('application', 'own', application('own')));
    expect(short(await next())).toEqual(['application change own']);
    await change((tx) => tx.put('task', '2', { ...task, log, status: 'completed' }));
    expect((await next())[0]![2]).toMatchObject({ id: '2', status: 'completed' });
  });

  it('changes of other models are left out', async () => {
    await store.change((tx) => tx.in(randomUUID()).put('application', 'other', application('other')), 'test');
    await change((tx) => tx.put('application', 'own', application('own')));
    expect(short(await next())).toEqual(['application change own']);
  });

  it('the removal of the model is told', async () => {
    await store.change((tx) => tx.remove('model', testModel), 'test');
    expect(await next()).toEqual([['model', 'remove', { 'model-uuid': testModel }]]);
  });

  it('a waiting answer ends with the watcher', async () => {
    const waiting = watcher.next();
    watcher.stop();
    await expect(waiting).rejects.toMatchObject({ code: 'stopped', message: 'watcher has been stopped' });
    await expect(watcher.next()).rejects.toMatchObject({ code: 'stopped' });
  });
});
