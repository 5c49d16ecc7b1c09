import { StatementSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createSecret, removeSecret } from '../../transactions/shared/secrets.ts';
import { summarise } from '../../../core/history/summarise.ts';
import { createCallers, type Callers, type How } from '../../../testing/call.ts';
import type { FullStatus } from '../../../wire/facades/client.ts';
import type { ResultOf } from '../../facade.ts';
import type { lives } from '../../../wire/facades/lives.ts';
import { addRelation } from '../../transactions/begin/add-relation.ts';
import { addUnits } from '../../transactions/begin/add-units.ts';
import { createModel } from '../../transactions/begin/create-model.ts';
import { destroyRelation } from '../../transactions/end/destroy-relation.ts';
import { destroyUnit } from '../../transactions/end/destroy-unit.ts';
import { enterScope } from '../../transactions/agent/enter-scope.ts';
import { leaveScope } from '../../transactions/end/leave-scope.ts';
import { forgetRemovedModel, removeModel } from '../../transactions/end/remove-model.ts';
import { setStatus, type Tx } from '../../transactions/tx.ts';
import { attachedTo, storageDoc } from '../../../testing/storage-doc.ts';
import { deployUnits } from '../../../testing/deploy-units.ts';

type Page = ResultOf<typeof lives, 'History'>;

let callers: Callers;
beforeEach(async () => {
  callers = await createCallers();
  await callers.addCharm('web', { requires: { db: 'mysql' } });
  await callers.addCharm(
    'mysql',
    { provides: { server: 'mysql' } },
    {
      config: {
        port: { type: 'int', description: '', default: 80 },
        token: { type: 'secret', description: '' },
      },
    },
  );
});
afterEach(() => callers[Symbol.asyncDispose]());

const by = <T>(who: string, fn: (tx: Tx) => T): Promise<T> =>
  callers.store.change((tx) => fn(tx.in(callers.model)), who);

const history = (names: readonly string[] = [], params: object = {}, how: How = {}): Promise<Page> =>
  callers.call<Page>('Lives', 'History', { names, limit: 0, ...params }, how);

/** Changes, oldest first, as `history` shows them. */
async function shown(names: readonly string[] = [], params: object = {}): Promise<string[]> {
  const { commits } = await history(names, params);
  return commits
    .toReversed()
    .flatMap((commit) => summarise(commit.events).map((line) => `${commit.by}: ${line}`));
}

/** Relates web/0 and mysql/0, then removes mysql/0. */
async function story(): Promise<void> {
  await by('user-admin', (tx) => {
    deployUnits(tx, 'web');
    deployUnits(tx, 'mysql');
  });
  await by('user-ann', (tx) => addRelation(tx, { endpoints: ['web', 'mysql'] }));
  await by('machine-1', (tx) => enterScope(tx, { unit: 'mysql/0', relation: '0' }));
  await by('machine-1', (tx) => {
    setStatus(tx, 'unit-agent', 'mysql/0', 'executing', 'running start hook');
    setStatus(tx, 'workload', 'mysql/0', 'active', 'ready');
  });
  await by('user-ann', (tx) => destroyRelation(tx, { id: 0 }));
  await by('machine-1', (tx) => leaveScope(tx, { unit: 'mysql/0', relation: '0' }));
  await by('user-ann', (tx) => destroyUnit(tx, { unit: 'mysql/0' }));
}

