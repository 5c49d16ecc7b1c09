import { afterEach, beforeEach, expect, test } from 'vitest';
import { createCallers, type Callers } from '../../../testing/call.ts';
import type { z } from 'zod';
import type { Entities } from '../../../core/kinds.ts';
import type { explained, removals } from '../../../wire/facades/explanation.ts';
import { destroyApplication } from '../../transactions/end/destroy-application.ts';
import { addRelation } from '../../transactions/begin/add-relation.ts';
import { enterScope } from '../../transactions/agent/enter-scope.ts';
import { setStatus } from '../../transactions/tx.ts';
import { deployUnits } from '../../../testing/deploy-units.ts';
import { defined } from '../../../core/defined.ts';

let callers: Callers;
beforeEach(async () => {
  callers = await createCallers();
  await callers.addCharm('web', { requires: { db: 'mysql' } });
  await callers.addCharm('mysql', { provides: { server: 'mysql' } });
  await callers.change((tx) => {
    deployUnits(tx, 'web', 1);
    deployUnits(tx, 'mysql', 2);
    addRelation(tx, { endpoints: ['web', 'mysql'] });
    for (const machine of ['0', '1', '2'])
      tx.put('machine', machine, {
        ...tx.get('machine', machine)!,
        instance: { id: `i-${machine}`, displayName: '', hardware: {}, isolation: '' },
      });
    for (const unit of ['web/0', 'mysql/0', 'mysql/1']) {
      tx.put('unit', unit, { ...tx.get('unit', unit)!, deployed: true });
      setStatus(tx, 'unit-agent', unit, 'idle');
      enterScope(tx, { unit, relation: '0' });
    }
    for (const machine of ['0', '1', '2']) setStatus(tx, 'machine-agent', machine, 'started');
  });
  for (const machine of ['0', '1', '2']) callers.setPresent(machine);
});
afterEach(() => callers[Symbol.asyncDispose]());

const explain = (...names: string[]) =>
  callers.call<z.output<typeof explained>>('Lives', 'Explain', { names });

test('Explain shows how much of their limits a unit, a model and its owner use', async () => {
  await callers.change((tx) => {
    tx.put('unit-state', 'mysql/0', { unit: 'mysql/0', lastHook: '', agent: {}, charm: { key: 'value' } });
    tx.put('settings', '0#mysql/0', { relation: '0', owner: 'mysql/0', values: { a: 'b' }, version: 1 });
  });
  const quotas = async (...names: string[]): Promise<Record<string, string>> =>
    Object.fromEntries(
      (await explain(...names)).quotas.map(({ limit, of, used, max, unit }) => [
        limit,
        `${of}: ${used} of ${max} ${unit}`,
      ]),
    );
  expect(await quotas('mysql/0')).toMatchObject({
    charmState: 'charm state: 15 of 2097152 bytes',
    charmStateValue: 'value in charm state: 5 of 65536 characters',
    databag: 'settings in relation 0: 9 of 2097152 bytes',
    queuedTasksOfReceiver: 'waiting tasks: 0 of 1000 entries',
  });
  expect(await quotas('mysql')).toMatchObject({
    relationsOfApplication: 'relations: 1 of 10000 entries',
    applicationConfig: 'config: 2 of 2097152 bytes',
  });
  expect(await quotas()).toMatchObject({
    units: 'units: 3 of 250000 entries',
    modelsOfUser: 'models of user admin: 2 of 1000 entries',
    credentialsOfUser: 'credentials of user admin: 0 of 100 entries',
  });
});

