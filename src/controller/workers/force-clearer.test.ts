/**
 * Tests of clearing at the deadline of --force (removal.md#force-clears-like-agents, removal.md#force-one-deadline).
 */
import { describe, expect, test } from 'vitest';
import type { LogRecord } from '../../kit/log.ts';
import { cleanerOf } from '../../testing/cleaner.ts';
import { modelFixture, type ModelFixture } from '../../testing/model-fixture.ts';
import { provision, relate, settle, withSubordinate } from '../../testing/steps.ts';
import { destroyApplication } from '../transactions/end/destroy-application.ts';
import { destroyMachine } from '../transactions/end/destroy-machine.ts';
import { destroyRelation } from '../transactions/end/destroy-relation.ts';
import { destroyUnit } from '../transactions/end/destroy-unit.ts';
import type { Tx } from '../transactions/tx.ts';
import { setUnitDead, unitDeployed } from '../transactions/agent/unit-agent.ts';

const minute = 60_000;
const inAMinute = { force: { maxWaitMs: minute, by: 'user-admin' } };
const now = { force: { maxWaitMs: 0, by: 'user-admin' } };
const deadline = '2026-01-01T00:01:00.000Z';

/** mysql/0 with logging/0 on machine 0, wordpress/0 on machine 1, all with agents, all related. */
async function world(model: ModelFixture): Promise<void> {
  await withSubordinate(model);
  await model.deploy('wordpress');
  await relate(model, 'wordpress', 'mysql');
  await provision(model, '0', '1');
  await settle(model, 'mysql/0', 'wordpress/0');
}

const removals: [string, (tx: Tx, more: typeof now) => { warnings: string[] }, string[]][] = [
  [
    'unit mysql/0',
    (tx, more) => destroyUnit(tx, { unit: 'mysql/0', ...more }),
    ['application mysql', 'application logging', 'machine 0 dead'],
  ],
  [
    'machine 0',
    (tx, more) => destroyMachine(tx, { machine: '0', keepInstance: false, ...more }),
    ['application mysql', 'application logging', 'machine 0 dead'],
  ],
  [
    'application mysql',
    (tx, more) => destroyApplication(tx, { application: 'mysql', ...more }),
    ['application logging', 'machine 0 dead'],
  ],
];

describe.each(removals)('%s', (_, remove, left) => {
  const remaining = ['application wordpress', 'machine 1', 'unit wordpress/0'];

  test('--force leaves the entity to its agents until the deadline, and then clears what is left, once', async () => {
    await using model = await modelFixture();
    await world(model);
    const pass = cleanerOf(model);
    const { warnings } = await model.change((tx) => remove(tx, inAMinute));
    expect(warnings[0]).toBe(`remaining entities are removed at ${deadline} without waiting for agents:`);
    await pass();
    const view = model.view();
    for (const unit of ['mysql/0', 'logging/0'])
      expect(view.get('unit', unit)).toMatchObject({ life: 'dying', dyingSince: '2026-01-01T00:00:00.000Z' });
    expect(await pass()).toBeLessThanOrEqual(minute);
    model.advance(minute - 1);
    await pass();
    expect(model.view().count('unit')).toBe(3);
    model.advance(1);
    await pass();
    expect(whatIsLeft(model)).toEqual([...remaining, ...left].sort());
  });

  test('--no-wait clears the entity at once', async () => {
    await using model = await modelFixture();
    await world(model);
    const { warnings } = await model.change((tx) => remove(tx, now));
    expect(warnings).toEqual(
      expect.arrayContaining([
        expect.stringContaining('removed without stop and remove hooks: mysql/0'),
        expect.stringMatching(
          /removed from relation "wordpress:db mysql:server" without .* hooks: mysql\/0|wordpress/,
        ),
        'subordinates removed with them: logging/0',
      ]),
    );
    expect(whatIsLeft(model)).toEqual([...remaining, ...left].sort());
  });

  test('the log has what was skipped, and the history has who asked for it', async () => {
    await using model = await modelFixture();
    await world(model);
    await model.change((tx) => remove(tx, inAMinute));
    const log: LogRecord[] = [];
    const by = new Set<string>();
    const stop = model.store.watch((commit) => {
      if (commit.changes.some(({ kind, after }) => kind === 'unit' && !after)) by.add(commit.by);
    });
    model.advance(minute);
    await cleanerOf(model, (record) => log.push(record))();
    stop();
    expect([...by]).toEqual(['user-admin']);
    expect(log.filter(({ level }) => level === 'WARNING').map(({ message }) => message)).toEqual([
      expect.stringContaining('clearing by force'),
    ]);
  });

  test('a second force with an earlier deadline counts; one with a later deadline changes nothing', async () => {
    await using model = await modelFixture();
    await world(model);
    const pass = cleanerOf(model);
    await model.change((tx) => remove(tx, { force: { maxWaitMs: 10 * minute, by: 'user-eve' } }));
    await pass();
    await model.change((tx) => remove(tx, inAMinute));
    await model.change((tx) => remove(tx, { force: { maxWaitMs: 5 * minute, by: 'user-eve' } }));
    model.advance(minute);
    await pass();
    expect(whatIsLeft(model)).toEqual([...remaining, ...left].sort());
  });
});

