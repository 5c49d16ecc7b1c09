import { expect, test } from 'vitest';
import { cleanerOf } from '../../testing/cleaner.ts';
import { modelFixture, type ModelFixture } from '../../testing/model-fixture.ts';
import { addMachine } from './add-machine.ts';
import { addRelation } from './add-relation.ts';
import { addUnits } from './add-units.ts';
import { destroyApplication } from './destroy-application.ts';
import { destroyModel } from './destroy-model.ts';
import { destroyMachine } from './destroy-machine.ts';
import { destroyRelation } from './destroy-relation.ts';
import { destroyUnit } from './destroy-unit.ts';
import { enterScope } from './enter-scope.ts';
import type { ForceRequest } from './force.ts';
import { leaveScope } from './leave-scope.ts';
import { removeRecalledUnit, setUnitDead, unitDeployed } from './unit-agent.ts';

const base = { name: 'ubuntu', channel: '24.04/stable' };

/** Deployed, alive, and in each of its relations, as an agent leaves it. */
async function settle(model: ModelFixture, ...units: string[]): Promise<void> {
  for (const unit of units)
    await model.change((tx) => {
      unitDeployed(tx, unit);
      const { application } = tx.get('unit', unit)!;
      for (const relation of tx.find('relation', 'application', application))
        enterScope(tx, { unit, relation: String(relation.id) });
    });
}

/** What a dying unit's agent does at its end. */
async function end(model: ModelFixture, unit: string): Promise<void> {
  await model.change((tx) => {
    for (const scope of tx.find('scope', 'unit', unit)) leaveScope(tx, { unit, relation: scope.relation });
    setUnitDead(tx, unit);
    removeRecalledUnit(tx, unit);
  });
}

test('deploying makes the application, its peer relation, units and machines in one change', async () => {
  await using model = await modelFixture();
  await model.deploy('mysql', { numUnits: 3 });
  const view = model.view();
  expect([...view.list('unit')].map((unit) => [unit.name, unit.machine, unit.life])).toEqual([
    ['mysql/0', '0', 'alive'],
    ['mysql/1', '1', 'alive'],
    ['mysql/2', '2', 'alive'],
  ]);
  expect([...view.list('relation')].map((relation) => relation.key)).toEqual(['mysql:cluster']);
  expect([...view.list('machine')].every((machine) => machine.removeWhenEmpty)).toBe(true);
});

test('a name taken, a charm or a machine that is not there: nothing is left behind', async () => {
  await using model = await modelFixture();
  await model.deploy('mysql');
  const before = model.store.read().revision;
  await expect(model.deploy('mysql')).rejects.toThrow('application already exists');
  await expect(model.deploy('mysql', { name: 'other', charmUrl: 'local:none-0' })).rejects.toThrow(
    'charm "local:none-0" not found',
  );
  await expect(
    model.deploy('mysql', { name: 'other', placement: [{ scope: '#', directive: '9' }] }),
  ).rejects.toThrow('machine 9 not found');
  await expect(model.deploy('mysql', { name: 'Wrong Name' })).rejects.toThrow(
    'invalid application name "Wrong Name"',
  );
  await expect(model.deploy('logging', { numUnits: 1 })).rejects.toThrow('without units');
  expect(model.store.read().revision).toBe(before);
});

test('a spare machine of add-machine is taken first, and never removed with its unit', async () => {
  await using model = await modelFixture();
  await model.change((tx) => addMachine(tx, { base, constraints: {}, removeWhenEmpty: false }));
  await model.deploy('mysql', { numUnits: 2 });
  expect(model.view().get('unit', 'mysql/0')?.machine).toBe('0');
  expect(model.view().get('unit', 'mysql/1')?.machine).toBe('1');
  await model.change((tx) => destroyUnit(tx, { unit: 'mysql/0' }));
  await model.change((tx) => destroyUnit(tx, { unit: 'mysql/1' }));
  expect(model.view().get('machine', '0')?.life).toBe('alive');
  expect(model.view().get('machine', '1')).toBeUndefined();
});

test('a spare machine that one unit is placed on is no spare machine for the next', async () => {
  await using model = await modelFixture();
  await model.change((tx) => addMachine(tx, { base, constraints: {}, removeWhenEmpty: false }));
  await model.deploy('mysql', { numUnits: 2, placement: [{ scope: '#', directive: '0' }] });
  expect([...model.view().list('unit')].map((unit) => unit.machine)).toEqual(['0', '1']);
});

test('a unit that nobody deployed is removed at once; a deployed one is dying until its agent is done', async () => {
  await using model = await modelFixture();
  await model.deploy('mysql', { numUnits: 2 });
  await settle(model, 'mysql/1');
  await model.change((tx) => destroyUnit(tx, { unit: 'mysql/0' }));
  await model.change((tx) => destroyUnit(tx, { unit: 'mysql/1' }));
  expect(model.view().get('unit', 'mysql/0')).toBeUndefined();
  expect(model.view().get('unit', 'mysql/1')?.life).toBe('dying');
  await expect(model.change((tx) => setUnitDead(tx, 'mysql/1'))).rejects.toThrow(
    'is in the scope of relation "mysql:cluster"',
  );
  await end(model, 'mysql/1');
  expect(model.view().count('unit')).toBe(0);
  await model.change((tx) => addUnits(tx, { application: 'mysql', count: 1, placement: [] }));
  expect(model.view().get('unit', 'mysql/2')?.machine, 'numbers are never used twice').toBe('2');
});

