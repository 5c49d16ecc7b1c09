import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Entities } from '../../core/kinds.ts';
import { indexes } from '../../core/documents.ts';
import { MirroredStore } from '../../store/mirror/mirrored-store.ts';
import { openSqliteStore } from '../../store/sqlite/open-sqlite-store.ts';
import type { Commit, Store, Transactor } from '../../store/store.ts';
import { SimDisk } from '../../forecast/world/disk.ts';
import { Faults } from '../../forecast/world/faults.ts';
import { SimProcess } from '../../forecast/world/process.ts';
import { worldBegan } from './world.ts';
import { createRandom } from '../../forecast/world/random.ts';
import { Scheduler } from '../../forecast/world/scheduler.ts';
import type { FaultRates } from '../../forecast/world/faults.ts';

function world(
  rates: FaultRates = {},
  seed = 1,
  forgotten: ReadonlySet<string> = new Set(),
): {
  scheduler: Scheduler;
  disk: SimDisk;
  start: (run: string) => { process: SimProcess; store: Store<Entities> };
} {
  const scheduler = new Scheduler({ seed: 1, began: worldBegan });
  const disk = new SimDisk({ seed, faults: new Faults({ seed: 1, rates, scheduler }), forgotten });
  return {
    scheduler,
    disk,
    start(run) {
      const process = new SimProcess({ scheduler, name: 'store', run, seed: 1 });
      const store = new MirroredStore<Entities>({
        journal: disk.open(process),
        indexes,
        now: () => worldBegan,
        newUuid: () => '',
        nextTurn: process.nextTurn,
      });
      return { process, store };
    },
  };
}

const count = (tx: Transactor<Entities>, name: string, next: number): void =>
  tx.put('sequence', name, { name, next });

describe('history on the simulated disk', () => {
  let folder: string;
  beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'grigri-sim-'))));
  afterEach(() => rmSync(folder, { recursive: true }));

  test('the simulated disk returns the same history as the real store', async () => {
    const { scheduler, disk, start } = world();
    const real = openSqliteStore<Entities>({
      path: join(folder, 'store.db'),
      indexes,
      now: () => worldBegan,
      newUuid: () => '',
    });
    let { process, store } = start('first');
    const random = createRandom(1, 'changes');
    for (let n = 0; n < 200; n++) {
      const space = `m${random.int(0, 2)}`;
      const names = Array.from({ length: random.int(1, 4) }, () => `s${random.int(0, 6)}`);
      const gone = random.chance(0.3);
      const change = (tx: Transactor<Entities>): void => {
        for (const name of names)
          if (gone) tx.in(space).remove('sequence', name);
          else count(tx.in(space), name, n);
      };
      await real.change(change, `by ${n}`);
      let done = false;
      void store.change(change, `by ${n}`).then(() => (done = true));
      await scheduler.drive(() => done);
      if (n % 50 !== 49) continue;
      process.kill();
      ({ process, store } = start(`after ${n}`));
    }
    const past = (one: Store<Entities>): unknown => {
      const documents = [1, 2, 3].map((n) => ({ space: 'm0', kind: 'sequence', id: `s${n}` }));
      const queries = [
        { space: 'm1' },
        { documents },
        { space: 'm1', documents, after: 20, upTo: 80 },
        { space: 'none' },
      ];
      return {
        queries: queries.map((query) =>
          [...one.past(query)].map(({ revision, at, by, total, changes }) => {
            return { revision, at, by, total, changes: changes(2) };
          }),
        ),
        revision: one.read().revision,
        times: [worldBegan - 1, worldBegan, worldBegan + 1].map((time) => one.revisionAt(time)),
        horizon: one.horizon,
      };
    };
    const replayed = (one: Store<Entities>): Commit<Entities>[] => {
      const commits: Commit<Entities>[] = [];
      one.watch((commit) => commits.push(commit), 10)();
      return commits;
    };
    const listed = async (from: Promise<ReturnType<Store<Entities>['read']>>): Promise<unknown> => {
      const reader = await from;
      return ['m0', 'm1'].map((space) => [...reader.in(space).list('sequence')]);
    };
    expect(past(store)).toEqual(past(real));
    expect(replayed(store)).toEqual(replayed(real));
    for (const revision of [1, 17, 60, real.read().revision]) {
      let then: unknown;
      void listed(store.at(revision)).then((found) => (then = found));
      await scheduler.drive(() => then !== undefined);
      expect(then).toEqual(await listed(real.at(revision)));
    }
    expect(await listed(Promise.resolve(disk.read()))).toEqual(await listed(Promise.resolve(real.read())));
    await real.close();
  });
});

test('a disk that forgets a kind keeps none of its past, and nothing of it apart', async () => {
  const { scheduler, disk, start } = world({}, 1, new Set(['sequence']));
  const { store, process } = start('first');
  const long = 's'.repeat(20_000);
  for (let n = 1; n <= 3; n++) {
    let done = false;
    const change = (tx: Transactor<Entities>): void => {
      count(tx, long, n);
      tx.put('annotation', `a${n}`, { tag: `a${n}`, values: {} });
    };
    void store.change(change, 'test').then(() => (done = true));
    await scheduler.drive(() => done);
  }
  const past = [...store.past({ space: '' })].map(({ changes }) => changes(9).map(({ kind }) => kind));
  expect(past).toEqual([['annotation'], ['annotation'], ['annotation']]);
  process.kill();
  const found = start('second').store.read().get('sequence', long);
  expect(Object.getOwnPropertyDescriptor(found, 'name')).toMatchObject({ value: long });
  expect(disk.read().get('sequence', long)).toEqual({ name: long, next: 3 });
});

describe('a process that is killed while it writes', () => {
  test('a process that is killed during a write finds all of it afterwards, or nothing', async () => {
    const found = new Set<number>();
    for (let seed = 0; seed < 20; seed++) {
      const { scheduler, start } = world({}, seed);
      const { process, store } = start('first');
      let answered = false;
      void store.change((tx) => (count(tx, 'a', 1), count(tx, 'b', 2)), 'test').then(() => (answered = true));
      // The write takes a turn; the process dies before it gets the answer.
      process.dieAtStep(3);
      await scheduler.drive(() => false);
      expect(answered).toBe(false);
      found.add(start('second').store.read().count('sequence'));
    }
    expect(found).toEqual(new Set([0, 2]));
  });

  test('a write that was durable is found by the next process, though the killed one had no answer', async () => {
    const { scheduler, start } = world({ 'crash-after-durable': 1 });
    let answered = false;
    void start('first')
      .store.change((tx) => count(tx, 'a', 1), 'test')
      .then(() => (answered = true));
    await scheduler.drive(() => false);
    expect(answered).toBe(false);
    expect(start('second').store.read().get('sequence', 'a')?.next).toBe(1);
  });
});

test('a disk that fails stores nothing, and the write is rejected', async () => {
  const { scheduler, disk, start } = world({ 'disk-error': 1 });
  let error: unknown;
  void start('first')
    .store.change((tx) => count(tx, 'a', 1), 'test')
    .catch((reason: unknown) => (error = reason));
  await scheduler.drive(() => error !== undefined);
  expect(error).toMatchObject({
    message: expect.stringMatching(/^the change could not be stored: .*i\/o error/) as string,
  });
  expect(disk.read().count('sequence')).toBe(0);
});
