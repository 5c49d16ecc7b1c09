/** Tests of the rules about the sources and ends of units (lives.md#unit-sources, lives.md#unit-end). */
import { attachedTo, storageDoc } from '../../testing/storage-doc.ts';
import { expect, test } from 'vitest';
import { cleanerOf } from '../../testing/cleaner.ts';
import { modelFixture } from '../../testing/model-fixture.ts';
import { end, provision, relate, settle, withSubordinate } from '../../testing/steps.ts';
import { addUnits } from './begin/add-units.ts';
import { commitHook } from './agent/commit-hook.ts';
import { destroyApplication } from './end/destroy-application.ts';
import { destroyRelation } from './end/destroy-relation.ts';
import { destroyOrphan, destroyUnit } from './end/destroy-unit.ts';
import { enterScope } from './agent/enter-scope.ts';
import { claimLeadership } from './agent/leadership.ts';
import { leaveScope } from './end/leave-scope.ts';
import type { Tx } from './tx.ts';
import { removeRecalledUnit, saveAgentState, setUnitDead, unitDeployed } from './agent/unit-agent.ts';

test('principals come through deploy and add-unit', async () => {
  await using model = await modelFixture();
  await model.deploy('mysql', { numUnits: 3 });
  const view = model.view();
  expect([...view.list('unit')].map((unit) => [unit.name, unit.machine, unit.life])).toEqual([
    ['mysql/0', '0', 'alive'],
    ['mysql/1', '1', 'alive'],
    ['mysql/2', '2', 'alive'],
  ]);
  await model.change((tx) => addUnits(tx, { application: 'mysql', count: 1, placement: [] }));
  expect(model.view().get('unit', 'mysql/3')?.principal).toBeUndefined();
});

test('subordinates are created only by their principal entering the scope of an alive container-scoped relation', async () => {
  await using model = await modelFixture();
  await model.deploy('mysql');
  await model.deploy('logging');
  await expect(model.deploy('logging', { name: 'logs', numUnits: 1 })).rejects.toThrow('without units');
  await expect(
    model.change((tx) => addUnits(tx, { application: 'logging', count: 1, placement: [] })),
  ).rejects.toThrow('application is a subordinate');
  await relate(model, 'logging', 'mysql');
  expect(model.view().count('unit', 'application', 'logging')).toBe(0);
  await settle(model, 'mysql/0');
  expect(model.view().get('unit', 'logging/0')).toMatchObject({
    principal: 'mysql/0',
    machine: '0',
    life: 'alive',
  });
  await settle(model, 'mysql/0', 'logging/0');
  expect(model.view().count('unit', 'application', 'logging'), 'one for each principal').toBe(1);
});

test('no subordinate is created anew before the dying one is removed', async () => {
  await using model = await modelFixture();
  const first = await withSubordinate(model);
  await model.change((tx) => {
    destroyRelation(tx, { id: Number(first) });
    for (const unit of ['mysql/0', 'logging/0']) leaveScope(tx, { unit, relation: first });
    destroyOrphan(tx, 'logging/0');
  });
  const relation = await relate(model, 'logging', 'mysql');
  const enter = (): Promise<unknown> => model.change((tx) => enterScope(tx, { unit: 'mysql/0', relation }));
  await expect(enter()).rejects.toMatchObject({ code: 'cannot enter scope yet' });
  await end(model, 'logging/0');
  await enter();
  expect(model.view().get('unit', 'logging/1')?.principal).toBe('mysql/0');
});

test('`remove-unit` makes a principal dying', async () => {
  await using model = await modelFixture();
  await withSubordinate(model);
  await expect(model.change((tx) => destroyUnit(tx, { unit: 'logging/0' }))).rejects.toThrow(
    'unit is a subordinate',
  );
  await model.change((tx) => destroyUnit(tx, { unit: 'mysql/0' }));
  model.advance(60_000);
  await model.change((tx) => destroyUnit(tx, { unit: 'mysql/0' }));
  expect(model.view().get('unit', 'mysql/0'), 'since it was first asked for').toMatchObject({
    life: 'dying',
    dyingSince: '2026-01-01T00:00:00.000Z',
  });
  await expect(model.change((tx) => destroyUnit(tx, { unit: 'mysql/7' }))).rejects.toMatchObject({
    code: 'not found',
  });
});

