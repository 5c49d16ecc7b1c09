import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createCallers, type Callers } from '../../../testing/call.ts';
import { deployLocal } from '../../../testing/deploy-local.ts';
import type { ApplicationDoc } from '../../../core/application/document.ts';
import { addRelation } from '../../transactions/begin/add-relation.ts';

let callers: Callers;
beforeEach(async () => {
  callers = await createCallers();
  await callers.addCharm('wordpress', {
    requires: { db: { interface: 'mysql', optional: false }, cache: 'kv' },
  });
  await callers.addCharm('mysql', { provides: { server: 'mysql' } });
  await callers.addCharm('log', {
    subordinate: true,
    requires: { info: { interface: 'juju-info', scope: 'container' } },
  });
});
afterEach(() => callers[Symbol.asyncDispose]());

const call = <R = unknown>(method: string): Promise<R> => callers.call<R>('Requirements', method);
const deploy = (name: string, units: number, application = name): Promise<unknown> =>
  deployLocal(callers, application, { 'charm-url': `local:${name}-0`, 'num-units': units });
/** Creates this many waiting applications without units. */
const many = (count: number): Promise<void> =>
  callers.change((tx) => {
    const application: ApplicationDoc = {
      name: '',
      life: 'alive',
      charmUrl: 'local:wordpress-0',
      charmOrigin: {},
      base: { name: 'ubuntu', channel: '24.04/stable' },
      subordinate: false,
      constraints: {},
      config: {},
      trust: false,
      endpointBindings: {},
      workloadVersion: '',
      createdAt: tx.now,
      pending: { since: tx.now, missing: [{ endpoint: 'db', interface: 'mysql', applications: [] }] },
    };
    for (let n = 0; n < count; n++) {
      const name = `w${String(n).padStart(5, '0')}`;
      tx.put('application', name, { ...application, name });
    }
  });

const now = '2026-01-01T00:00:00.000Z';
const db = { endpoint: 'db', interface: 'mysql', applications: [] };

test('Pending lists waiting applications by name, with the units that wait and those that still run', async () => {
  expect(await call('Pending')).toEqual({ now, applications: [], total: 0 });
  await deploy('wordpress', 3);
  await deploy('wordpress', 0, 'blog');
  await deploy('mysql', 1);
  await callers.change((tx) => {
    const { unplaced: _, ...unit } = tx.get('unit', 'wordpress/1')!;
    tx.put('unit', 'wordpress/1', { ...unit, machine: '0' });
  });
  callers.advance(60_000);
  expect(await call('Pending')).toEqual({
    now: '2026-01-01T00:01:00.000Z',
    applications: [
      { application: 'blog', since: now, missing: [db], units: 0, running: 0 },
      { application: 'wordpress', since: now, missing: [db], units: 2, running: 1 },
    ],
    total: 2,
  });
  await callers.change((tx) => addRelation(tx, { endpoints: ['blog', 'mysql'] }));
  expect(await call('Pending')).toMatchObject({ applications: [{ application: 'wordpress' }], total: 1 });
});

test('Pending names the first thousand, and counts all', async () => {
  await many(1500);
  const { applications, total } = await call<{ applications: { application: string }[]; total: number }>(
    'Pending',
  );
  expect(applications.map(({ application }) => application)).toEqual(
    Array.from({ length: 1000 }, (_, n) => `w${String(n).padStart(5, '0')}`),
  );
  expect(total).toBe(1500);
});

test('Graph returns the required endpoints of applications, in the model’s mode', async () => {
  await deploy('wordpress', 1);
  await deploy('mysql', 1);
  await deploy('log', 0);
  const log = {
    application: 'log',
    subordinate: true,
    requirements: [
      { endpoint: 'juju-info', interface: 'juju-info', 'any-principal': true, shown: 'info (juju-info)' },
    ],
    missing: [{ endpoint: 'juju-info', interface: 'juju-info', shown: 'info (juju-info)', applications: [] }],
  };
  const mysql = { application: 'mysql', subordinate: false, requirements: [] };
  const required = { endpoint: 'db', interface: 'mysql' };
  const wordpress = { application: 'wordpress', subordinate: false };
  expect(await call('Graph')).toEqual({
    mode: 'declared',
    applications: [log, mysql, { ...wordpress, requirements: [required], missing: [db] }],
  });
  await callers.change((tx) => addRelation(tx, { endpoints: ['wordpress', 'mysql'] }));
  await callers.call('ModelConfig', 'ModelSet', { config: { 'require-endpoints': 'none' } });
  expect(await call('Graph')).toEqual({
    mode: 'none',
    applications: [log, mysql, { ...wordpress, requirements: [] }],
  });
});

test('SetAfter sets the gates that Pending and Graph tell, and refuses what is no application or a circle', async () => {
  await deploy('mysql', 1);
  const set = (application: string, after: Record<string, string>): Promise<unknown> =>
    callers.call('Requirements', 'SetAfter', { application, after });
  const missing = [{ endpoint: '', interface: '', applications: ['later'], health: 'active' }];
  const pending = { application: 'mysql', since: now, missing, units: 0, running: 1 };
  await callers.change((tx) => {
    const { unplaced: _, ...unit } = tx.get('unit', 'mysql/0')!;
    tx.put('unit', 'mysql/0', { ...unit, machine: '0' });
  });
  expect(await set('mysql', { later: '' })).toEqual({
    requirements: { deployable: [], running: [], circles: [], pending: [pending] },
  });
  expect(await call('Pending')).toMatchObject({ applications: [pending], total: 1 });
  expect(await call('Graph')).toMatchObject({
    applications: [
      {
        application: 'mysql',
        requirements: [{ endpoint: '', interface: '', gate: { application: 'later', health: 'active' } }],
        missing,
      },
    ],
  });
  expect(
    await deployLocal(callers, 'later', { 'charm-url': 'local:mysql-0', after: { mysql: '' } }),
  ).toMatchObject({ error: { message: 'later cannot wait for mysql: mysql waits for later' } });
  await expect(set('nope', {})).rejects.toThrow('application "nope" not found');
  await expect(set('mysql', { later: 'status==' })).rejects.toThrow('in the health of later');
  expect(await set('mysql', {})).toEqual({
    requirements: { deployable: ['mysql'], running: ['mysql'], circles: [], pending: [] },
  });
});

test('other requests run while a long answer is built', async () => {
  await many(5000);
  let turns = 0;
  let made = false;
  const graph = call<{ applications: unknown[] }>('Graph').finally(() => (made = true));
  while (!made) {
    turns++;
    await setImmediate();
  }
  expect((await graph).applications).toHaveLength(5000);
  expect(turns).toBeGreaterThan(8);
});

test('an application that is removed while other requests run is left out', async () => {
  await many(1000);
  const making = call<{ applications: unknown[] }>('Graph');
  await callers.change((tx) => tx.remove('application', 'w00999'));
  expect((await making).applications.length).toBeLessThanOrEqual(1000);
});
