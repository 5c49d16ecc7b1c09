import { describe, expect, test } from 'vitest';
import type { Placement } from '../../core/placement.ts';
import { placerOf } from '../../testing/placer.ts';
import { provision, relate } from '../../testing/steps.ts';
import { isThorough } from '../../testing/thorough.ts';
import { deploy, waitingModel, type Metas, type Waiting } from '../../testing/waiting.ts';
import { addMachine } from '../transactions/begin/add-machine.ts';
import { addRelation } from '../transactions/begin/add-relation.ts';
import { destroyMachine } from '../transactions/end/destroy-machine.ts';
import { destroyModel } from '../transactions/end/destroy-model.ts';
import { destroyRelation } from '../transactions/end/destroy-relation.ts';
import { leaveScope } from '../transactions/end/leave-scope.ts';
import { setConstraints } from '../transactions/set/set-constraints.ts';

const metas = {
  mysql: { provides: { db: 'mysql' } },
  wordpress: { requires: { db: { interface: 'mysql', optional: false } } },
  logging: {
    subordinate: true,
    requires: {
      host: { interface: 'juju-info', scope: 'container' },
      master: { interface: 'syslog', optional: false },
    },
  },
  rsyslog: { provides: { syslog: 'syslog' } },
} satisfies Metas;

const bench = (): Promise<Waiting> => waitingModel(metas);
const on = (...machines: string[]): Placement[] => machines.map((directive) => ({ scope: '#', directive }));

/** Satisfies the requirements of wordpress. */
async function satisfy(b: Waiting): Promise<void> {
  await b.deploy('mysql', { numUnits: 0 });
  await relate(b.model, 'wordpress', 'mysql');
}

async function machines(b: Waiting, count: number, args: Partial<Parameters<typeof addMachine>[1]> = {}) {
  for (let n = 0; n < count; n++)
    await b.model.change((tx) =>
      addMachine(tx, {
        base: { name: 'ubuntu', channel: '24.04/stable' },
        constraints: {},
        removeWhenEmpty: false,
        ...args,
      }),
    );
}

describe('waiting units go where they would have gone at once', () => {
  test('waiting units go to a new machine each, in the order of their numbers', async () => {
    await using b = await bench();
    await b.deploy('wordpress', { numUnits: 12 });
    await satisfy(b);
    await b.settle();
    expect(b.units()).toEqual(
      Object.fromEntries(Array.from({ length: 12 }, (_, n) => [`wordpress/${n}`, String(n)])),
    );
    expect(b.model.view().get('unit', 'wordpress/0')).not.toHaveProperty('unplaced');
    expect(b.model.view().get('machine', '0')).toMatchObject({ removeWhenEmpty: true, clean: false });
  });

  test('waiting units go to the machine, or the container, that was asked for', async () => {
    await using b = await bench();
    await machines(b, 1);
    const placement = [...on('0'), { scope: 'lxd', directive: '0' }, { scope: 'lxd', directive: '' }];
    await b.deploy('wordpress', { numUnits: 4, placement, containerTypes: ['lxd'] });
    expect(b.model.view().get('unit', 'wordpress/1')).toMatchObject({
      unplaced: { placement: { scope: 'lxd', directive: '0' } },
    });
    await satisfy(b);
    await b.settle();
    expect(b.units()).toEqual({
      'wordpress/0': '0',
      'wordpress/1': '0/lxd/0',
      'wordpress/2': '1/lxd/0',
      'wordpress/3': '2',
    });
    expect(b.model.view().get('machine', '0')?.clean).toBe(false);
  });

  test('waiting units keep the constraints that were captured when they were created', async () => {
    await using b = await bench();
    await b.deploy('wordpress', { constraints: { mem: 1024 } });
    await b.model.change((tx) =>
      setConstraints(tx, { application: 'wordpress', constraints: { mem: 4096 } }),
    );
    await b.addUnits('wordpress');
    await satisfy(b);
    await b.settle();
    const mem = [...b.model.view().list('machine')].map(({ constraints }) => constraints.mem);
    expect(mem).toEqual([1024, 4096]);
  });

  test('waiting units go to a spare machine, where that was asked for', async () => {
    await using b = await bench();
    await machines(b, 2);
    await b.deploy('wordpress', { reuse: true });
    await b.addUnits('wordpress', { count: 2 });
    await b.addUnits('wordpress', { count: 2, reuse: true });
    await satisfy(b);
    await b.settle();
    expect(b.units()).toEqual({
      'wordpress/0': '0',
      'wordpress/1': '2',
      'wordpress/2': '3',
      'wordpress/3': '1',
      'wordpress/4': '4',
    });
  });

  test('waiting units are not placed before their application is deployable, nor when it waits again', async () => {
    await using b = await bench();
    const placer = placerOf(b.model);
    await b.deploy('wordpress');
    await placer.pass();
    expect(b.units()).toEqual({ 'wordpress/0': 'waits' });
    await satisfy(b);
    expect(placer.woken()).toBe(1);
    await b.model.change((tx) => destroyRelation(tx, { endpoints: ['wordpress', 'mysql'] }));
    await placer.pass();
    expect(b.units()).toEqual({ 'wordpress/0': 'waits' });
    await relate(b.model, 'wordpress', 'mysql');
    await placer.pass();
    expect(b.units()).toEqual({ 'wordpress/0': '0' });
  });

  test('waiting units are not placed in a dying model', async () => {
    await using b = await bench();
    await b.deploy('wordpress');
    await satisfy(b);
    await b.model.store.change((tx) => destroyModel(tx, { uuid: b.model.uuid }), 'test');
    await placerOf(b.model).pass();
    expect(b.model.view().count('machine')).toBe(0);
  });
});

