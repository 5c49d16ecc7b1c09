/** Tests of the display of units and applications that wait for their requirements. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createCallers, type Callers } from '../../../testing/call.ts';
import { deployLocal } from '../../../testing/deploy-local.ts';
import { placerOf, type Placer } from '../../../testing/placer.ts';
import type { FullStatus } from '../../../wire/facades/client.ts';
import { addRelation } from '../../transactions/begin/add-relation.ts';
import { destroyRelation } from '../../transactions/end/destroy-relation.ts';
import { enterScope } from '../../transactions/agent/enter-scope.ts';
import { setStatus } from '../../transactions/tx.ts';
import { unitDeployed } from '../../transactions/agent/unit-agent.ts';

let callers: Callers;
let placer: Placer;
beforeEach(async () => {
  callers = await createCallers();
  placer = placerOf({ store: callers.store, uuid: callers.model });
  await callers.addCharm('blog', { requires: { db: { interface: 'mysql', optional: false }, cache: 'kv' } });
  await callers.addCharm('mysql', { provides: { server: 'mysql' } });
  await callers.addCharm('log', {
    subordinate: true,
    requires: {
      info: { interface: 'juju-info', scope: 'container' },
      syslog: { interface: 'syslog', optional: false },
    },
  });
  await deploy('blog', 2);
});
afterEach(async () => {
  placer.stop();
  await callers[Symbol.asyncDispose]();
});

const deploy = (name: string, units: number): Promise<unknown> =>
  deployLocal(callers, name, { 'num-units': units });
const addUnit = (application: string): Promise<unknown> =>
  callers.call('Application', 'AddUnits', { application, 'num-units': 1 });
const integrate = (...endpoints: string[]) => callers.change((tx) => addRelation(tx, { endpoints }).relation);
const place = (): Promise<void> => placer.pass();
const status = (patterns: string[] = []): Promise<FullStatus> =>
  callers.call<FullStatus>('Client', 'FullStatus', { patterns });
/** Starts blog on machines 0 and 1 with its database on 2, then removes the database. */
async function loseDatabase(): Promise<void> {
  await deploy('mysql', 1);
  const { id } = await integrate('blog', 'mysql');
  await place();
  await callers.change((tx) => {
    for (const unit of ['blog/0', 'blog/1']) {
      unitDeployed(tx, unit);
      setStatus(tx, 'unit-agent', unit, 'idle');
      setStatus(tx, 'workload', unit, 'active', 'ready');
    }
    const machine = tx.get('unit', 'blog/0')!.machine!;
    callers.setPresent(machine);
    callers.setPresent(tx.get('unit', 'blog/1')!.machine!);
  });
  await callers.change((tx) => destroyRelation(tx, { id }));
}

const since = '2026-01-01T00:00:00.000Z';
const db = { endpoint: 'db', interface: 'mysql', applications: [] };
const waiting = { status: 'blocked', info: 'missing relation: db (mysql)', since };

