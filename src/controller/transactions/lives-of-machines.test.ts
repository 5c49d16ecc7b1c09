/** Tests of the rules about the ends of machines (lives.md#machine-end, lives.md#machine-made-for-units). */
import { storageDoc } from '../../testing/storage-doc.ts';
import { expect, test } from 'vitest';
import { cleanerOf } from '../../testing/cleaner.ts';
import { modelFixture, type ModelFixture } from '../../testing/model-fixture.ts';
import { end, provision, settle, withSubordinate } from '../../testing/steps.ts';
import { forgetMachine } from './end/forget-machine.ts';
import { addMachine } from './begin/add-machine.ts';
import { addUnits } from './begin/add-units.ts';
import { destroyApplication } from './end/destroy-application.ts';
import { destroyMachine } from './end/destroy-machine.ts';
import { destroyUnit } from './end/destroy-unit.ts';
import { removeMachine, setMachineDead } from './end/remove-machine.ts';
import type { Tx } from './tx.ts';

const base = { name: 'ubuntu', channel: '24.04/stable' };
const forceNow = { maxWaitMs: 0, by: 'user-admin' };
const forceInAMinute = { maxWaitMs: 60_000, by: 'user-admin' };

async function spare(model: ModelFixture, removeWhenEmpty = false): Promise<string> {
  return (await model.change((tx) => addMachine(tx, { base, constraints: {}, removeWhenEmpty }))).id;
}

/** A container as its host sees it, written directly. */
async function container(model: ModelFixture, host: string): Promise<string> {
  const id = `${host}/lxd/0`;
  await model.change((tx) => {
    tx.put('machine', id, { ...tx.get('machine', host)!, id, parent: host, nonce: 'n', clean: false });
  });
  return id;
}

function remove(model: ModelFixture, machine: string, more: object = {}): Promise<unknown> {
  return model.change((tx) => destroyMachine(tx, { machine, keepInstance: false, ...more }));
}

test('only alive machines get principal units', async () => {
  await using model = await modelFixture();
  await spare(model);
  await provision(model, '0');
  await remove(model, '0');
  expect(model.view().get('machine', '0')?.life).toBe('dying');
  const onMachine = { numUnits: 1, placement: [{ scope: '#', directive: '0' }] };
  await expect(model.deploy('mysql', onMachine)).rejects.toThrow('machine 0 is dying');
  await model.deploy('mysql');
  expect(model.view().get('unit', 'mysql/0')?.machine, 'the dying one is not taken for a spare one').toBe(
    '1',
  );
  const placement = onMachine.placement;
  await expect(
    model.change((tx) => addUnits(tx, { application: 'mysql', count: 1, placement })),
  ).rejects.toThrow('machine 0 is dying');
});

test("a controller's machine can't die while it manages the model (last controller)", async () => {
  await using model = await modelFixture();
  await spare(model, true);
  await model.change((tx) => tx.put('machine', '0', { ...tx.get('machine', '0')!, isController: true }));
  await expect(remove(model, '0')).rejects.toThrow('cannot remove machine 0: it runs the only controller');
  await expect(remove(model, '0', { force: forceNow })).rejects.toThrow('it runs the only controller');
  await model.deploy('mysql', { placement: [{ scope: '#', directive: '0' }] });
  await model.change((tx) => destroyUnit(tx, { unit: 'mysql/0' }));
  expect(model.view().get('machine', '0')?.life, 'nor with its last unit').toBe('alive');
});

test('`remove-machine` refuses while alive principals of alive applications are assigned or containers exist, naming them', async () => {
  await using model = await modelFixture();
  await model.deploy('mysql');
  await model.deploy('wordpress', { placement: [{ scope: '#', directive: '0' }] });
  await container(model, '0');
  await expect(remove(model, '0')).rejects.toMatchObject({
    code: 'machine has assigned units',
    message:
      'machine 0 has unit "mysql/0" assigned; machine 0 has unit "wordpress/0" assigned; machine 0 is hosting container "0/lxd/0"',
  });
  await model.change((tx) => {
    destroyUnit(tx, { unit: 'mysql/0' });
    destroyUnit(tx, { unit: 'wordpress/0' });
  });
  await expect(remove(model, '0')).rejects.toMatchObject({ code: 'machine is hosting containers' });
  expect(model.view().get('machine', '0')?.life).toBe('alive');
});

test.each([
  [
    'of units that are dying',
    (tx: Parameters<typeof destroyUnit>[0]) => destroyUnit(tx, { unit: 'mysql/0' }),
  ],
  [
    'of units of a dying application',
    (tx: Parameters<typeof destroyUnit>[0]) => destroyApplication(tx, { application: 'mysql' }),
  ],
])('remove-machine makes a machine %s dying', async (_, step) => {
  await using model = await modelFixture();
  await model.deploy('mysql');
  await provision(model, '0');
  await settle(model, 'mysql/0');
  await model.change(step);
  await remove(model, '0');
  expect(model.view().get('machine', '0')).toMatchObject({
    life: 'dying',
    dyingSince: '2026-01-01T00:00:00.000Z',
  });
});

