/** Placement of units and machines in containers (placing.md#new-machine), and the lives of containers and hosts. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Constraints } from '../../core/constraints.ts';
import type { MachineDoc } from '../../core/machine/document.ts';
import { parsePlacement } from '../../core/placement.ts';
import { modelFixture, type ModelFixture } from '../../testing/model-fixture.ts';
import { addMachine } from './begin/add-machine.ts';
import { addUnits } from './begin/add-units.ts';
import { destroyMachine } from './end/destroy-machine.ts';
import { destroyUnit } from './end/destroy-unit.ts';
import { removeMachine, setMachineDead } from './end/remove-machine.ts';
import type { Tx } from './tx.ts';
import { defined } from '../../core/defined.ts';

let model: ModelFixture;
beforeEach(async () => void (model = await modelFixture()));
afterEach(() => model[Symbol.asyncDispose]());

const base = { name: 'ubuntu', channel: '24.04/stable' };
const older = { name: 'ubuntu', channel: '22.04/stable' };
const containerTypes = ['lxd'];

const add = (to = '', constraints: Constraints = {}, of = base): Promise<MachineDoc> =>
  model.change((tx) =>
    addMachine(tx, {
      base: of,
      constraints,
      ...defined({ placement: to ? parsePlacement(to, tx.space) : undefined }),
      removeWhenEmpty: false,
      containerTypes,
    }),
  );
const deploy = (to: readonly string[], constraints: Constraints = {}, numUnits = to.length): Promise<void> =>
  model.deploy('mysql', {
    numUnits,
    constraints,
    placement: to.map((one) => parsePlacement(one, model.uuid)),
    containerTypes,
  });
const machine = (id: string): MachineDoc | undefined => model.view().get('machine', id);
const machines = (): string[] => [...model.view().list('machine')].map(({ id }) => id);
const machineOf = (unit: string): string | undefined => model.view().get('unit', unit)?.machine;
const change = (id: string, more: Partial<MachineDoc>): Promise<void> =>
  model.change((tx) => tx.put('machine', id, { ...tx.get('machine', id)!, ...more }));
const started = (id: string): Partial<MachineDoc> => ({
  nonce: `nonce-${id}`,
  instance: { id: `i-${id}`, displayName: id, hardware: {}, isolation: '' },
});

describe('a directive puts a machine or unit into a container', () => {
  test('`lxd:1` is a new container on machine 1, numbered by host and type, a number never given twice', async () => {
    await add();
    await add();
    expect((await add('lxd:1')).id).toBe('1/lxd/0');
    expect((await add('lxd:0')).id).toBe('0/lxd/0');
    await model.change((tx) => destroyMachine(tx, { machine: '1/lxd/0', keepInstance: false }));
    expect((await add('lxd:1')).id).toBe('1/lxd/1');
    expect(machine('1/lxd/1')).toMatchObject({ parent: '1', containerType: 'lxd', base, clean: true });
    expect(machine('1')?.clean).toBe(false);
    expect(machines()).toEqual(expect.arrayContaining(['0', '1', '0/lxd/0', '1/lxd/1']));
  });

  test('`lxd` alone creates a new machine with a container in it, both with the unit’s constraints', async () => {
    await deploy(['lxd'], { mem: 2048 });
    expect(machineOf('mysql/0')).toBe('0/lxd/0');
    for (const id of ['0', '0/lxd/0'])
      expect(machine(id)).toMatchObject({ constraints: { mem: 2048 }, removeWhenEmpty: true, clean: false });
  });

  test('the constraint container=lxd creates a container, and is asked of neither machine', async () => {
    await deploy([], { mem: 2048, container: 'lxd' }, 2);
    expect([machineOf('mysql/0'), machineOf('mysql/1')]).toEqual(['0/lxd/0', '1/lxd/0']);
    expect(machine('0')?.constraints).toEqual({ mem: 2048 });
    expect(machine('0/lxd/0')?.constraints).toEqual({ mem: 2048 });
    expect(model.view().get('unit', 'mysql/0')?.constraints).toEqual({ mem: 2048, container: 'lxd' });
  });

  test.each([
    ['none', '0'],
    ['', '0'],
    [undefined, '0/lxd/0'],
  ])(
    'an application takes container=lxd of its model away with container=%s',
    async (applicationConstraint, id) => {
      await model.change((tx) => {
        const doc = tx.in('').get('model', model.uuid)!;
        tx.in('').put('model', model.uuid, { ...doc, constraints: { container: 'lxd' } });
      });
      await deploy([], applicationConstraint === undefined ? {} : { container: applicationConstraint }, 1);
      expect(machineOf('mysql/0')).toBe(id);
    },
  );

  test('a directive of the provider applies to the host, and drops no constraint', async () => {
    await deploy(['zone=z1'], { container: 'lxd', mem: 512 });
    expect(machineOf('mysql/0')).toBe('0/lxd/0');
    expect(machine('0')).toMatchObject({ placement: { directive: 'zone=z1' }, constraints: { mem: 512 } });
    expect(machine('0/lxd/0')).not.toHaveProperty('placement');
  });

  test('container=lxd on a named machine creates a container there; a named container already satisfies it', async () => {
    await add();
    await deploy(['0', '0/lxd/0'], { container: 'lxd' });
    expect([machineOf('mysql/0'), machineOf('mysql/1')]).toEqual(['0/lxd/0', '0/lxd/0']);
  });

  test('units take the given container placements in order; the rest get machines of their own', async () => {
    await add();
    await deploy(['lxd:0', 'lxd:0', 'lxd', '0'], {}, 6);
    expect([0, 1, 2, 3, 4, 5].map((n) => machineOf(`mysql/${n}`))).toEqual([
      '0/lxd/0',
      '0/lxd/1',
      '1/lxd/0',
      '0',
      '2',
      '3',
    ]);
    expect(machines()).toHaveLength(7);
  });

  test('add-machine in a container merges its constraints over the model’s and drops none', async () => {
    await model.change((tx) => {
      const doc = tx.in('').get('model', model.uuid)!;
      tx.in('').put('model', model.uuid, { ...doc, constraints: { mem: 1024, cores: 2 } });
    });
    await add('', { cores: 1 });
    await add('lxd:0', { cores: 4 });
    await add('lxd', { mem: 4096 });
    expect(machine('0/lxd/0')?.constraints).toEqual({ mem: 1024, cores: 4 });
    for (const id of ['1', '1/lxd/0'])
      expect(machine(id)).toMatchObject({ constraints: { mem: 4096, cores: 2 }, removeWhenEmpty: false });
  });

  test('a container has the base of its unit, whatever the base of its host', async () => {
    await add('', {}, older);
    await deploy(['lxd:0']);
    expect([machine('0')?.base, machine('0/lxd/0')?.base]).toEqual([older, base]);
  });

  test('a spare container is taken by a unit that wants a container, a spare machine by one that wants none', async () => {
    await add();
    await add('lxd:0');
    await add();
    await model.deploy('mysql', { reuse: true });
    expect(machineOf('mysql/0')).toBe('1');
    await model.deploy('wordpress', { constraints: { container: 'lxd' }, containerTypes, reuse: true });
    expect(machineOf('wordpress/0')).toBe('0/lxd/0');
  });
});

describe('an impossible container placement is refused before anything is created', () => {
  const change1 = (life: 'dying' | 'dead') => (tx: Tx) =>
    tx.put('machine', '0', { ...tx.get('machine', '0')!, life });
  test.each<[what: string, to: string, code: string, message: string, before?: (tx: Tx) => void]>([
    ['a host that is missing', 'lxd:7', 'not found', 'machine 7 not found'],
    ['a machine that is missing', '7', 'not found', 'machine 7 not found'],
    ['a dying host', 'lxd:0', '', 'machine 0 is dying', change1('dying')],
    ['a dead host', 'lxd:0', '', 'machine 0 is dead', change1('dead')],
    ['a dying machine', '0', '', 'machine 0 is dying', change1('dying')],
    ['a container as host', 'lxd:0/lxd/0', '', 'machine 0/lxd/0 cannot host lxd containers'],
    [
      'the controller’s own host',
      'lxd:0',
      '',
      'machine 0 cannot host lxd containers',
      (tx) =>
        tx.put('machine', '0', {
          ...tx.get('machine', '0')!,
          instance: { id: 'localhost', displayName: '', hardware: {}, isolation: '', unmanaged: true },
        }),
    ],
    [
      'a type that the cloud does not have',
      'kvm:0',
      'not supported',
      'cannot place on "kvm:0": this cloud has no containers of that type',
    ],
    [
      'a machine of another base',
      '1',
      'incompatible base',
      'base does not match: machine 1 has ubuntu@22.04, application "mysql" ubuntu@24.04',
    ],
    ['a type that there is not', 'lxc:0', 'not valid', 'invalid container type "lxc"'],
  ])('%s', async (_, to, code, message, before = () => undefined) => {
    await add();
    await add('', {}, older);
    await add('lxd:0');
    await model.change(before);
    const made = machines();
    await expect(deploy([to])).rejects.toMatchObject({ code, message });
    expect(machines()).toEqual(made);
    expect(model.view().count('application')).toBe(0);
  });

  test('container=kvm is refused when the cloud does not support it', async () => {
    await expect(deploy([], { container: 'kvm' }, 1)).rejects.toMatchObject({
      code: 'not supported',
      message: 'container constraint "kvm" not supported by this cloud',
    });
  });
});

describe('the lives of containers and their hosts', () => {
  const removeUnit = (unit: string): Promise<unknown> => model.change((tx) => destroyUnit(tx, { unit }));

  test('a container goes with its last unit, and so does the host created for it, when neither was started', async () => {
    await deploy(['lxd']);
    await removeUnit('mysql/0');
    expect(machines()).toEqual([]);
  });

  test('a host that was not created for its container stays', async () => {
    await add();
    await deploy(['lxd:0']);
    await removeUnit('mysql/0');
    expect(machines()).toEqual(['0']);
    expect(machine('0')?.life).toBe('alive');
  });

  test('the host of a started container waits for it to end before it is dying too', async () => {
    await deploy(['lxd']);
    await change('0', started('0'));
    await change('0/lxd/0', started('0/lxd/0'));
    await removeUnit('mysql/0');
    expect([machine('0')?.life, machine('0/lxd/0')?.life]).toEqual(['alive', 'dying']);
    await model.change((tx) => setMachineDead(tx, '0/lxd/0'));
    expect([machine('0')?.life, machine('0/lxd/0')?.life]).toEqual(['alive', 'dead']);
    await model.change((tx) => removeMachine(tx, '0/lxd/0'));
    expect([machine('0')?.life, machine('0/lxd/0')]).toEqual(['dying', undefined]);
  });

  test('a host with two containers waits for both', async () => {
    await deploy(['lxd']);
    await model.change((tx) =>
      addUnits(tx, {
        application: 'mysql',
        count: 1,
        placement: [{ scope: 'lxd', directive: '0' }],
        containerTypes,
      }),
    );
    await removeUnit('mysql/0');
    expect(machines()).toEqual(['0', '0/lxd/1']);
    await removeUnit('mysql/1');
    expect(machines()).toEqual([]);
  });

  test('the deadline of a forced container applies to its host too', async () => {
    await deploy(['lxd']);
    await change('0', started('0'));
    await change('0/lxd/0', started('0/lxd/0'));
    await model.change((tx) =>
      destroyUnit(tx, { unit: 'mysql/0', force: { maxWaitMs: 1000, by: 'user-admin' } }),
    );
    const { force } = machine('0/lxd/0') ?? {};
    expect(force?.deadline).toBe('2026-01-01T00:00:01.000Z');
    await model.change((tx) => setMachineDead(tx, '0/lxd/0'));
    await model.change((tx) => removeMachine(tx, '0/lxd/0'));
    expect(machine('0')).toMatchObject({ life: 'dying', force });
  });

  test('remove-machine of a host refuses; with force its containers are dying with it', async () => {
    await add();
    await add('lxd:0');
    await change('0', started('0'));
    await change('0/lxd/0', started('0/lxd/0'));
    const remove = (more: object): Promise<unknown> =>
      model.change((tx) => destroyMachine(tx, { machine: '0', keepInstance: false, ...more }));
    await expect(remove({})).rejects.toMatchObject({
      code: 'machine is hosting containers',
      message: 'machine 0 is hosting container "0/lxd/0"',
    });
    await remove({ force: { maxWaitMs: 1000, by: 'user-admin' } });
    expect([machine('0')?.life, machine('0/lxd/0')?.life]).toEqual(['dying', 'dying']);
    await expect(model.change((tx) => setMachineDead(tx, '0'))).rejects.toMatchObject({
      code: 'machine is hosting containers',
    });
  });

  test('--keep-instance of a container keeps its host, even one that was created for it', async () => {
    await deploy(['lxd']);
    await change('0', started('0'));
    await change('0/lxd/0', started('0/lxd/0'));
    await removeUnit('mysql/0');
    await model.change((tx) => destroyMachine(tx, { machine: '0/lxd/0', keepInstance: true }));
    await model.change((tx) => setMachineDead(tx, '0/lxd/0'));
    await model.change((tx) => removeMachine(tx, '0/lxd/0'));
    expect(machine('0')).toMatchObject({ life: 'alive', removeWhenEmpty: false });
  });

  test('--keep-instance of a host keeps its containers', async () => {
    await add();
    await add('lxd:0');
    await change('0/lxd/0', started('0/lxd/0'));
    await change('0', started('0'));
    await model.change((tx) =>
      destroyMachine(tx, {
        machine: '0',
        keepInstance: true,
        force: { maxWaitMs: 1000, by: 'user-admin' },
      }),
    );
    expect(machine('0/lxd/0')?.keepInstance).toBe(true);
  });
});
