/**
 * Units that wait for the requirements of their application: how they are created, and how they are removed at every
 * point.
 */
import { describe, expect, test } from 'vitest';
import type { Placement } from '../../core/placement.ts';
import { cleanerOf } from '../../testing/cleaner.ts';
import { end, relate } from '../../testing/steps.ts';
import { deploy, waitingModel, type Metas, type Waiting } from '../../testing/waiting.ts';
import { addMachine } from './begin/add-machine.ts';
import { destroyApplication } from './end/destroy-application.ts';
import { destroyMachine } from './end/destroy-machine.ts';
import { destroyModel } from './end/destroy-model.ts';
import { destroyRelation } from './end/destroy-relation.ts';
import { destroyUnit } from './end/destroy-unit.ts';
import { claimLeadership } from './agent/leadership.ts';
import { leaveScope } from './end/leave-scope.ts';
import { reprovisionMachine } from './instance/reprovision-machine.ts';

const metas = {
  mysql: { provides: { db: 'mysql' } },
  wordpress: { requires: { db: { interface: 'mysql', optional: false } } },
  logging: {
    subordinate: true,
    requires: {
      host: { interface: 'juju-info', scope: 'container', optional: false },
      master: { interface: 'syslog', optional: false },
    },
  },
  rsyslog: { provides: { syslog: 'syslog' } },
} satisfies Metas;

const base = { name: 'ubuntu', channel: '24.04/stable' };
const now = { force: { maxWaitMs: 0, by: 'test' } };
const bench = (): Promise<Waiting> => waitingModel(metas);
const on = (directive: string): Placement[] => [{ scope: '#', directive }];

/** A unit of logging waits beside the unit of mysql. */
async function setUpSubordinate(): Promise<Waiting> {
  const b = await bench();
  await b.deploy('logging');
  await b.deploy('mysql');
  await relate(b.model, 'logging:host', 'mysql');
  await b.settle();
  expect(b.units()).toEqual({ 'mysql/0': '0', 'logging/0': 'waits' });
  return b;
}

describe('a unit of a pending application', () => {
  test('a unit of a pending application exists, alive, without a machine', async () => {
    await using b = await bench();
    const units = await b.model.change((tx) => deploy(tx, 'wordpress', { numUnits: 2 }).units);
    expect(units).toEqual([
      { unit: 'wordpress/0', reused: false },
      { unit: 'wordpress/1', reused: false },
    ]);
    const unit = b.model.view().get('unit', 'wordpress/0');
    expect(unit).toMatchObject({ life: 'alive', deployed: false, unplaced: {} });
    expect(unit).not.toHaveProperty('machine');
    expect(b.model.view().count('machine')).toBe(0);
    expect(await b.addUnits('wordpress')).toEqual(['wordpress/2']);
    expect(b.units()['wordpress/2']).toBe('waits');
  });

  test('a unit without requirements has its machine at once, and nothing is stored about requirements', async () => {
    await using b = await bench();
    const units = await b.model.change((tx) => deploy(tx, 'mysql').units);
    expect(units).toEqual([{ unit: 'mysql/0', machine: '0', reused: false }]);
    expect(b.model.view().get('unit', 'mysql/0')).not.toHaveProperty('unplaced');
    expect(Object.keys(b.model.view().get('application', 'mysql') ?? {})).not.toContain('require');
  });

  test.each([
    { to: on('7'), message: 'machine 7 not found', why: 'a machine that is not there' },
    { to: on('1'), message: 'machine 1 is dying', why: 'one that is going' },
    {
      to: on('2'),
      message: 'base does not match: machine 2 has ubuntu@22.04, application "wordpress" ubuntu@24.04',
      why: 'one of another base',
    },
    {
      to: [{ scope: 'kvm', directive: '' }],
      message: 'cannot place on "kvm": this cloud has no containers of that type',
      why: 'a container that the cloud has not',
    },
    {
      to: [{ scope: 'lxd', directive: '7' }],
      message: 'machine 7 not found',
      why: 'a container on a machine that is not there',
    },
    {
      to: [{ scope: 'lxd', directive: '0/lxd/0' }],
      message: 'machine 0/lxd/0 cannot host lxd containers',
      why: 'a container in a container',
    },
    { to: [{ scope: 'moon', directive: '' }], message: 'invalid container type "moon"', why: 'nonsense' },
  ])('deploy and add-unit refuse at once: $why', async ({ to, message }) => {
    await using b = await bench();
    const containerTypes = ['lxd'];
    await b.model.change((tx) => {
      const args = { base, constraints: {}, removeWhenEmpty: false, containerTypes };
      for (const more of [{}, {}, { base: { ...base, channel: '22.04/stable' } }])
        addMachine(tx, { ...args, ...more });
      addMachine(tx, { ...args, placement: { scope: 'lxd', directive: '0' } });
      tx.put('machine', '1', { ...tx.get('machine', '1')!, life: 'dying' });
    });
    const params = { placement: to, containerTypes };
    await expect(b.deploy('wordpress', params)).rejects.toThrow(message);
    expect(b.model.view().count('application')).toBe(0);
    await b.deploy('wordpress', { numUnits: 0 });
    await expect(b.addUnits('wordpress', params)).rejects.toThrow(message);
    expect(b.model.view().count('unit')).toBe(0);
    // The same request for an application that waits for nothing is refused with the same message.
    await b.deploy('mysql', { numUnits: 0, name: 'wordpresses' });
    const same = message.replace('"wordpress"', '"wordpresses"');
    await expect(b.addUnits('wordpresses', params)).rejects.toThrow(same);
  });

  test('a unit of a pending application never leads it', async () => {
    await using b = await bench();
    await b.deploy('wordpress');
    const claim = (): Promise<unknown> =>
      b.model.change((tx) => claimLeadership(tx, { unit: 'wordpress/0', durationMs: 60_000 }));
    await expect(claim()).rejects.toMatchObject({ code: 'leadership claim denied' });
    await b.deploy('mysql');
    await relate(b.model, 'wordpress', 'mysql');
    await b.settle();
    await claim();
  });

  test('a unit of a pending application reserves its machine, which is not taken as a spare', async () => {
    await using b = await bench();
    await b.model.change((tx) => {
      for (let n = 0; n < 2; n++) addMachine(tx, { base, constraints: {}, removeWhenEmpty: false });
    });
    await b.deploy('wordpress', { placement: on('0') });
    await b.deploy('mysql', { reuse: true });
    expect(b.units()['mysql/0']).toBe('1');
    await relate(b.model, 'wordpress', 'mysql');
    await b.settle();
    expect(b.units()['wordpress/0']).toBe('0');
  });
});