describe('FullStatus', () => {
  test('FullStatus shows waiting units with what they wait for, and no machines', async () => {
    const { applications, machines } = await status();
    expect(machines).toEqual({});
    const blog = applications['blog']!;
    expect(blog.pending).toEqual({ since, missing: [db], units: 2, running: 0 });
    expect(blog.status).toMatchObject(waiting);
    expect(Object.keys(blog.units)).toEqual(['blog/0', 'blog/1']);
    expect(blog.units['blog/0']).toMatchObject({
      'workload-status': waiting,
      'agent-status': { status: 'idle', version: '' },
      machine: '',
      'public-address': '',
      unplaced: true,
    });
  });

  test('FullStatus shows a waiting application without units', async () => {
    await deploy('log', 0);
    const { log } = (await status()).applications;
    expect(log!.status).toMatchObject({
      status: 'blocked',
      info: expect.stringContaining('syslog (syslog)') as unknown,
    });
    expect(log!.pending).toMatchObject({ units: 0, running: 0 });
  });

  test('FullStatus names the application that a related application waits for', async () => {
    await callers.addCharm('needy', {
      requires: { x: { interface: 'x', optional: false } },
      provides: { y: 'mysql' },
    });
    await deploy('needy', 1);
    await integrate('blog', 'needy');
    const { blog } = (await status()).applications;
    expect(blog!.units['blog/1']!['workload-status']).toMatchObject({
      status: 'waiting',
      info: 'waiting for application: needy (db)',
    });
  });

  test('FullStatus shows a unit that may be placed as waiting for its machine, and a placed one as usual', async () => {
    await deploy('mysql', 1);
    await integrate('blog', 'mysql');
    const before = (await status()).applications['blog']!;
    expect(before).not.toHaveProperty('pending');
    expect(before.units['blog/0']).toMatchObject({
      unplaced: true,
      'workload-status': { status: 'waiting', info: 'waiting for machine' },
    });
    await place();
    const { applications, machines } = await status();
    expect(Object.keys(machines)).toHaveLength(3);
    expect(applications['blog']!.units['blog/0']).not.toHaveProperty('unplaced');
    expect(applications['blog']!.units['blog/0']!.machine).toBe('1');
  });

  test('FullStatus says why a unit cannot be placed', async () => {
    await callers.change((tx) => {
      const unit = tx.get('unit', 'blog/0')!;
      const problem = 'machine 5 not found';
      tx.put('unit', 'blog/0', { ...unit, unplaced: { problem, placement: { scope: '#', directive: '5' } } });
    });
    await deploy('mysql', 1);
    await integrate('blog', 'mysql');
    const { blog } = (await status()).applications;
    expect(blog!.units['blog/0']!['workload-status'].info).toBe('cannot be placed: machine 5 not found');
  });

  test('FullStatus shows running units as usual when their requirement went away, and new ones waiting', async () => {
    await loseDatabase();
    const running = (await status()).applications['blog']!;
    const active = { status: 'active', info: 'ready' };
    expect(running.units['blog/0']!['workload-status']).toMatchObject(active);
    expect(running.status).toMatchObject({
      status: 'active',
      info: 'ready; new units wait for relations: db (mysql)',
    });
    expect(running.pending).toMatchObject({ units: 0, running: 2 });
    await addUnit('blog');
    const { blog } = (await status()).applications;
    expect(blog!.units['blog/0']!['workload-status']).toMatchObject(active);
    expect(blog!.units['blog/2']!['workload-status']).toMatchObject({
      ...waiting,
      since: expect.any(String) as unknown,
    });
    expect(blog!.status).toMatchObject({
      status: 'blocked',
      info: 'new units wait for relations: db (mysql)',
    });
    expect(blog!.pending).toMatchObject({ units: 1, running: 2 });
  });

  test('FullStatus shows waiting subordinates below their principals', async () => {
    await deploy('mysql', 1);
    await deploy('log', 0);
    const { id } = await integrate('log:info', 'mysql');
    await callers.change((tx) => {
      unitDeployed(tx, 'mysql/0');
      enterScope(tx, { unit: 'mysql/0', relation: String(id) });
    });
    const { log, mysql } = (await status()).applications;
    expect(log).toMatchObject({ units: {}, pending: { units: 1, running: 0 } });
    expect(mysql!.units['mysql/0']!.subordinates).toMatchObject({
      'log/0': {
        machine: '',
        unplaced: true,
        'workload-status': { status: 'blocked', info: 'missing relation: syslog (syslog)' },
      },
    });
    for (const name of ['log/0', 'log', 'blocked'])
      expect((await status([name])).applications['mysql']!.units, name).toMatchObject({
        'mysql/0': { subordinates: { 'log/0': {} } },
      });
  });

  test('FullStatus finds waiting units by their status', async () => {
    await deploy('mysql', 1);
    await callers.change((tx) => setStatus(tx, 'workload', 'mysql/0', 'active'));
    expect(Object.keys((await status(['blocked'])).applications)).toEqual(['blog']);
    expect((await status(['blog/1'])).applications['blog']!.units).not.toHaveProperty('blog/0');
  });
});