test('a principal in a container relation makes its subordinate, and cannot be dead before it is gone', async () => {
  await using model = await modelFixture();
  await model.deploy('mysql');
  await model.deploy('logging');
  await model.change((tx) => addRelation(tx, { endpoints: ['logging', 'mysql'] }));
  await settle(model, 'mysql/0');
  const subordinate = model.view().get('unit', 'logging/0');
  expect(subordinate).toMatchObject({ principal: 'mysql/0', machine: '0', life: 'alive' });
  await settle(model, 'mysql/0', 'logging/0');
  expect(model.view().count('unit')).toBe(2);

  await expect(model.change((tx) => destroyUnit(tx, { unit: 'logging/0' }))).rejects.toThrow(
    'unit is a subordinate',
  );
  await model.change((tx) => destroyUnit(tx, { unit: 'mysql/0' }));
  expect(model.view().get('unit', 'logging/0')?.life).toBe('dying');
  await expect(end(model, 'mysql/0')).rejects.toThrow('has subordinate "logging/0"');
  await end(model, 'logging/0');
  await end(model, 'mysql/0');
  expect(model.view().count('unit')).toBe(0);
});

test('a relation goes at once when nobody is in it, else with the last who leaves', async () => {
  await using model = await modelFixture();
  await model.deploy('mysql');
  await model.deploy('wordpress');
  await model.change((tx) => addRelation(tx, { endpoints: ['wordpress', 'mysql'] }));
  await model.change((tx) => destroyRelation(tx, { endpoints: ['wordpress', 'mysql'] }));
  expect(model.view().count('relation', 'key', 'wordpress:db mysql:server')).toBe(0);

  const { id } = await model.change((tx) => addRelation(tx, { endpoints: ['wordpress:db', 'mysql:server'] }));
  await expect(model.change((tx) => addRelation(tx, { endpoints: ['mysql', 'wordpress'] }))).rejects.toThrow(
    'already exists',
  );
  await settle(model, 'mysql/0', 'wordpress/0');
  await model.change((tx) => destroyRelation(tx, { id }));
  await expect(
    model.change((tx) => enterScope(tx, { unit: 'wordpress/0', relation: String(id) })),
  ).rejects.toThrow('cannot enter scope');
  await model.change((tx) => leaveScope(tx, { unit: 'wordpress/0', relation: String(id) }));
  expect(model.view().get('relation', String(id))?.life).toBe('dying');
  await model.change((tx) => leaveScope(tx, { unit: 'mysql/0', relation: String(id) }));
  expect(model.view().get('relation', String(id))).toBeUndefined();
  expect([...model.view().list('settings')].filter((doc) => doc.relation === String(id))).toEqual([]);
  await expect(model.change((tx) => destroyRelation(tx, { id: 0 }))).rejects.toThrow('is a peer relation');
});

test('a dying application is removed by the unit of another that leaves its last relation', async () => {
  await using model = await modelFixture();
  await model.deploy('mysql');
  await model.deploy('wordpress');
  const { id } = await model.change((tx) => addRelation(tx, { endpoints: ['wordpress', 'mysql'] }));
  await settle(model, 'mysql/0', 'wordpress/0');
  await model.change((tx) => destroyApplication(tx, { application: 'mysql' }));
  await cleanerOf(model)();
  await end(model, 'mysql/0');
  expect(model.view().get('application', 'mysql')?.life).toBe('dying');
  await model.change((tx) => leaveScope(tx, { unit: 'wordpress/0', relation: String(id) }));
  expect(model.view().get('application', 'mysql')).toBeUndefined();
  expect(model.view().get('charm', 'local:mysql-0')).toBeUndefined();
  expect(model.view().get('application', 'wordpress')?.life).toBe('alive');
  expect(model.view().count('relation')).toBe(0);
});

test('remove-machine names the units in its way; forced, everything on it goes', async () => {
  await using model = await modelFixture();
  await model.deploy('mysql');
  await settle(model, 'mysql/0');
  const destroy = (force?: ForceRequest): Promise<unknown> =>
    model.change((tx) => destroyMachine(tx, { machine: '0', ...(force && { force }), keepInstance: false }));
  await expect(destroy()).rejects.toThrow('machine 0 has unit "mysql/0" assigned');
  await model.change((tx) => tx.put('machine', '0', { ...tx.get('machine', '0')!, nonce: 'n' }));
  await destroy({ maxWaitMs: 0, by: 'test' });
  expect(model.view().count('unit')).toBe(0);
  expect(model.view().count('scope')).toBe(0);
  expect(model.view().get('machine', '0')?.life).toBe('dead');
});

test('nothing is added to a model that is going', async () => {
  await using model = await modelFixture();
  await model.deploy('mysql');
  await model.deploy('wordpress');
  await model.store.change((tx) => destroyModel(tx, { uuid: model.uuid }), 'test');
  const gone = 'model "default" is no longer alive';
  await expect(model.deploy('mysql', { name: 'other' })).rejects.toThrow(gone);
  await expect(
    model.change((tx) => addUnits(tx, { application: 'mysql', count: 1, placement: [] })),
  ).rejects.toThrow(gone);
  await expect(
    model.change((tx) => addMachine(tx, { base, constraints: {}, removeWhenEmpty: false })),
  ).rejects.toThrow(gone);
  await expect(model.change((tx) => addRelation(tx, { endpoints: ['wordpress', 'mysql'] }))).rejects.toThrow(
    gone,
  );
});
