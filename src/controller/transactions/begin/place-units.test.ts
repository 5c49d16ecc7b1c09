/** Placement of new units, and the constraints of their machines (placing.md#capture, placing.md#spare-machines). */
import { describe, expect, test } from 'vitest';
import { parseBase } from '../../../core/base.ts';
import { formatConstraints, parseConstraints } from '../../../core/constraints.ts';
import type { Hardware } from '../../../core/machine/hardware.ts';
import { modelFixture, type ModelFixture } from '../../../testing/model-fixture.ts';
import { addMachine } from './add-machine.ts';
import { addUnits } from './add-units.ts';
import { destroyMachine } from '../end/destroy-machine.ts';
import { setConstraints, setModelConstraints } from '../set/set-constraints.ts';
import { setStatus } from '../tx.ts';

const base = parseBase('ubuntu@24.04');
const onto = (...machines: string[]) => machines.map((directive) => ({ scope: '#', directive }));
const asks = (text: string) => ({ constraints: parseConstraints(text) });
const conflicts = [{ left: ['instance-type'], right: ['mem'] }] as const;

const spare = (model: ModelFixture, text = '', on = base) =>
  model.change((tx) => addMachine(tx, { base: on, ...asks(text), removeWhenEmpty: false }));
const add = (model: ModelFixture, count = 1, rest: Partial<Parameters<typeof addUnits>[1]> = {}) =>
  model.change((tx) => addUnits(tx, { application: 'mysql', count, placement: [], ...rest }));
const provisioned = (model: ModelFixture, id: string, hardware: Hardware) =>
  model.change((tx) => {
    const instance = { id: `i-${id}`, displayName: '', isolation: '', hardware };
    tx.put('machine', id, { ...tx.get('machine', id)!, instance });
  });
/** Constraints of each unit's machine, such as `0: mem=2048M`; they equal the unit's own. */
const machinesOf = (model: ModelFixture) =>
  [...model.view().list('unit')].map(({ machine, constraints }) => {
    const own = model.view().get('machine', machine!)!.constraints;
    expect(own).toEqual(constraints);
    return `${machine!}: ${formatConstraints(own)}`;
  });

describe('constraints are captured when the unit is created', () => {
  test('deploy with mem=2G, set-constraints mem=3G, add-unit -n 2: one with the first, two with the second', async () => {
    await using model = await modelFixture();
    await model.deploy('mysql', asks('mem=2G'));
    await model.change((tx) => setConstraints(tx, { application: 'mysql', ...asks('mem=3G') }));
    await add(model, 2);
    expect(machinesOf(model)).toEqual(['0: mem=2048M', '1: mem=3072M', '2: mem=3072M']);
  });

  test.each<[string, string, string, string]>([
    ["the model's are inherited", 'mem=1G', 'cores=2', 'cores=2 mem=1024M'],
    ["the application's win", 'mem=1G', 'mem=2G', 'mem=2048M'],
    ['an explicit empty value means none', 'mem=1G cores=2', 'mem=', 'cores=2 mem='],
    ["what conflicts with the application's is dropped", 'mem=1G', 'instance-type=m1', 'instance-type=m1'],
  ])('%s', async (_, ofModel, ofApplication, captured) => {
    await using model = await modelFixture();
    await model.change((tx) => setModelConstraints(tx, asks(ofModel)));
    await model.deploy('mysql', { ...asks(ofApplication), conflicts });
    expect(machinesOf(model)).toEqual([`0: ${captured}`]);
  });

  test('later changes of the model constraints apply to later units', async () => {
    await using model = await modelFixture();
    await model.deploy('mysql');
    await model.change((tx) => setModelConstraints(tx, asks('cores=4')));
    await add(model);
    expect(machinesOf(model)).toEqual(['0: ', '1: cores=4']);
  });

  test.each([undefined, 'zone=z1'])(
    'a machine without a unit copies the model’s constraints, placed on %j',
    async (directive) => {
      await using model = await modelFixture();
      await model.change((tx) => setModelConstraints(tx, asks('mem=1G cores=2')));
      const placement = directive === undefined ? {} : { placement: { scope: model.uuid, directive } };
      await model.change((tx) =>
        addMachine(tx, { base, ...asks('cores=4'), ...placement, removeWhenEmpty: false }),
      );
      expect(model.view().get('machine', '0')).toMatchObject(asks('cores=4 mem=1G'));
    },
  );

  test('a directive of the provider drops no constraint', async () => {
    await using model = await modelFixture();
    await model.change((tx) => setModelConstraints(tx, asks('cores=2')));
    const placement = [{ scope: model.uuid, directive: 'zone=z1' }];
    await model.deploy('mysql', { ...asks('mem=2G'), placement });
    expect(machinesOf(model)).toEqual(['0: cores=2 mem=2048M']);
    expect(model.view().get('machine', '0')?.placement).toEqual(placement[0]);
  });

  test('subordinates refuse constraints', async () => {
    await using model = await modelFixture();
    await expect(model.deploy('logging', asks('mem=1G'))).rejects.toThrow('without constraints');
    await model.deploy('logging');
    await expect(
      model.change((tx) => setConstraints(tx, { application: 'logging', ...asks('mem=1G') })),
    ).rejects.toThrow('constraints do not apply to subordinate applications');
  });
});