test('a dying application makes its units dying in batches, never 100,000 units in one transaction', async () => {
  await using model = await modelFixture();
  await model.deploy('mysql', { numUnits: 250 });
  const names = [...model.view().list('unit')].map((unit) => unit.name);
  await model.change((tx) => {
    for (const name of names) unitDeployed(tx, name);
  });
  const sizes: number[] = [];
  const stop = model.store.watch(({ changes }) => void sizes.push(changes.length));
  await model.change((tx) => destroyApplication(tx, { application: 'mysql' }));
  expect(model.view().get('unit', 'mysql/0')?.life).toBe('alive');
  await model.change((tx) => destroyOrphan(tx, 'mysql/0'));
  expect(model.view().get('unit', 'mysql/0')?.life, 'its agent was faster').toBe('dying');
  await cleanerOf(model)();
  stop();
  expect(new Set([...model.view().list('unit')].map((unit) => unit.life))).toEqual(new Set(['dying']));
  expect(Math.max(...sizes)).toBeLessThanOrEqual(100);
});

test('a dying principal makes its subordinates dying', async () => {
  await using model = await modelFixture();
  await withSubordinate(model);
  await model.change((tx) => destroyUnit(tx, { unit: 'mysql/0' }));
  expect(model.view().get('unit', 'logging/0')).toMatchObject({
    life: 'dying',
    dyingSince: '2026-01-01T00:00:00.000Z',
  });
});

test("a subordinate is dying when the last alive relation between its application and its principal's goes", async () => {
  await using model = await modelFixture();
  const relation = await withSubordinate(model);
  await model.change((tx) => destroyOrphan(tx, 'logging/0'));
  expect(model.view().get('unit', 'logging/0')?.life).toBe('alive');
  await model.change((tx) => destroyRelation(tx, { id: Number(relation) }));
  await cleanerOf(model)();
  expect(model.view().get('unit', 'logging/0')?.life).toBe('dying');
  expect(model.view().get('unit', 'mysql/0')?.life).toBe('alive');
});

test('no unit is dead while it has subordinates', async () => {
  await using model = await modelFixture();
  await withSubordinate(model);
  await model.change((tx) => destroyUnit(tx, { unit: 'mysql/0' }));
  await expect(end(model, 'mysql/0')).rejects.toMatchObject({
    code: 'unit has subordinates',
    message: 'unit "mysql/0" has subordinate "logging/0"',
  });
  await model.change((tx) => {
    for (const scope of tx.find('scope', 'unit', 'logging/0'))
      leaveScope(tx, { unit: 'logging/0', relation: scope.relation });
    setUnitDead(tx, 'logging/0');
  });
  await expect(end(model, 'mysql/0'), 'dead is not removed').rejects.toThrow('has subordinate');
  await model.change((tx) => removeRecalledUnit(tx, 'logging/0'));
  await end(model, 'mysql/0');
  expect(model.view().count('unit')).toBe(0);
});

test("no unit is dead while it is in a relation's scope", async () => {
  await using model = await modelFixture();
  await model.deploy('mysql');
  await settle(model, 'mysql/0');
  const dead = (): Promise<unknown> => model.change((tx) => setUnitDead(tx, 'mysql/0'));
  await expect(dead()).rejects.toThrow('unit "mysql/0" is alive');
  await model.change((tx) => destroyUnit(tx, { unit: 'mysql/0' }));
  await expect(dead()).rejects.toThrow('is in the scope of relation "mysql:cluster"');
  await expect(model.change((tx) => removeRecalledUnit(tx, 'mysql/0'))).rejects.toThrow('unit is not dead');
  await end(model, 'mysql/0');
  expect(model.view().get('unit', 'mysql/0')).toBeUndefined();
});