test('StatusAt shows the units that waited at that time', async () => {
  const { revision } = callers.view();
  await loseDatabase();
  const { status: then } = await callers.call<{ status: FullStatus }>('Lives', 'StatusAt', {
    patterns: [],
    revision,
  });
  expect(then.applications['blog']).toMatchObject({
    pending: { since, missing: [db], units: 2, running: 0 },
    status: waiting,
    units: { 'blog/0': { 'workload-status': waiting, unplaced: true } },
  });
});

test('StatusHistory of a unit has what it waited for before it had a machine', async () => {
  const history = async (tag: string, historyKind = 'workload'): Promise<unknown> => {
    const requests = [{ historyKind, tag, filter: { size: 5 } }];
    const { results } = await callers.call<{ results: { history: { statuses: unknown } }[] }>(
      'Client',
      'StatusHistory',
      { requests },
    );
    return results[0]!.history.statuses;
  };
  const hours = (n: number): string => new Date(Date.parse(since) + n * 3_600_000).toISOString();
  const forMachine = { status: 'waiting', info: 'waiting for machine' };
  expect(await history('unit-blog-0')).toMatchObject([waiting]);
  callers.advance(3_600_000);
  await callers.call('ModelConfig', 'ModelSet', { config: { 'require-endpoints': 'all' } });
  callers.advance(3_600_000);
  await callers.call('ModelConfig', 'ModelUnset', { keys: ['require-endpoints'] });
  await loseDatabase();
  await callers.call('Application', 'SetConstraints', { application: 'blog', constraints: {} });
  expect(await history('unit-blog-0')).toMatchObject([
    waiting,
    { ...waiting, info: 'missing relations: db (mysql), cache (kv)', since: hours(1) },
    { ...waiting, since: hours(2) },
    { ...forMachine, since: hours(2) },
    { status: 'active', since: hours(2) },
  ]);
  expect(await history('unit-blog-0', 'juju-unit')).toMatchObject([
    { status: 'idle', since },
    { status: 'allocating', since: hours(2) },
    { status: 'idle', since: hours(2) },
  ]);
  expect(await history('unit-mysql-0')).toMatchObject([{ ...forMachine, since: hours(2) }]);
});

test('charms see a unit that lacks a relation as blocked, and keep the statuses that they set', async () => {
  await loseDatabase();
  await addUnit('blog');
  const { machine } = callers.view().get('unit', 'blog/0')!;
  const agent = (method: string, params: object): Promise<unknown> =>
    callers.call('MachineAgent', method, params, { as: { kind: 'machine', machine: machine! } });
  await agent('ClaimLeadership', { unit: 'blog/0', durationMs: 60_000 });
  expect(await agent('GoalState', { unit: 'blog/0' })).toMatchObject({
    units: { 'blog/0': { status: 'active' }, 'blog/2': { status: 'blocked' } },
  });
  expect(await agent('ApplicationStatus', { unit: 'blog/0' })).toMatchObject({
    application: { status: 'blocked', message: 'missing relation: db (mysql)' },
    units: { 'blog/2': { status: 'blocked', message: 'missing relation: db (mysql)' } },
  });
  await agent('SetStatus', { kind: 'application', unit: 'blog/0', status: 'active', message: 'fine' });
  expect(await agent('ApplicationStatus', { unit: 'blog/0' })).toMatchObject({
    application: { status: 'active', message: 'fine' },
  });
  for (const method of ['UnitDeployed', 'GoalState'])
    await expect(agent(method, { unit: 'blog/2' })).rejects.toMatchObject({ code: 'unauthorized access' });
});