test('the agent of a machine makes it dead once its dying units are gone', async () => {
  await using model = await modelFixture();
  await withSubordinate(model);
  await provision(model, '0');
  await expect(model.change((tx) => setMachineDead(tx, '0'))).rejects.toThrow('machine 0 is alive');
  await model.change((tx) => destroyUnit(tx, { unit: 'mysql/0' }));
  await remove(model, '0');
  await expect(model.change((tx) => setMachineDead(tx, '0'))).rejects.toMatchObject({
    code: 'machine has assigned units',
    message: 'machine 0 has unit "mysql/0" assigned',
  });
  await end(model, 'logging/0');
  await end(model, 'mysql/0');
  await model.change((tx) => setMachineDead(tx, '0'));
  expect(model.view().get('machine', '0')?.life, 'the provisioner removes it').toBe('dead');
});

test('a machine never provisioned is removed without waiting for an agent that will never come', async () => {
  await using model = await modelFixture();
  await spare(model);
  await remove(model, '0');
  expect(model.view().get('machine', '0')).toBeUndefined();
});

test('a unit on a machine that was never provisioned can be removed directly', async () => {
  await using model = await modelFixture();
  await model.deploy('mysql', { numUnits: 2 });
  await model.change((tx) => destroyUnit(tx, { unit: 'mysql/0' }));
  expect(model.view().get('unit', 'mysql/0')).toBeUndefined();
  expect(model.view().get('machine', '0')).toBeUndefined();

  await model.change((tx) => destroyApplication(tx, { application: 'mysql' }));
  await remove(model, '1');
  expect(model.view().get('machine', '1')?.life, 'as long as its unit is there').toBe('dying');
  await cleanerOf(model)();
  expect(model.view().get('machine', '1')).toBeUndefined();
});

test('`--keep-instance` keeps the instance of a removed machine', async () => {
  await using model = await modelFixture();
  await spare(model);
  await provision(model, '0');
  await remove(model, '0', { keepInstance: true });
  await remove(model, '0');
  expect(model.view().get('machine', '0')?.keepInstance, 'said once, it is said').toBe(true);
  await model.change((tx) => {
    setMachineDead(tx, '0');
    forgetMachine(tx, '0', 'i-0');
  });
  expect(model.view().get('machine', '0')).toBeUndefined();
  expect(model.view().in('').get('model', model.uuid)?.keptInstances).toEqual(['i-0']);
});

test('whether a machine is removed together with its last unit is a policy of the machine', async () => {
  await using model = await modelFixture();
  await spare(model);
  await model.deploy('mysql', { numUnits: 2, reuse: true });
  await provision(model, '0', '1');
  const view = model.view();
  expect([view.get('unit', 'mysql/0')?.machine, view.get('unit', 'mysql/1')?.machine]).toEqual(['0', '1']);
  await model.change((tx) => destroyApplication(tx, { application: 'mysql', force: forceNow }));
  expect(model.view().get('machine', '0')?.life, 'made by add-machine').toBe('alive');
  expect(model.view().get('machine', '1'), 'made for a unit').toMatchObject({
    life: 'dead',
    force: { by: 'user-admin' },
  });
});

test.each([
  [
    'a forced unit that no agent has taken up',
    [],
    (tx: Tx) => destroyUnit(tx, { unit: 'mysql/0', force: forceInAMinute }),
  ],
  [
    'a forced unit whose agent has ended it in time',
    ['mysql/0'],
    (tx: Tx) => destroyUnit(tx, { unit: 'mysql/0', force: forceInAMinute }),
  ],
  [
    'a unit of a forced application',
    ['mysql/0'],
    (tx: Tx) => {
      destroyApplication(tx, { application: 'mysql', force: forceInAMinute });
      destroyUnit(tx, { unit: 'mysql/0' });
    },
  ],
])('a machine that goes with %s has no more time than that had', async (_, running, removal) => {
  await using model = await modelFixture();
  await model.deploy('mysql');
  await provision(model, '0');
  await settle(model, ...running);
  await model.change(removal);
  for (const unit of running) await end(model, unit);
  const deadline = '2026-01-01T00:01:00.000Z';
  expect(model.view().get('machine', '0')).toMatchObject({ life: 'dying', force: { deadline } });
  model.advance(60_000);
  await cleanerOf(model)();
  expect(model.view().get('machine', '0')?.life, 'its agent never came').toBe('dead');
});

test('a machine stays with its containers, and goes with the last of them', async () => {
  await using model = await modelFixture();
  await model.deploy('mysql');
  await provision(model, '0');
  const id = await container(model, '0');
  await model.change((tx) => destroyUnit(tx, { unit: 'mysql/0' }));
  expect(model.view().get('machine', '0')?.life).toBe('alive');
  await model.change((tx) => removeMachine(tx, id));
  expect(model.view().get('machine', '0')?.life).toBe('dying');
});

test('machine numbers are never used twice', async () => {
  await using model = await modelFixture();
  await spare(model);
  await remove(model, '0');
  expect(await spare(model)).toBe('1');
});

test('storage that outlives a machine keeps it until it is detached', async () => {
  await using model = await modelFixture();
  await spare(model);
  await provision(model, '0');
  await model.change((tx) =>
    tx.put('storage', 'data/0', storageDoc('data/0', { machine: '0', instance: 'i-0', detachable: true })),
  );
  await remove(model, '0');
  await expect(model.change((tx) => setMachineDead(tx, '0'))).rejects.toThrow(
    'machine 0 has storage "data/0" attached',
  );
});
