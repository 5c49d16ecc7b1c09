/** What a restore of a backup changes in the documents, and what agents may write until it is accepted. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { defined } from '../../core/defined.ts';
import type { Entities } from '../../core/kinds.ts';
import { limits } from '../../core/limits.ts';
import type { MigrationDoc } from '../../core/migration/document.ts';
import { isHeld } from '../../core/model/restored.ts';
import { nextCloudStep } from '../../core/storage/plan.ts';
import type { UnitDoc } from '../../core/unit/document.ts';
import { modelFixture, type ModelFixture } from '../../testing/model-fixture.ts';
import { relate } from '../../testing/steps.ts';
import { settleRestore } from '../backups/settle-restore.ts';
import { commitHook } from './agent/commit-hook.ts';
import { keepAgentState, recordUnknownUnits, settleUnits } from './agent/restored-units.ts';
import { saveAgentState, unitDeployed } from './agent/unit-agent.ts';
import { enterPhase } from './change/advance-migration.ts';
import { setUnitDying } from './end/destroy-unit.ts';
import { renewUnit } from './instance/renew-machine.ts';
import { acceptRestore, beginRestore, recordListed, recordNewerVolumes } from './change/restore.ts';
import { taskRecord } from '../watchers/agent-records.ts';
import { takeNumbers } from './tx.ts';

const restore = { id: 'r-1', backup: '2026-01-01T00:00:00Z', at: '2026-01-02T00:00:00Z' };
const told = { unit: 'mysql/0', restore: 'r-1', agentState: { committed: 5 }, charmState: { a: '5' } };

let fixture: ModelFixture;
beforeEach(async () => {
  fixture = await modelFixture();
  await fixture.deploy('mysql');
  await fixture.change((tx) => {
    tx.put('unit-state', 'mysql/0', {
      unit: 'mysql/0',
      lastHook: 'h-3',
      agent: { committed: 3 },
      charm: { a: '3' },
    });
  });
  await begin();
});
afterEach(() => fixture[Symbol.asyncDispose]());

const begin = (more: Partial<typeof restore> = {}, earlier?: number): Promise<void> =>
  fixture.store.change((tx) => beginRestore(tx, { ...restore, ...more }, earlier), 'test');
const begun = (hooks: 'keep' | 'rerun', of = 'r-1'): Promise<void> =>
  fixture.change((tx) => acceptRestore(tx, { restore: of, hooks }));
const accept = async (hooks: 'keep' | 'rerun', of = 'r-1'): Promise<void> => {
  await begun(hooks, of);
  await settleRestore(fixture.store, fixture.uuid, 'test');
};
const state = (): object | undefined => fixture.view().get('unit-state', 'mysql/0');
const model = (): NonNullable<ReturnType<typeof read>> => read()!;
const read = () => fixture.store.read().in('').get('model', fixture.uuid);

test('every model of a restored store waits, and gives no number again that the backup may not know', async () => {
  const unit = fixture.view().get('sequence', 'unit mysql')!.next;
  expect(unit).toBe(1001);
  expect([...fixture.store.read().in('').list('model')].map((one) => isHeld(one))).toEqual([true, true]);
  await begin();
  expect(fixture.view().get('sequence', 'unit mysql')!.next).toBe(unit);
  await begin({ id: 'r-2' });
  expect(await fixture.change((tx) => takeNumbers(tx, 'unit mysql', 1))).toBe(2001);
  // What was first counted after the backup.
  expect(await fixture.change((tx) => takeNumbers(tx, 'unit newer', 1))).toBe(2000);
  expect(await fixture.change((tx) => takeNumbers(tx, 'unit newer', 1))).toBe(2001);
});

test('numbers of a second restore of one backup are not those that the first one gave', async () => {
  await begin({ id: 'r-2' }, 2);
  expect(await fixture.change((tx) => takeNumbers(tx, 'unit mysql', 1))).toBe(4001);
});

test.each([
  [{ phase: 'IMPORT' }, 'ABORT', 'held'],
  [{ phase: 'VALIDATION', asked: true }, 'VALIDATION', undefined],
  [{ phase: 'SUCCESS', asked: true }, 'SUCCESS', undefined],
  [{ phase: 'ABORTDONE' }, 'ABORTDONE', 'held'],
] as const)(
  'a model with a migration of %j is in %s after a restore, and is %s',
  async (at, phase, waits) => {
    await using other = await modelFixture();
    const target = { uuid: '', alias: 'b', addresses: [], caCert: '', user: 'user-admin' };
    const times = { startedAt: restore.backup, phaseAt: restore.backup };
    const doc: MigrationDoc = { model: other.uuid, attempt: 0, message: '', target, ...times, ...at };
    await other.store.change((tx) => tx.put('migration', other.uuid, doc), 'test');
    await other.store.change((tx) => beginRestore(tx, restore), 'test');
    const root = other.store.read().in('');
    expect(root.get('migration', other.uuid)?.phase).toBe(phase);
    expect(root.get('model', other.uuid)?.restored?.state).toBe(waits);
  },
);

test.each([
  ['ABORT', 'held', 1001],
  ['SUCCESS', undefined, 1],
] as const)(
  'a model whose target was asked before the restore has in %s the state %s, and its next unit has the number %i',
  async (phase, state, next) => {
    await using other = await modelFixture();
    await other.deploy('mysql');
    const of = { model: other.uuid, attempt: 0, phase: 'VALIDATION' } as const;
    const target = { uuid: '', alias: 'b', addresses: [], caCert: '', user: 'user-admin' };
    const times = { startedAt: restore.backup, phaseAt: restore.backup };
    await other.store.change((tx) => {
      tx.put('migration', other.uuid, { ...of, message: '', target, ...times, asked: true });
    }, 'test');
    await other.store.change((tx) => beginRestore(tx, restore), 'test');
    await other.store.change((tx) => enterPhase(tx, of, phase, ''), 'test');
    const root = other.store.read().in('');
    const restored = state && { ...restore, state, firstTask: 1000 };
    expect(root.get('model', other.uuid)?.restored).toEqual(restored);
    expect(other.view().get('sequence', 'unit mysql')?.next).toBe(next);
    expect(root.get('migration', other.uuid)).not.toHaveProperty('restored');
  },
);

test.each([
  ['keep', { lastHook: 'h-3', agent: { committed: 5 }, charm: { a: '5' } }],
  ['rerun', { lastHook: 'h-3', agent: { committed: 3 }, charm: { a: '3' } }],
] as const)(
  'the state that an agent told waits beside that of the backup until %s decides',
  async (hooks, kept) => {
    await fixture.change((tx) => keepAgentState(tx, told));
    expect(state()).toMatchObject({ agent: { committed: 3 }, newer: { agent: { committed: 5 } } });
    await accept(hooks);
    expect(state()).toEqual({ unit: 'mysql/0', ...kept });
    expect(model().restored).toEqual({ ...restore, state: hooks, firstTask: 1000 });
  },
);

test('the state of an agent that has missed the answer to its last commit does not replace that of the backup', async () => {
  await fixture.change((tx) => keepAgentState(tx, { ...told, agentState: { committed: 2 } }));
  await accept('keep');
  expect(state()).toEqual({ unit: 'mysql/0', lastHook: 'h-3', agent: { committed: 3 }, charm: { a: '3' } });
});

test('an older state that an agent tells does not replace a newer one that waits already', async () => {
  await fixture.change((tx) => keepAgentState(tx, told));
  await fixture.change((tx) => keepAgentState(tx, { ...told, agentState: { committed: 4 } }));
  expect(state()).toMatchObject({ newer: { agent: { committed: 5 } } });
});

test('a crash amid an acceptance leaves the model waiting, and it is carried out as it was given', async () => {
  await fixture.change((tx) => {
    keepAgentState(tx, told);
    tx.put('unit-state', 'mysql/1', { unit: 'mysql/1', lastHook: '', agent: { committed: 1 }, charm: {} });
    keepAgentState(tx, { ...told, unit: 'mysql/1' });
  });
  await begun('keep');
  await fixture.change((tx) => settleUnits(tx, [{ kind: 'unit-state', id: 'mysql/0' }]));
  expect(isHeld(model())).toBe(true);
  expect(state()).toMatchObject({ agent: { committed: 5 } });
  await expect(begun('rerun')).rejects.toThrow('is being accepted with --hooks keep');
  // An agent that tells its state meanwhile is not asked once more.
  await fixture.change((tx) => keepAgentState(tx, { ...told, agentState: { committed: 6 } }));
  expect(state()).toMatchObject({ agent: { committed: 6 } });
  expect(state()).not.toHaveProperty('newer');
  await settleRestore(fixture.store, fixture.uuid, 'test');
  expect(model().restored).toEqual({ ...restore, state: 'keep', firstTask: 1000 });
  expect(fixture.view().get('unit-state', 'mysql/1')).toMatchObject({ agent: { committed: 5 } });
  await settleRestore(fixture.store, fixture.uuid, 'test');
  expect(model().restored).toEqual({ ...restore, state: 'keep', firstTask: 1000 });
});

test.each(['/data', undefined])(
  'a volume that the backup has attached, mounted at %j, is attached again after an acceptance',
  async (mounted) => {
    const at = restore.backup;
    const of = { pool: 'fast', provider: 'fast', attributes: {}, size: 64, detachable: true } as const;
    const made = {
      made: { providerId: 'v-0', size: 64 },
      machine: '0',
      instance: 'i-0',
      attached: true,
    } as const;
    const unit = { unit: 'mysql/0', life: 'alive', location: '', readOnly: false } as const;
    const doc: Entities['storage'] = {
      id: 'data/0',
      name: 'data',
      type: 'filesystem',
      number: '0',
      createdAt: at,
      since: at,
      ...of,
      ...made,
      attachment: unit,
      ...defined({ mounted }),
    };
    // Storage that leaves its unit, or has left it, is detached in any case.
    const leaving = { ...doc, id: 'data/1', number: '1', attachment: { ...unit, life: 'dying' } } as const;
    const { attachment: _, ...left } = { ...doc, id: 'data/2', number: '2' };
    const others = [leaving, left];
    await fixture.change((tx) => {
      for (const one of [doc, ...others]) tx.put('storage', one.id, one);
    });
    await accept('keep');
    const { attached: _attached, ...rest } = doc;
    expect(fixture.view().get('storage', 'data/0')).toEqual(rest);
    expect(nextCloudStep(fixture.view().get('storage', 'data/0')!, 'i-0')).toBe('attach');
    for (const one of others) expect(fixture.view().get('storage', one.id)).toEqual(one);
  },
);

test('an acceptance of 1,200 units has no transaction with all of them', async () => {
  await fixture.change((tx) => {
    for (let n = 0; n < 1200; n++) {
      const unit = `mysql/${n}`;
      const newer = { agent: { committed: 2 }, charm: {} };
      tx.put('unit-state', unit, { unit, lastHook: '', agent: { committed: 1 }, charm: {}, newer });
    }
  });
  await begun('keep');
  const sizes: number[] = [];
  const end = fixture.store.watch(({ changes }) => void sizes.push(changes.length));
  await settleRestore(fixture.store, fixture.uuid, 'test');
  end();
  expect(sizes).toEqual([500, 500, 200, 1]);
});

test('that the cloud has named its instances is known until the restore is accepted', async () => {
  await fixture.change(recordListed);
  expect(model().restored).toEqual({ ...restore, state: 'held', listed: true, firstTask: 1000 });
  await accept('keep');
  await fixture.change(recordListed);
  expect(model().restored).toEqual({ ...restore, state: 'keep', firstTask: 1000 });
});

test('the state of an agent that comes back after the acceptance counts with keep alone', async () => {
  await accept('keep');
  await fixture.change((tx) => keepAgentState(tx, told));
  expect(state()).toMatchObject({ agent: { committed: 5 }, charm: { a: '5' } });
  await begin({ id: 'r-2' });
  await accept('rerun', 'r-2');
  const newer = { ...told, restore: 'r-2', agentState: { committed: 9 } };
  await fixture.change((tx) => keepAgentState(tx, newer));
  expect(state()).toMatchObject({ agent: { committed: 5 } });
});

test.each(['before', 'after'] as const)(
  'a unit that has entered a relation since the backup is in it again when %s the acceptance its agent tells',
  async (when) => {
    await fixture.deploy('wordpress');
    const [kept, left] = [await relate(fixture, 'wordpress', 'mysql'), '77'];
    const relations = { [kept]: { leaving: false }, [left]: { leaving: false } };
    const tell = (): Promise<void> =>
      fixture.change((tx) => keepAgentState(tx, { ...told, agentState: { committed: 5, relations } }));
    const scopes = (): string[] =>
      [...fixture.view().find('scope', 'unit', 'mysql/0')].map(({ relation }) => relation);
    if (when === 'before') await tell();
    expect(scopes()).toEqual([]);
    await accept('keep');
    if (when === 'after') await tell();
    expect(scopes()).toEqual([kept]);
    expect(fixture.view().get('settings', `${kept}#mysql/0`)).toMatchObject({ version: 1 });
  },
);

test('a unit enters no relation that it was leaving, nor any when its hooks run again', async () => {
  await fixture.deploy('wordpress');
  const id = await relate(fixture, 'wordpress', 'mysql');
  const agentState = (leaving: boolean): object => ({ committed: 5, relations: { [id]: { leaving } } });
  await fixture.change((tx) => keepAgentState(tx, { ...told, agentState: agentState(true) }));
  await accept('keep');
  expect([...fixture.view().list('scope')]).toEqual([]);
  await begin({ id: 'r-2' });
  await fixture.change((tx) =>
    keepAgentState(tx, { ...told, restore: 'r-2', agentState: agentState(false) }),
  );
  await accept('rerun', 'r-2');
  expect([...fixture.view().list('scope')]).toEqual([]);
});

test('the state that an agent told of an earlier restore, or that is the backup’s, is not kept', async () => {
  await fixture.change((tx) => keepAgentState(tx, { ...told, restore: 'r-0' }));
  await fixture.change((tx) =>
    keepAgentState(tx, { ...told, agentState: { committed: 3 }, charmState: { a: '3' } }),
  );
  expect(state()).not.toHaveProperty('newer');
});

test('what an agent wrote while its controller was restored waits, but for what the backup has', async () => {
  const commit = {
    unit: 'mysql/0',
    hookId: 'h-3',
    relationSettings: [],
    openPorts: [],
    closePorts: [],
    agentState: { committed: 4 },
  };
  await fixture.change((tx) => commitHook(tx, commit));
  const later = (): Promise<void> => fixture.change((tx) => commitHook(tx, { ...commit, hookId: 'h-4' }));
  await expect(later()).rejects.toMatchObject({ code: 'try again' });
  const save = fixture.change((tx) => saveAgentState(tx, { unit: 'mysql/0', agentState: {} }));
  await expect(save).rejects.toMatchObject({ code: 'try again' });
  await accept('keep');
  await later();
  expect(state()).toMatchObject({ lastHook: 'h-4' });
});

test('units and volumes that the backup does not know are told until the restore is accepted', async () => {
  const [machine] = [...fixture.view().list('machine')].map(({ id }) => id);
  const units = (): readonly string[] | undefined => fixture.view().get('machine', machine!)?.unknownUnits;
  const report = (names: string[]): Promise<void> =>
    fixture.change((tx) => recordUnknownUnits(tx, { machine: machine!, units: names }));
  await report(['mysql/7', 'no unit']);
  expect(units()).toEqual(['mysql/7']);
  await report([]);
  expect(units()).toBeUndefined();
  await expect(
    report(Array.from({ length: limits.unknownUnits.max + 1 }, (_, i) => `a/${i}`)),
  ).rejects.toMatchObject({
    code: 'quota limit exceeded',
  });
  await report(['mysql/7']);
  const volumes = Array.from({ length: 101 }, (_, i) => `v-${i}`);
  await fixture.change((tx) => recordNewerVolumes(tx, volumes));
  expect(model().restored?.volumes?.count).toBe(101);
  expect(model().restored?.volumes?.ids).toHaveLength(100);
  await accept('keep');
  expect([units(), model().restored?.volumes]).toEqual([undefined, undefined]);
});

test('units that have ended on their machine since the backup are told until the restore is accepted', async () => {
  const [machine] = [...fixture.view().list('machine')].map(({ id }) => id);
  const ended = (): readonly string[] | undefined => fixture.view().get('machine', machine!)?.endedUnits;
  const report = (names: string[]): Promise<void> =>
    fixture.change((tx) => recordUnknownUnits(tx, { machine: machine!, units: [], ended: names }));
  await report(['mysql/0']);
  expect(ended()).toEqual(['mysql/0']);
  await report([]);
  expect(ended()).toBeUndefined();
  await report(['mysql/0']);
  await accept('keep');
  expect(ended()).toBeUndefined();
});

test('a unit that was deployed since the backup is removed by its agent, once that has told its state', async () => {
  const unit = (): UnitDoc | undefined => fixture.view().get('unit', 'mysql/0');
  const remove = (): Promise<void> => fixture.change((tx) => setUnitDying(tx, unit()!));
  await fixture.change((tx) => keepAgentState(tx, told));
  await remove();
  expect(unit()).toMatchObject({ life: 'dying', deployed: true });
});

test('a unit without files on its machine begins anew once its restore is accepted, and a dying one is removed', async () => {
  const unit = (): UnitDoc | undefined => fixture.view().get('unit', 'mysql/0');
  const renew = (): Promise<void> => fixture.change((tx) => renewUnit(tx, 'mysql/0'));
  await fixture.change((tx) => unitDeployed(tx, 'mysql/0'));
  await expect(renew()).rejects.toMatchObject({ code: 'try again' });
  await accept('keep');
  await renew();
  expect(unit()).toMatchObject({ life: 'alive', deployed: false });
  expect(state()).toEqual({ unit: 'mysql/0', lastHook: '', agent: null, charm: { a: '3' } });
  await fixture.change((tx) => unitDeployed(tx, 'mysql/0'));
  await fixture.change((tx) => setUnitDying(tx, unit()!));
  await renew();
  expect(unit()).toBeUndefined();
});

test('storage on the disk of its machine is made again for a unit that begins anew, and a volume of the cloud stays', async () => {
  const of = { name: 'data', type: 'filesystem', pool: 'p', provider: 'p', attributes: {}, size: 1 } as const;
  const made = { providerId: 'v', size: 1 };
  const attachment = { unit: 'mysql/0', life: 'alive', location: '', readOnly: false } as const;
  const kept = {
    ...of,
    machine: '0',
    attachment,
    made,
    mounted: '/data',
    createdAt: restore.backup,
    since: restore.backup,
  };
  await fixture.change((tx) => {
    unitDeployed(tx, 'mysql/0');
    tx.put('storage', 'data/0', { ...kept, id: 'data/0', number: '0/0', detachable: false });
    tx.put('storage', 'data/1', { ...kept, id: 'data/1', number: '1', detachable: true });
  });
  await accept('keep');
  await fixture.change((tx) => renewUnit(tx, 'mysql/0'));
  const { made: left, mounted } = fixture.view().get('storage', 'data/0')!;
  expect([left, mounted]).toEqual([undefined, undefined]);
  expect(fixture.view().get('storage', 'data/1')).toMatchObject({ made, mounted: '/data' });
});

test('a restore is accepted once, and only the one that the operator has seen', async () => {
  await expect(accept('keep', 'r-0')).rejects.toThrow('was restored again');
  await accept('keep');
  await expect(accept('keep')).rejects.toThrow('model "default" waits for no restore');
});

test('a model that is destroyed does not wait', async () => {
  await fixture.store.change((tx) => tx.put('model', fixture.uuid, { ...model(), life: 'dying' }), 'test');
  await fixture.change((tx) => saveAgentState(tx, { unit: 'mysql/0', agentState: {} }));
});

test('agents are told of tasks of before the restore that these may have run, however full the model is', async () => {
  const task = {
    operation: '1',
    receiver: 'mysql/0',
    receiverKind: 'unit',
    name: 'work',
    parameters: { large: 'x'.repeat(2_000) },
    message: '',
    output: {},
    enqueued: '2026-01-01T00:00:00Z',
    status: 'pending',
  } as const;
  const add = (id: string): Promise<void> =>
    fixture.change((tx) => tx.put('task', id, { ...task, id, status: 'pending' }));
  await add('1');
  const full = { ...model().config, 'max-model-size': '1' };
  await fixture.store.change((tx) => tx.put('model', fixture.uuid, { ...model(), config: full }), 'test');
  await begin({ id: 'r-2' });
  const { config: _, ...others } = model();
  await fixture.store.change((tx) => tx.put('model', fixture.uuid, { ...others, config: {} }), 'test');
  await add(String(await fixture.change((tx) => takeNumbers(tx, 'task'))));
  const told = [...fixture.view().list('task')].map((one) =>
    taskRecord(one, (text) => text, model().restored),
  );
  expect(told.map(({ restore: of }) => of)).toEqual(['r-2', undefined]);
});