test('undeployed units that are not alive are removed without ever starting', async () => {
  await using model = await modelFixture();
  await model.deploy('mysql', { numUnits: 2 });
  await provision(model, '0', '1');
  await model.change((tx) => destroyUnit(tx, { unit: 'mysql/0' }));
  expect(model.view().get('unit', 'mysql/0')).toBeUndefined();

  // The deployer's report comes too late.
  await model.change((tx) => tx.put('unit', 'mysql/1', { ...tx.get('unit', 'mysql/1')!, life: 'dying' }));
  await expect(model.change((tx) => unitDeployed(tx, 'mysql/1'))).rejects.toMatchObject({ code: 'dead' });
  await model.change((tx) => removeRecalledUnit(tx, 'mysql/1'));
  expect(model.view().count('unit')).toBe(0);
});

test('unit numbers are never used twice', async () => {
  await using model = await modelFixture();
  await model.deploy('mysql');
  await model.change((tx) =>
    destroyApplication(tx, { application: 'mysql', force: { maxWaitMs: 0, by: 'x' } }),
  );
  await model.deploy('wordpress', { name: 'mysql' });
  expect([...model.view().list('unit')].map((unit) => unit.name)).toEqual(['mysql/1']);
});

const agentCalls: [string, (tx: Tx, unit: string, relation: string) => void][] = [
  ['a hook', (tx, unit) => commitHook(tx, hookOf(unit))],
  ['a state', (tx, unit) => saveAgentState(tx, { unit, agentState: {} })],
  ['a place in a relation', (tx, unit, relation) => enterScope(tx, { unit, relation })],
  ['a lease', (tx, unit) => claimLeadership(tx, { unit, durationMs: 60_000 })],
];
test.each(agentCalls)('a dead or removed unit brings nothing back: %s', async (_, agentCall) => {
  await using model = await modelFixture();
  await model.deploy('mysql', { numUnits: 2 });
  await settle(model, 'mysql/0', 'mysql/1');
  const { id } = [...model.view().list('relation')][0]!;
  await model.change((tx) => {
    for (const unit of ['mysql/0', 'mysql/1']) {
      destroyUnit(tx, { unit });
      leaveScope(tx, { unit, relation: String(id) });
      setUnitDead(tx, unit);
    }
    removeRecalledUnit(tx, 'mysql/1');
  });
  const before = model.store.read().revision;
  await expect(model.change((tx) => agentCall(tx, 'mysql/0', String(id)))).rejects.toThrow();
  await expect(model.change((tx) => agentCall(tx, 'mysql/1', String(id)))).rejects.toThrow('not found');
  expect(model.store.read().revision).toBe(before);
});

test('everything that belongs only to the unit goes with it', async () => {
  await using model = await modelFixture();
  await model.deploy('mysql');
  await settle(model, 'mysql/0');
  await model.change((tx) => {
    claimLeadership(tx, { unit: 'mysql/0', durationMs: 60_000 });
    commitHook(tx, hookOf('mysql/0'));
    tx.put('storage', 'data/0', storageDoc('data/0', attachedTo('mysql/0')));
    destroyUnit(tx, { unit: 'mysql/0', force: { maxWaitMs: 0, by: 'x' } });
  });
  const view = model.view();
  for (const kind of ['unit', 'scope', 'unit-state', 'lease', 'storage'] as const)
    expect(view.count(kind), kind).toBe(0);
  expect([...view.list('status')].map(({ kind }) => kind)).toEqual(['relation']);
});

function hookOf(unit: string): Parameters<typeof commitHook>[1] {
  return { unit, hookId: 'h', relationSettings: [], openPorts: [], closePorts: [], agentState: {} };
}