describe('History', () => {
  test('the history of a unit has its life, scopes and statuses, also when it and its relation are gone', async () => {
    await story();
    const expected = [
      'user-admin: unit mysql/0: created on machine 1',
      'machine-1: unit mysql/0: entered the scope of relation 0 (web:db mysql:server)',
      'machine-1: unit mysql/0: workload status active: ready',
      'machine-1: unit mysql/0: left the scope of relation 0 (web:db mysql:server)',
      'user-ann: unit mysql/0: removed',
    ];
    expect(callers.view().get('unit', 'mysql/0')).toBeUndefined();
    expect(await shown(['mysql/0'])).toEqual(expected);
    expect(await shown(['mysql/0'], { statuses: true })).toContain(
      'machine-1: unit mysql/0: agent status executing: running start hook',
    );
  });

  test('the history of an application has its units’ creations and ends and its relations, but not what the units do', async () => {
    await story();
    expect(await shown(['mysql'])).toEqual([
      'user-admin: application mysql: created (charm local:mysql-0 on ubuntu@24.04)',
      'user-admin: unit mysql/0: created on machine 1',
      'user-ann: relation 0 (web:db mysql:server): created',
      'user-ann: relation 0 (web:db mysql:server): life alive -> dying',
      'machine-1: relation 0 (web:db mysql:server): removed',
      'user-ann: unit mysql/0: removed',
    ]);
  });

  test('the history of a machine has the storage on it, also when that is removed', async () => {
    await story();
    const doc = storageDoc('data/0', { ...attachedTo('web/0'), machine: '0' });
    await by('user-ann', (tx) => tx.put('storage', 'data/0', doc));
    await by('machine-0', (tx) =>
      tx.put('storage', 'data/0', { ...doc, made: { providerId: '0/0', size: 1024 } }),
    );
    await by('machine-0', (tx) => tx.remove('storage', 'data/0'));
    const expected = [
      'user-ann: unit web/0: storage data/0 added (pool rootfs, 1.0 GiB)',
      'machine-0: unit web/0: storage data/0 file system provisioned (0/0, 1.0 GiB)',
      'machine-0: unit web/0: storage data/0 removed',
    ];
    for (const names of [['0'], ['web/0'], []])
      expect(
        (await shown(names)).filter((line) => line.includes('data/0')),
        names.join(),
      ).toEqual(expected);
  });

  test('the history of an application or a unit has the secrets that are its own, also removed ones', async () => {
    await story();
    const id = (n: number): string => `${String(n).padStart(19, '0')}0`;
    await by('machine-1', (tx) => {
      createSecret(tx, { id: id(1), owner: { kind: 'application', id: 'mysql' }, content: 'a' });
      createSecret(tx, { id: id(2), owner: { kind: 'unit', id: 'web/0' }, content: 'b' });
    });
    await by('machine-1', (tx) => removeSecret(tx, id(1)));
    expect((await shown(['mysql'])).slice(-2)).toEqual([
      `machine-1: secret ${id(1)}: added for application mysql`,
      `machine-1: secret ${id(1)}: removed`,
    ]);
    expect(await shown(['web/0'])).toContain(`machine-1: secret ${id(2)}: added for unit web/0`);
  });

  test('the history of a machine is found by its number, that of a relation by its endpoints', async () => {
    await story();
    expect(await shown(['1'])).toContain('user-admin: unit mysql/0: created on machine 1');
    expect(await shown(['1'])).toContain('user-ann: unit mysql/0: removed');
    const relation = await shown(['web', 'mysql:server']);
    expect(relation).toContain('machine-1: unit mysql/0: left the scope of relation 0 (web:db mysql:server)');
    expect(await shown(['relation', '0'])).toEqual(relation);
  });

  test('the history of a removed machine is found by a number that a relation has too', async () => {
    await story();
    await by('user-ann', (tx) => destroyUnit(tx, { unit: 'web/0' }));
    expect(callers.view().get('machine', '0')).toBeUndefined();
    expect(await shown(['0'])).toEqual(await shown(['machine', '0']));
    expect(await shown(['0'])).toContain('user-ann: machine 0: removed');
    await expect(callers.call('Lives', 'Explain', { names: ['0'] })).rejects.toThrow(
      'machine 0 not found; it was removed: see "history 0"',
    );
  });

  test('the history of a model has everything but statuses, and nothing of another model', async () => {
    await story();
    const args = { owner: 'admin', cloud: 'home', region: 'here', credential: '', config: {} };
    const otherCommit = await callers.store.change(
      (tx) => createModel(tx, { name: 'other', ...args }).uuid,
      'user-ann',
    );
    const lines = await shown();
    expect(lines.slice(0, 2)).toEqual([
      'test: model: created (admin/default on home/here)',
      'test: model: user admin has admin access',
    ]);
    expect(lines.join('\n')).not.toMatch(/active|executing|other/);
    expect(await shown([], { statuses: true })).toContain(
      'machine-1: unit mysql/0: workload status active: ready',
    );
    const { commits } = await history([], {}, { model: otherCommit });
    expect(commits.map((commit) => commit.events[0]?.detail)).toEqual(['(admin/other on home/here)']);
  });

  test('the history is filtered by requester, time and revision, and paged', async () => {
    await story();
    callers.advance(60_000);
    await by('user-ann', (tx) => addUnits(tx, { application: 'web', count: 1, placement: [] }));
    const all = (await history()).commits;
    expect(new Set((await history([], { by: 'ann' })).commits.map((commit) => commit.by))).toEqual(
      new Set(['user-ann']),
    );
    expect(await shown([], { since: '2026-01-01T00:00:30Z' })).toHaveLength(2);
    const revisions = all.map((commit) => commit.revision);
    expect((await history([], { after: revisions[2]! })).commits).toEqual(all.slice(0, 2));
    const pages: number[][] = [];
    for (let next: number | undefined = Number.MAX_SAFE_INTEGER; next !== undefined;) {
      const page: Page = await history([], { limit: 3, before: next });
      pages.push(page.commits.map((commit) => commit.revision));
      next = page.next;
    }
    expect(pages.flat()).toEqual(revisions);
    expect(pages.slice(0, -1).every((page) => page.length === 3)).toBe(true);
  });

  test('the history has no secrets', async () => {
    await by('user-ann', (tx) => {
      deployUnits(tx, 'mysql');
      const mysql = tx.get('application', 'mysql')!;
      tx.put('application', 'mysql', { ...mysql, config: { port: 81, token: 'secret:hunter2' } });
      const machine = tx.get('machine', '0')!;
      tx.put('machine', '0', { ...machine, nonce: 'n', passwordHash: 'hunter2' });
    });
    await by('user-ann', (tx) => {
      const mysql = tx.get('application', 'mysql')!;
      tx.put('application', 'mysql', { ...mysql, config: { port: 82, token: 'secret:hunter3' } });
    });
    const answer = JSON.stringify(await history([], { statuses: true }));
    expect(answer).toContain('config port 81 -> 82');
    expect(answer).toContain('config token changed (<redacted>)');
    expect(answer).not.toContain('hunter');
  });

  test('changes of access are shown only to those who may change it', async () => {
    await callers.addUser('bob');
    await callers.grant('bob', 'read');
    const text = async (as: string): Promise<string> => JSON.stringify(await history([], {}, { as }));
    expect(await text('admin')).toContain('user bob has read access');
    expect(await text('bob')).toContain('created');
    expect(await text('bob')).not.toContain('access');
  });

  test('an entity that never existed is not found, a removed one is', async () => {
    await story();
    await expect(history(['mysql/7'])).rejects.toThrow('unit "mysql/7" not found');
    await expect(history(['nothing'])).rejects.toMatchObject({ code: 'not found' });
    await expect(history([], { since: 'yesterday' })).rejects.toMatchObject({ code: 'not valid' });
  });

  test('the history of one unit among 10,000 costs what it returns', async () => {
    await by('user-ann', (tx) => deployUnits(tx, 'web', 10));
    const cost = async (): Promise<number> => {
      const get = vi.spyOn(StatementSync.prototype, 'get');
      const all = vi.spyOn(StatementSync.prototype, 'all');
      expect(await shown(['web/3'])).toEqual(['user-ann: unit web/3: created on machine 3']);
      const rows = all.mock.results.reduce((sum, { value }) => sum + (value as unknown[]).length, 0);
      const cost = get.mock.calls.length + all.mock.calls.length + rows;
      vi.restoreAllMocks();
      return cost;
    };
    const few = await cost();
    for (let n = 0; n < 10; n++)
      await by('user-ann', (tx) => addUnits(tx, { application: 'web', count: 999, placement: [] }));
    expect(callers.view().count('unit')).toBe(10_000);
    expect(await cost()).toBe(few);
    const { commits } = await history(['web'], { limit: 1 });
    expect(commits[0]).toMatchObject({ events: { length: 500 }, more: 499 });
  });

  test('a very large change is cut in the history, which says that it was cut', async () => {
    await by('user-ann', (tx) => deployUnits(tx, 'web', 2000));
    const [commit] = (await history()).commits;
    expect(commit!.more).toBeGreaterThan(2000);
    expect(commit!.events.length).toBeLessThanOrEqual(500);
    const { commits } = await history(['web/1999']);
    expect(commits[0]?.events[0]?.what).toBe('created');
  });
});