describe('an impossible placement refuses the whole request before anything is created', () => {
  test.each<[string, string[], string, string]>([
    ['a missing machine', ['0', '9'], 'not found', 'machine 9 not found'],
    ['a dying machine', ['0', '1'], '', 'machine 1 is dying'],
    [
      'a machine of another base',
      ['0', '2'],
      'incompatible base',
      'base does not match: machine 2 has ubuntu@22.04, application "mysql" ubuntu@24.04',
    ],
  ])('%s', async (_, machines, code, message) => {
    await using model = await modelFixture();
    await spare(model);
    await spare(model);
    await spare(model, '', parseBase('ubuntu@22.04'));
    await provisioned(model, '1', {});
    await model.change((tx) => destroyMachine(tx, { machine: '1', keepInstance: false }));
    const placement = onto(...machines);
    await expect(model.deploy('mysql', { numUnits: 3, placement })).rejects.toMatchObject({ code, message });
    const count = (kind: 'application' | 'unit' | 'relation' | 'machine'): number =>
      [...model.view().list(kind)].length;
    expect([count('application'), count('unit'), count('relation'), count('machine')]).toEqual([0, 0, 0, 3]);
    expect(model.view().get('sequence', 'unit mysql')).toBeUndefined();
    expect(model.view().get('machine', '0')?.clean).toBe(true);
  });

  test('units take the given placements in order, and the rest get machines of their own', async () => {
    await using model = await modelFixture();
    await spare(model);
    await spare(model);
    await model.deploy('mysql', { numUnits: 3, placement: onto('1', '0') });
    expect([...model.view().list('unit')].map(({ machine }) => machine)).toEqual(['1', '0', '2']);
  });
});

describe('spare machines are taken only on request', () => {
  const takenMachines = async (model: ModelFixture, text = '', count = 1): Promise<string[]> => {
    await model.deploy('mysql', { ...asks(text), numUnits: 0 });
    const units = await add(model, count, { reuse: true });
    return units.map(({ machine = '', reused }) => (reused ? machine : 'new'));
  };

  test('spare machines are not taken without a request', async () => {
    await using model = await modelFixture();
    await spare(model);
    await model.deploy('mysql');
    expect([...model.view().list('unit')]).toMatchObject([{ machine: '1' }]);
  });

  test('all spare machines are taken once each, then new machines are created', async () => {
    await using model = await modelFixture();
    await spare(model);
    await spare(model);
    expect(await takenMachines(model, '', 3)).toEqual(['0', '1', 'new']);
    expect([...model.view().list('machine')].map(({ id, clean }) => `${id} ${String(clean)}`)).toEqual([
      '0 false',
      '1 false',
      '2 false',
    ]);
    expect(await add(model, 1, { reuse: true })).toEqual([{ unit: 'mysql/3', machine: '3', reused: false }]);
  });

  test('provisioned spare machines are taken first', async () => {
    await using model = await modelFixture();
    await spare(model);
    await spare(model);
    await provisioned(model, '1', {});
    expect(await takenMachines(model, '', 2)).toEqual(['1', '0']);
  });

  test('the spare machine in the zone with the fewest units of the application is taken', async () => {
    await using model = await modelFixture();
    for (const [id, availabilityZone] of ['z1', 'z1', 'z2'].entries()) {
      await spare(model);
      await provisioned(model, String(id), { availabilityZone });
    }
    expect(await takenMachines(model, '', 3)).toEqual(['0', '2', '1']);
  });

  test.each<[string, string, (model: ModelFixture) => Promise<unknown>]>([
    ['another base', '', (model) => spare(model, '', parseBase('ubuntu@22.04'))],
    ['other constraints, before it has hardware', 'mem=2G', (model) => spare(model, 'mem=1G')],
    [
      'too little hardware',
      'mem=2G',
      async (model) => {
        await spare(model, 'mem=2G');
        await provisioned(model, '0', { mem: 1024 });
      },
    ],
    [
      'a failed start',
      '',
      async (model) => {
        await spare(model);
        await model.change((tx) => setStatus(tx, 'instance', '0', 'provisioning error', 'no room'));
      },
    ],
    [
      'an end that was asked for',
      '',
      async (model) => {
        await spare(model);
        await model.change((tx) => destroyMachine(tx, { machine: '0', keepInstance: false }));
      },
    ],
  ])('a spare machine with %s is never taken', async (_, text, make) => {
    await using model = await modelFixture();
    await make(model);
    expect(await takenMachines(model, text)).toEqual(['new']);
  });

  test('a spare machine that another unit of the same request is placed on is not taken', async () => {
    await using model = await modelFixture();
    await spare(model);
    await model.deploy('mysql', { numUnits: 0 });
    const units = await add(model, 2, { placement: onto('0'), reuse: true });
    expect(units.map(({ machine, reused }) => [machine, reused])).toEqual([
      ['0', false],
      ['1', false],
    ]);
  });
});