describe('a waiting unit is removed as soon as it is dying', () => {
  test.each([{}, now])('remove-unit %o', async (force) => {
    await using b = await bench();
    await b.deploy('wordpress', { numUnits: 2 });
    await b.model.change((tx) => destroyUnit(tx, { unit: 'wordpress/0', ...force }));
    expect(b.units()).toEqual({ 'wordpress/1': 'waits' });
    await b.deploy('mysql');
    await relate(b.model, 'wordpress', 'mysql');
    await b.settle();
    expect(b.units()).toEqual({ 'wordpress/1': '1', 'mysql/0': '0' });
  });

  test.each([{}, now, { force: { maxWaitMs: 60_000, by: 'test' } }])(
    'remove-application %o',
    async (force) => {
      await using b = await bench();
      await b.deploy('wordpress', { numUnits: 250 });
      await b.model.change((tx) => destroyApplication(tx, { application: 'wordpress', ...force }));
      await b.settle();
      expect(b.model.view().count('machine')).toBe(0);
      await cleanerOf(b.model)();
      expect(b.model.view().count('unit')).toBe(0);
      expect(b.model.view().count('application')).toBe(0);
    },
  );

  test('remove-application removes units between requirements that are met and the placing', async () => {
    await using b = await bench();
    await b.deploy('wordpress', { numUnits: 3 });
    await b.deploy('mysql', { numUnits: 0 });
    await relate(b.model, 'wordpress', 'mysql');
    await b.model.change((tx) => destroyApplication(tx, { application: 'wordpress' }));
    await b.settle();
    expect(b.model.view().count('machine')).toBe(0);
    await cleanerOf(b.model)();
    expect(b.units()).toEqual({});
    expect([...b.model.view().list('application')].map(({ name }) => name)).toEqual(['mysql']);
  });

  test('destroy-model removes waiting units', async () => {
    await using b = await setUpSubordinate();
    await b.deploy('wordpress', { numUnits: 3 });
    await b.model.store.change((tx) => destroyModel(tx, { uuid: b.model.uuid, ...now }), 'test');
    await b.settle();
    await b.model.change((tx) => {
      for (const { name } of tx.list('application')) destroyApplication(tx, { application: name, ...now });
    });
    await cleanerOf(b.model)();
    for (const kind of ['application', 'unit', 'relation', 'scope'] as const)
      expect(b.model.view().count(kind), kind).toBe(0);
  });

  test('a placement of a waiting unit keeps no machine, and the unit reports the missing machine when it is placed', async () => {
    await using b = await bench();
    await b.model.change((tx) => addMachine(tx, { base, constraints: {}, removeWhenEmpty: false }));
    await b.deploy('wordpress', { placement: on('0') });
    const { warnings } = await b.model.change((tx) =>
      destroyMachine(tx, { machine: '0', keepInstance: false }),
    );
    expect(warnings).toEqual(['waiting units that can no longer be placed on it: wordpress/0']);
    expect(b.model.view().count('machine')).toBe(0);
    await b.deploy('mysql');
    await relate(b.model, 'wordpress', 'mysql');
    await b.settle();
    expect(b.units()['wordpress/0']).toBe('waits: machine 0 not found');
    await b.model.change((tx) => destroyUnit(tx, { unit: 'wordpress/0' }));
    expect(b.units()).toEqual({ 'mysql/0': '1' });
  });
});