test('superusers see in the history of the controller’s model that a removed model is looked for, and no more', async () => {
  const model = { model: callers.controllerModel };
  const whats = async (): Promise<string[]> =>
    (await history([], {}, model)).commits.flatMap(({ events }) =>
      events.filter(({ subject }) => subject === 'model default').map(({ what }) => what),
    );
  await callers.store.change(
    (tx) => removeModel(tx.in(''), callers.model, { lookAgain: true }),
    'undertaker',
  );
  const begin = 'is removed; the cloud is looked at again, for late calls of an earlier controller';
  expect(await whats()).toEqual([begin]);
  await callers.store.change((tx) => forgetRemovedModel(tx.in(''), callers.model), 'late-calls');
  expect(await whats()).toEqual(['is not looked for in the cloud any more', begin]);
});

describe('StatusAt', () => {
  const statusAt = (params: object): Promise<{ revision: number; time: string; status: FullStatus }> =>
    callers.call('Lives', 'StatusAt', { patterns: [], ...params });

  test('StatusAt returns the status at a revision or time, filtered as usual', async () => {
    await by('user-ann', (tx) => deployUnits(tx, 'mysql'));
    await by('machine-0', (tx) => {
      setStatus(tx, 'unit-agent', 'mysql/0', 'idle');
      setStatus(tx, 'workload', 'mysql/0', 'blocked', 'no disk');
      tx.put('lease', 'mysql', {
        application: 'mysql',
        holder: 'mysql/0',
        expiresAt: '2026-01-01T00:01:00Z',
      });
    });
    const { revision } = callers.view();
    callers.advance(3_600_000);
    await by('user-ann', (tx) => deployUnits(tx, 'web', 3));
    await by('user-ann', (tx) => void destroyUnit(tx, { unit: 'mysql/0' }));
    const then = await statusAt({ revision });
    expect(then).toMatchObject({ revision, time: '2026-01-01T00:00:00.000Z' });
    expect(Object.keys(then.status.applications)).toEqual(['mysql']);
    const unit = then.status.applications['mysql']!.units['mysql/0']!;
    // The agent has no connection now; whether it had one then is unknown.
    expect(unit['agent-status'].status).toBe('idle');
    expect(unit['workload-status']).toMatchObject({ status: 'blocked', info: 'no disk' });
    expect(unit.leader).toBe(true);
    expect(then.status['controller-timestamp']).toBe('2026-01-01T00:00:00.000Z');
    const later = await statusAt({ time: '2026-01-01T00:30:00Z' });
    expect(later).toMatchObject({ revision, time: '2026-01-01T00:00:00.000Z' });
    // The lease had expired by then.
    expect(later.status.applications['mysql']!.units['mysql/0']!.leader).toBeUndefined();
    const now = await statusAt({ revision: callers.view().revision, patterns: ['web/1'] });
    expect(Object.keys(now.status.applications['web']!.units)).toEqual(['web/1']);
  });

  test('StatusAt says why there is no status', async () => {
    await expect(statusAt({ revision: 0 })).rejects.toThrow('there was no model "default" at revision 0');
    await expect(statusAt({ revision: 999 })).rejects.toThrow('revision 999 not found: it is in the future');
    await expect(statusAt({ time: '2026-01-01T00:00:01Z' })).rejects.toThrow('is in the future');
    await expect(statusAt({ time: '2025-01-01T00:00:00Z' })).rejects.toThrow(
      'there was no model "default" at 2025-01-01T00:00:00Z: it has been here since 2026-01-01T00:00:00.000Z, revision 1',
    );
    await expect(statusAt({ time: 'noon' })).rejects.toThrow('"noon" is not a time');
    await expect(statusAt({})).rejects.toMatchObject({ code: 'not valid' });
    await expect(statusAt({ revision: 1, time: '2026-01-01T00:00:00Z' })).rejects.toMatchObject({
      code: 'not valid',
    });
  });
});