test('ExplainUser shows a user’s use of limits to that user and to superusers', async () => {
  await callers.addUser('bob');
  await callers.addUser('ann');
  await callers.store.change(
    (tx) => tx.put('credential', 'c', { ...({} as Entities['credential']), owner: 'bob' }),
    'test',
  );
  const explainUser = (user: string, as?: string) =>
    callers.call<z.output<typeof explained>>(
      'Lives',
      'ExplainUser',
      { tag: `user-${user}` },
      { model: '', ...defined({ as }) },
    );
  const ownAnswer = await explainUser('bob', 'bob');
  expect(ownAnswer).toMatchObject({
    explanation: { kind: 'user', id: 'bob', name: 'user bob', text: 'has login access' },
    next: [],
    quotas: [
      { limit: 'modelsOfUser', of: 'models', used: 0, max: 1000, unit: 'entries' },
      { limit: 'credentialsOfUser', of: 'credentials', used: 1, max: 100, unit: 'entries' },
    ],
  });
  expect(await explainUser('bob')).toEqual(ownAnswer);
  expect((await explainUser('admin')).quotas[0]).toMatchObject({ limit: 'modelsOfUser', used: 2 });
  await expect(explainUser('ann', 'bob')).rejects.toMatchObject({ code: 'unauthorized access' });
  await expect(explainUser('nobody', 'bob')).rejects.toMatchObject({ code: 'unauthorized access' });
  await expect(explainUser('nobody')).rejects.toMatchObject({
    code: 'not found',
    message: 'user "nobody" not found',
  });
});

test('Explain follows a real removal down to the unit whose hook failed', async () => {
  await callers.change((tx) => {
    destroyApplication(tx, { application: 'mysql' });
    setStatus(tx, 'unit-agent', 'web/0', 'error', 'hook failed: "db-relation-departed"', {
      hook: 'db-relation-departed',
    });
  });
  callers.advance(60_000);
  const { now, explanation, next } = await explain('web:db', 'mysql:server');
  expect(now).toBe('2026-01-01T00:01:00.000Z');
  expect(explanation).toMatchObject({
    kind: 'relation',
    id: '0',
    name: 'relation web:db mysql:server',
    life: 'dying',
    since: '2026-01-01T00:00:00.000Z',
    text: '3 units are in its scope',
    more: 0,
    above: false,
  });
  expect(explanation['waits-for'][0]).toMatchObject({
    name: 'unit web/0',
    life: 'alive',
    text: 'hook failed: "db-relation-departed"',
  });
  expect(next[0]).toMatchObject({ kind: 'operator', name: 'unit web/0' });
  expect(next[0]!.commands[0]).toEqual({
    line: 'resolved web/0',
    effect: 'runs hook db-relation-departed again',
  });
});

test('an agent that disconnected is lost since then', async () => {
  await callers.addCharm('solo');
  await callers.change((tx) => {
    deployUnits(tx, 'solo', 1);
    tx.put('machine', '3', {
      ...tx.get('machine', '3')!,
      instance: { id: 'i-3', displayName: '', hardware: {}, isolation: '' },
    });
    setStatus(tx, 'machine-agent', '3', 'started');
  });
  const leave = callers.setPresent('3');
  callers.advance(30_000);
  leave();
  callers.advance(30_000);
  expect((await explain('3')).next).toMatchObject([
    { kind: 'operator', name: 'machine 3', since: '2026-01-01T00:00:30.000Z' },
  ]);
});

test('Explain names existing entities when it refuses a name', async () => {
  await expect(explain('mysql/7')).rejects.toMatchObject({
    code: 'not found',
    message: 'unit "mysql/7" not found; mysql has units mysql/0, mysql/1',
  });
});

test('Removals lists forced removals and unreleased machines', async () => {
  const list = () => callers.call<z.output<typeof removals>>('Lives', 'Removals');
  expect(await list()).toEqual({ now: '2026-01-01T00:00:00.000Z', removals: [], total: 0 });
  await callers.change((tx) => {
    destroyApplication(tx, { application: 'mysql', force: { maxWaitMs: 60_000, by: 'user-admin' } });
    tx.put('machine', '0', { ...tx.get('machine', '0')!, life: 'dead', dyingSince: tx.now });
  });
  const { removals: found, total } = await list();
  expect(total).toBe(found.length);
  expect(found).toContainEqual({
    kind: 'application',
    id: 'mysql',
    name: 'application mysql',
    life: 'dying',
    since: '2026-01-01T00:00:00.000Z',
    force: { deadline: '2026-01-01T00:01:00.000Z', by: 'user-admin' },
    'waits-for': 'waiting for 2 units',
  });
  expect(found.at(-1)).toMatchObject({
    name: 'machine 0',
    life: 'dead',
    'waits-for': 'instance i-0 is being released',
  });
});