test('a forced relation loses the units in its scope at the deadline, and all else stays', async () => {
  await using model = await modelFixture();
  await world(model);
  const id = Number([...model.view().list('relation')].find(({ key }) => key.startsWith('wordpress'))!.id);
  const { warnings } = await model.change((tx) => destroyRelation(tx, { id, ...inAMinute }));
  expect(warnings[1]).toBe(
    'removed from relation "wordpress:db mysql:server" without departed and broken hooks: mysql/0, wordpress/0',
  );
  model.advance(minute);
  await cleanerOf(model)();
  expect(model.view().get('relation', String(id))).toBeUndefined();
  expect([...model.view().list('unit')].map(({ life }) => life)).toEqual(['alive', 'alive', 'alive']);
});

test('subordinates of a forced unit get no second wait, and can end by themselves', async () => {
  await using model = await modelFixture();
  await world(model);
  const finish = (): Promise<unknown> => model.change((tx) => destroyUnit(tx, { unit: 'logging/0', ...now }));
  await expect(finish()).rejects.toThrow('unit is a subordinate');
  await model.change((tx) => destroyUnit(tx, { unit: 'mysql/0' }));
  await finish();
  expect(model.view().get('unit', 'logging/0')).toBeUndefined();
  expect(model.view().get('unit', 'mysql/0')?.life).toBe('dying');
});

test('the record of a forced machine stays, dead, until its instance is released', async () => {
  await using model = await modelFixture();
  await world(model);
  await model.change((tx) => {
    const host = tx.get('machine', '0')!;
    tx.put('machine', '0/lxd/0', { ...host, id: '0/lxd/0', parent: '0' });
  });
  const { warnings } = await model.change((tx) =>
    destroyMachine(tx, { machine: '0', keepInstance: false, ...now }),
  );
  expect(warnings).toEqual(
    expect.arrayContaining([
      'containers removed with it: 0/lxd/0',
      expect.stringContaining('instances that are still to be released: i-0'),
    ]),
  );
  expect(model.view().get('machine', '0')).toMatchObject({ life: 'dead', force: { by: 'user-admin' } });
  expect(model.view().get('machine', '0/lxd/0')).toBeUndefined();

  await model.change((tx) => destroyMachine(tx, { machine: '1', keepInstance: true, ...now }));
  expect(model.view().get('machine', '1')).toMatchObject({ life: 'dead', keepInstance: true });
});

test('a forced machine whose instance stays by provisioner-harvest-mode reports no release', async () => {
  await using model = await modelFixture();
  await world(model);
  await model.change((tx) => {
    const root = tx.in('');
    const doc = root.get('model', model.uuid)!;
    root.put('model', model.uuid, { ...doc, config: { 'provisioner-harvest-mode': 'none' } });
  });
  const { warnings } = await model.change((tx) =>
    destroyMachine(tx, { machine: '0', keepInstance: false, ...now }),
  );
  expect(warnings.join()).not.toContain('released');
});

test('a forced machine that was never started goes at once', async () => {
  await using model = await modelFixture();
  await model.deploy('mysql');
  await model.change((tx) => unitDeployed(tx, 'mysql/0'));
  await model.change((tx) => destroyMachine(tx, { machine: '0', keepInstance: false, ...now }));
  expect(model.view().count('machine') + model.view().count('unit')).toBe(0);
});

test('a forced removal of what does not exist is refused', async () => {
  await using model = await modelFixture();
  for (const remove of [
    (tx: Tx) => destroyUnit(tx, { unit: 'mysql/0', ...now }),
    (tx: Tx) => destroyMachine(tx, { machine: '0', keepInstance: false, ...now }),
    (tx: Tx) => destroyApplication(tx, { application: 'mysql', ...now }),
    (tx: Tx) => destroyRelation(tx, { id: 3, ...now }),
  ])
    await expect(model.change(remove)).rejects.toMatchObject({ code: 'not found' });
});

test('very many units are cleared in batches and reported in few words', async () => {
  await using model = await modelFixture();
  await model.deploy('mysql', { numUnits: 250 });
  await model.change((tx) => {
    for (const { name } of tx.find('unit', 'application', 'mysql')) unitDeployed(tx, name);
  });
  const cleared: number[] = [];
  const stop = model.store.watch(({ changes }) =>
    cleared.push(changes.filter(({ kind, after }) => kind === 'unit' && !after).length),
  );
  const { warnings } = await model.change((tx) => destroyApplication(tx, { application: 'mysql', ...now }));
  expect(warnings).toEqual([
    `removed without stop and remove hooks: ${Array.from({ length: 10 }, (_, n) => `mysql/${n}`).join(', ')} and 240 more`,
  ]);
  expect(model.view().count('unit')).toBe(250);
  await cleanerOf(model)();
  stop();
  expect(model.view().count('application') + model.view().count('unit')).toBe(0);
  expect(Math.max(...cleared)).toBeLessThanOrEqual(100);
});

function whatIsLeft(model: ModelFixture): string[] {
  const view = model.view();
  const life = (one: { life: string }): string => (one.life === 'alive' ? '' : ` ${one.life}`);
  return [
    ...[...view.list('application')].map((one) => `application ${one.name}${life(one)}`),
    ...[...view.list('machine')].map((one) => `machine ${one.id}${life(one)}`),
    ...[...view.list('unit')].map((one) => `unit ${one.name}${life(one)}`),
  ].sort();
}

test('a forced unit that its agent has made dead and that nobody recalls is cleared too', async () => {
  await using model = await modelFixture();
  await model.deploy('wordpress');
  await provision(model, '0');
  await settle(model, 'wordpress/0');
  await model.change((tx) => {
    destroyUnit(tx, { unit: 'wordpress/0', ...inAMinute });
    setUnitDead(tx, 'wordpress/0');
  });
  model.advance(minute);
  await cleanerOf(model)();
  expect(whatIsLeft(model)).toEqual(['application wordpress', 'machine 0 dead']);
});