describe('a unit that cannot be placed says why, and the other units go on', () => {
  async function stuck(): Promise<Waiting> {
    const b = await bench();
    await machines(b, 2);
    await b.deploy('wordpress', { numUnits: 3, placement: on('1', '0') });
    await b.model.change((tx) => destroyMachine(tx, { machine: '1', keepInstance: false }));
    await satisfy(b);
    await b.settle();
    return b;
  }

  test('a placement on a removed machine says why it fails', async () => {
    await using b = await stuck();
    expect(b.units()).toEqual({
      'wordpress/0': 'waits: machine 1 not found',
      'wordpress/1': '0',
      'wordpress/2': '2',
    });
    expect(b.waiting(), 'its application does not wait').toEqual({});
    await b.addUnits('wordpress');
    expect(b.units()['wordpress/3'], 'nor do new ones').toBe('3');
  });

  test('the same reason is written once', async () => {
    await using b = await stuck();
    const { revision } = b.model.store.read();
    await placerOf(b.model).pass();
    expect(b.model.store.read().revision).toBe(revision);
  });

  test('a placement is tried again when its machine changes, and only then', async () => {
    await using b = await bench();
    await machines(b, 2);
    await provision(b.model, '0', '1');
    await b.deploy('wordpress', { placement: on('1') });
    await b.deploy('mysql', { placement: on('1') });
    await b.model.change((tx) =>
      destroyMachine(tx, { machine: '1', keepInstance: false, force: { maxWaitMs: 60_000, by: 'test' } }),
    );
    const placer = placerOf(b.model);
    await relate(b.model, 'wordpress', 'mysql');
    await placer.pass();
    expect(b.units()['wordpress/0']).toBe('waits: machine 1 is dying');
    const woken = placer.woken();
    await machines(b, 1);
    await b.model.change((tx) => destroyMachine(tx, { machine: '0', keepInstance: false }));
    expect(placer.woken()).toBe(woken);
    await b.model.change((tx) => tx.remove('machine', '1'));
    expect(placer.woken()).toBe(woken + 1);
    await placer.pass();
    expect(b.units()['wordpress/0']).toBe('waits: machine 1 not found');
  });

  test('a placement fails when the cloud no longer supports its container type', async () => {
    await using b = await bench();
    await b.deploy('wordpress', { placement: [{ scope: 'kvm', directive: '' }], containerTypes: ['kvm'] });
    await satisfy(b);
    await b.settle();
    expect(b.units()['wordpress/0']).toBe(
      'waits: cannot place on "kvm": this cloud has no containers of that type',
    );
  });
});

describe('subordinates', () => {
  /** A unit of logging waits beside each of mysql's two and rsyslog's one. */
  async function setUpSubordinate(): Promise<Waiting> {
    const b = await bench();
    await b.deploy('logging');
    await b.deploy('mysql', { numUnits: 2 });
    await b.deploy('rsyslog');
    await relate(b.model, 'logging:host', 'mysql');
    await relate(b.model, 'logging:host', 'rsyslog');
    await b.settle();
    expect(b.units()).toEqual({
      'mysql/0': '0',
      'mysql/1': '1',
      'rsyslog/0': '2',
      'logging/0': 'waits',
      'logging/1': 'waits',
      'logging/2': 'waits',
    });
    return b;
  }

  test('subordinates go to their principal’s machine', async () => {
    await using b = await setUpSubordinate();
    await relate(b.model, 'logging:master', 'rsyslog');
    await b.settle();
    for (const { name, principal, machine } of b.model.view().find('unit', 'application', 'logging'))
      expect(machine, name).toBe(b.units()[principal ?? '']);
    expect(b.model.view().count('machine')).toBe(3);
  });

  test('subordinates without a relation to their principal wait until they have one again', async () => {
    await using b = await setUpSubordinate();
    const placer = placerOf(b.model);
    await placer.pass();
    await b.model.change((tx) => destroyRelation(tx, { endpoints: ['logging:host', 'rsyslog'] }));
    await relate(b.model, 'logging:master', 'rsyslog');
    await placer.pass();
    expect(b.model.view().get('unit', 'logging/2')).toMatchObject({ principal: 'rsyslog/0', unplaced: {} });
    expect(b.units()).toMatchObject({ 'logging/0': '0', 'logging/1': '1' });
    await b.model.change((tx) => leaveScope(tx, { unit: 'rsyslog/0', relation: '1' }));
    await relate(b.model, 'logging:host', 'rsyslog');
    await placer.pass();
    expect(b.units()['logging/2']).toBe('2');
  });

  test('subordinates from before requirements existed wait for a principal like new ones', async () => {
    await using b = await bench();
    await b.deploy('logging');
    await b.setMode('none');
    await b.model.change((tx) => {
      const { pending: _, ...logging } = tx.get('application', 'logging')!;
      tx.put('application', 'logging', logging);
    });
    await placerOf(b.model).pass();
    expect(b.waiting()).toEqual({ logging: 'missing relation: host (juju-info)' });
  });
});