describe('a subordinate unit that waits goes', () => {
  test('a waiting subordinate goes with its principal, which does not wait for it', async () => {
    await using b = await setUpSubordinate();
    await b.model.change((tx) => destroyUnit(tx, { unit: 'mysql/0' }));
    expect(b.units()).toEqual({ 'mysql/0': '0' });
    await end(b.model, 'mysql/0');
    expect(b.units()).toEqual({});
    await b.addUnits('mysql');
    await b.settle();
    expect(b.units()).toMatchObject({ 'mysql/1': '1', 'logging/1': 'waits' });
  });

  test('a waiting subordinate goes with its forced principal', async () => {
    await using b = await setUpSubordinate();
    await b.model.change((tx) => destroyUnit(tx, { unit: 'mysql/0', ...now }));
    expect(b.units()).toEqual({});
  });

  test('a waiting subordinate goes with its principal’s application', async () => {
    await using b = await setUpSubordinate();
    await b.model.change((tx) => destroyApplication(tx, { application: 'mysql' }));
    expect(b.waiting()).toEqual({
      logging: 'missing relations: host (juju-info), master (syslog)',
    });
    await cleanerOf(b.model)();
    expect(b.units()).toEqual({ 'mysql/0': '0' });
    await end(b.model, 'mysql/0');
    expect([...b.model.view().list('application')].map(({ name }) => name)).toEqual(['logging']);
  });

  test('a waiting subordinate goes with its own application, which is removed when the principals have left', async () => {
    await using b = await setUpSubordinate();
    await b.model.change((tx) => destroyApplication(tx, { application: 'logging' }));
    await cleanerOf(b.model)();
    expect(b.units()).toEqual({ 'mysql/0': '0' });
    expect(b.model.view().get('application', 'logging')).toMatchObject({ life: 'dying' });
    await b.model.change((tx) => leaveScope(tx, { unit: 'mysql/0', relation: '0' }));
    expect([...b.model.view().list('application')].map(({ name }) => name)).toEqual(['mysql']);
    expect(b.model.view().count('relation')).toBe(0);
  });

  test('a waiting subordinate goes with the relation that created it, and a new relation creates another', async () => {
    await using b = await setUpSubordinate();
    const { settled } = await b.model.change((tx) =>
      destroyRelation(tx, { endpoints: ['logging', 'mysql'] }),
    );
    expect([...settled.changed.keys()]).toEqual(['logging']);
    await cleanerOf(b.model)();
    expect(b.units()).toEqual({ 'mysql/0': '0' });
    await expect(relate(b.model, 'logging:host', 'mysql'), 'its principal has not left').rejects.toThrow(
      'is dying, but not yet removed',
    );
    await b.model.change((tx) => leaveScope(tx, { unit: 'mysql/0', relation: '0' }));
    await relate(b.model, 'logging:host', 'mysql');
    await b.settle();
    expect(b.units()).toEqual({ 'mysql/0': '0', 'logging/1': 'waits' });
  });

  test('a waiting subordinate stays when its principal’s relation came back before a worker looked', async () => {
    await using b = await setUpSubordinate();
    await b.model.change((tx) => {
      destroyRelation(tx, { endpoints: ['logging', 'mysql'] });
      leaveScope(tx, { unit: 'mysql/0', relation: '0' });
    });
    await relate(b.model, 'logging:host', 'mysql');
    await cleanerOf(b.model)();
    await b.settle();
    expect(b.units()).toEqual({ 'mysql/0': '0', 'logging/0': 'waits' });
    await b.deploy('rsyslog');
    await relate(b.model, 'logging:master', 'rsyslog');
    await b.settle();
    expect(b.units()['logging/0']).toBe('0');
  });

  test('a waiting subordinate stays when its principal’s machine is reprovisioned', async () => {
    await using b = await setUpSubordinate();
    await b.model.change((tx) => {
      const instance = { id: 'i-0', displayName: '', hardware: {}, isolation: 'full' };
      tx.put('machine', '0', { ...tx.get('machine', '0')!, nonce: 'n', instance });
      reprovisionMachine(tx, { machine: '0', present: false, force: true });
    });
    expect(b.units()).toEqual({ 'mysql/0': '0', 'logging/0': 'waits' });
    await b.settle();
    await b.deploy('rsyslog');
    await relate(b.model, 'logging:master', 'rsyslog');
    await b.settle();
    expect(b.units()).toMatchObject({ 'logging/0': '0' });
    expect(b.model.view().count('unit', 'application', 'logging')).toBe(1);
  });
});