describe('very many waiting units', () => {
  /** Number of units: in `npm test` fewer than a model may have. */
  const units = isThorough ? 10_000 : 2_000;
  async function many(b: Waiting): Promise<void> {
    await b.model.change((tx) => deploy(tx, 'wordpress', { numUnits: units }));
    await satisfy(b);
  }

  test(`${units} units are placed in batches, each once`, { timeout: 60_000 }, async () => {
    await using b = await bench();
    const placer = placerOf(b.model);
    await placer.pass();
    await many(b);
    const sizes: number[] = [];
    const stop = b.model.store.watch(({ changes }) => void sizes.push(changes.length));
    await placer.pass();
    stop();
    expect(sizes).toHaveLength(units / 100);
    // A batch of 100 writes a unit and its machine each, and the number of the next machine.
    expect(Math.max(...sizes)).toBe(201);
    expect(b.model.view().count('unit', 'unplaced', 'wordpress')).toBe(0);
    expect(b.model.view().get('unit', `wordpress/${units - 1}`)?.machine).toBe(`${units - 1}`);
  });

  test('a killed placement is finished by the next worker', { timeout: 60_000 }, async () => {
    await using b = await bench();
    await many(b);
    for (const killedAfter of [1, 7]) {
      const killed = new AbortController();
      let commits = 0;
      const stop = b.model.store.watch(() => {
        if (++commits === killedAfter) killed.abort(new Error('killed'));
      });
      await expect(placerOf(b.model).pass(killed.signal)).rejects.toThrow('killed');
      stop();
    }
    expect(b.model.view().count('unit', 'unplaced', 'wordpress')).toBe(units - 800);
    await placerOf(b.model).pass();
    expect(b.model.view().count('unit', 'unplaced', 'wordpress')).toBe(0);
    expect(b.model.view().count('machine')).toBe(units);
  });

  test('the remaining units wait when a requirement goes away in between', async () => {
    await using b = await bench();
    await b.deploy('wordpress', { numUnits: 250 });
    await satisfy(b);
    const placer = placerOf(b.model);
    let away: Promise<unknown> | undefined;
    const stop = b.model.store.watch(() => {
      away ??= b.model.change((tx) => destroyRelation(tx, { endpoints: ['wordpress', 'mysql'] }));
    });
    await placer.pass();
    await away;
    stop();
    expect(b.model.view().count('machine')).toBe(100);
    expect(b.model.view().count('unit', 'unplaced', 'wordpress')).toBe(150);
    await relate(b.model, 'wordpress', 'mysql');
    await placer.pass();
    expect(Object.values(b.units())).toEqual(Array.from({ length: 250 }, (_, n) => String(n)));
  });

  test('a failed pass is repeated as a whole', async () => {
    await using b = await bench();
    await b.deploy('wordpress', { numUnits: 3 });
    const placer = placerOf(b.model);
    await placer.pass();
    await satisfy(b);
    await expect(placer.pass(AbortSignal.abort(new Error('stopped')))).rejects.toThrow('stopped');
    await placer.pass();
    expect(Object.values(b.units())).toEqual(['0', '1', '2']);
  });

  test('the cost of one change depends on what it concerns, not on what waits', async () => {
    await using b = await bench();
    await b.model.change((tx) => {
      for (let n = 0; n < 500; n++) deploy(tx, 'wordpress', { name: `w${n}x` });
    });
    await b.deploy('mysql', { numUnits: 0 });
    const placer = placerOf(b.model);
    await placer.pass();
    await b.model.change((tx) => addRelation(tx, { endpoints: ['w7x', 'mysql'] }));
    await placer.pass();
    expect(Object.entries(b.units()).filter(([, machine]) => machine !== 'waits')).toEqual([['w7x/0', '0']]);
  });
});
