/** Long members of documents, over each store: SQLite, the simulated disk, and plain maps. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { MemoryStore, type PresentStore } from '../testing/lives/memory-store.ts';
import { SimDisk } from '../forecast/world/disk.ts';
import { Faults } from '../forecast/world/faults.ts';
import { SimProcess } from '../forecast/world/process.ts';
import { Scheduler } from '../forecast/world/scheduler.ts';
import { MirroredStore } from './mirror/mirrored-store.ts';
import type { Admit, Store, Transactor } from './store.ts';
import { backends, type Pet } from '../testing/store/backends.ts';
import { defined } from '../core/defined.ts';

interface Kinds {
  readonly pet: Pet & { readonly tale?: string; readonly facts?: Readonly<Record<string, string>> };
}
type Full = Store<Kinds>;

const settings = { indexes: {}, now: () => 0, newUuid: () => '' };
const long = (seed: string, size = 100_000): string => seed.repeat(Math.ceil(size / seed.length));

let folder: string;
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'grigri-long-'))));
afterEach(() => rmSync(folder, { recursive: true }));

const sqlite = backends[0]!.open as unknown as (
  folder: string,
  options?: { valueBytes?: number; admit?: Admit<object> },
) => Full;

let turns: NodeJS.Timeout | undefined;
afterEach(() => clearInterval(turns));

/** A simulated disk whose store can be opened repeatedly. */
function simulated(): { readonly open: (admit?: Admit<Kinds>) => Full } {
  const scheduler = new Scheduler({ seed: 1 });
  const disk = new SimDisk({ seed: 1, faults: new Faults({ seed: 1, rates: {}, scheduler }) });
  turns = setInterval(() => void scheduler.drive(() => false), 1);
  let runs = 0;
  return {
    open(admit) {
      const process = new SimProcess({ scheduler, name: 'store', run: String(++runs), seed: 1 });
      const journal = disk.open(process);
      return new MirroredStore<Kinds>({
        ...settings,
        journal,
        nextTurn: process.nextTurn,
        ...defined({ admit }),
      });
    },
  };
}

const stores: readonly { name: string; open: () => PresentStore<Kinds> & { close?: () => Promise<void> } }[] =
  [
    { name: 'sqlite', open: () => sqlite(folder) },
    { name: 'simulated disk', open: () => simulated().open() },
    { name: 'plain maps', open: () => new MemoryStore<Kinds>(settings) },
  ];

describe.each(stores)('the store with $name', ({ open }) => {
  let store: ReturnType<typeof open>;
  beforeEach(() => void (store = open()));
  afterEach(() => store.close?.());
  const read = (): Kinds['pet'] | undefined => store.read().get('pet', 'rex');

  test('a long member is read as it was written, at once and once it is durable', async () => {
    const doc = { name: 'rex', tale: long('once upon a time é\ud800 "'), facts: { a: 'b' } };
    await store.change((tx) => {
      tx.put('pet', 'rex', { ...doc });
      expect(tx.get('pet', 'rex')).toEqual(doc);
    }, 'test');
    expect(read()).toEqual(doc);
    expect(Object.keys(read()!)).toEqual(['name', 'tale', 'facts']);
    expect(JSON.stringify(read())).toBe(JSON.stringify(doc));
    expect({ ...read() }).toEqual(doc);
  });

  test('many short keys that are long together are read as they were written, and frozen', async () => {
    const facts = Object.fromEntries(Array.from({ length: 2000 }, (_, n) => [`key${n}`, `value ${n}`]));
    await store.change((tx) => tx.put('pet', 'rex', { name: 'rex', facts: { ...facts } }), 'test');
    expect(read()?.facts).toEqual(facts);
    expect(() => Object.assign(read()!.facts!, { key1: 'other' })).toThrow(TypeError);
  });

  test('a change that writes an equal long member makes no revision', async () => {
    const put = (facts: Record<string, string>): Promise<void> =>
      store.change((tx) => tx.put('pet', 'rex', { name: 'rex', tale: long('a'), facts }), 'test');
    await put({ a: long('1'), b: long('2') });
    const { revision } = store.read();
    await put({ b: long('2'), a: long('1') });
    await store.change((tx) => tx.put('pet', 'rex', tx.get('pet', 'rex')!), 'test');
    expect(store.read().revision).toBe(revision);
    await put({ a: long('1'), b: long('3') });
    expect(store.read().revision).toBe(revision + 1);
    expect(read()?.facts).toEqual({ a: long('1'), b: long('3') });
  });

  test('a long member that a change copied from a removed document stays', async () => {
    await store.change((tx) => tx.put('pet', 'rex', { name: 'rex', tale: long('a') }), 'test');
    await store.change((tx) => {
      tx.put('pet', 'tom', { ...tx.get('pet', 'rex')!, name: 'tom' });
      tx.remove('pet', 'rex');
    }, 'test');
    expect(read()).toBeUndefined();
    expect(store.read().get('pet', 'tom')).toEqual({ name: 'tom', tale: long('a') });
  });

  test('watchers see long members before and after a change', async () => {
    const seen: unknown[] = [];
    store.watch(({ changes }) => {
      for (const { before, after } of changes) seen.push([before?.tale, after?.tale]);
    });
    for (const letter of ['a', 'b'])
      await store.change((tx) => tx.put('pet', 'rex', { name: 'rex', tale: long(letter) }), 'test');
    expect(seen).toEqual([
      [undefined, long('a')],
      [long('a'), long('b')],
    ]);
  });
});

describe.each([
  {
    name: 'sqlite',
    start: () => ({
      open: (admit?: Admit<Kinds>): Full => sqlite(folder, admit && { admit: admit as Admit<object> }),
    }),
  },
  { name: 'simulated disk', start: simulated },
])('the past of a store with $name', ({ start }) => {
  test('the bytes held count each document with its long members, also after a restart', async () => {
    const { open } = start();
    let store = open();
    const reported: number[] = [];
    const change = async (fn: (tx: Transactor<Kinds>) => void): Promise<number> => {
      await store.change((tx) => fn(tx.in('m')), 'test');
      const held = store.held('m');
      await store.close();
      store = open();
      expect(store.held('m')).toBe(held);
      reported.push(held);
      return held;
    };
    expect(store.held('m')).toBe(0);
    const small = await change((tx) => tx.put('pet', 'a', { name: 'a "b" \u00e9', age: 3, tags: ['x'] }));
    expect(small).toBeGreaterThan(40);
    const large = await change((tx) => tx.put('pet', 'b', { name: 'b', tale: long('x') }));
    expect(large - small).toBeGreaterThan(100_000);
    expect(large - small).toBeLessThan(101_000);
    const both = await change((tx) => {
      tx.put('pet', 'b', { name: 'b', tale: long('y', 200_000) });
      tx.remove('pet', 'a');
      tx.put('pet', 'c', { name: 'c' });
      tx.remove('pet', 'c');
      tx.put('pet', 'a', { name: 'a' });
      tx.remove('pet', 'gone');
    });
    expect(both - large).toBeLessThan(100_000);
    expect(both - large).toBeGreaterThan(99_900);
    expect(
      await change((tx) => {
        tx.remove('pet', 'a');
        tx.put('pet', 'b', { name: 'b', tale: long('y', 200_000), age: 1 });
      }),
    ).toBeLessThan(both);
    expect(store.held('')).toBe(0);
    expect(await change((tx) => tx.remove('pet', 'b'))).toBe(0);
    await store.close();
  });

  test("a put sees how many bytes its space holds, including the change's own writes", async () => {
    const { open } = start();
    const asked: [held: number, grows: number][] = [];
    const store = open(({ held, grows, space }) => {
      if (space === 'm') asked.push([held, grows]);
    });
    await store.change((all) => {
      const tx = all.in('m');
      tx.put('pet', 'a', { name: 'a', tale: long('x') });
      tx.put('pet', 'b', { name: 'b', tale: long('x') });
      tx.put('pet', 'a', { name: 'a' });
      tx.remove('pet', 'a');
      tx.put('pet', 'b', { name: 'b', tale: long('x') });
      expect(() => tx.put('pet', 'c', { name: 'c', age: NaN })).toThrow(TypeError);
    }, 'test');
    const [one] = asked;
    const size = one![1];
    expect(size).toBeGreaterThan(100_000);
    const small = size + asked[2]![1];
    expect(asked).toEqual([
      [0, size],
      [size, size],
      [2 * size, small - size],
      [size, 0],
    ]);
    expect(store.held('m')).toBe(size);
    await store.close();
  });

  test('a long member is in memory only until it is durable, and is not in memory after a restart', async () => {
    const { open } = start();
    const texts = (store: Full): unknown =>
      (store as MirroredStore<Kinds>).get('', 'pet', 'rex')?.long?.map(({ member, text }) => [member, text]);
    const store = open();
    await store.change((tx) => tx.put('pet', 'rex', { name: 'rex', tale: long('a') }), 'test');
    expect(texts(store)).toEqual([['tale', undefined]]);
    expect(store.read().get('pet', 'rex')?.tale).toBe(long('a'));
    expect(texts(store)).toEqual([['tale', undefined]]);
    await store.close();
    const reopened = open();
    expect(reopened.read().get('pet', 'rex')?.tale).toBe(long('a'));
    expect(texts(reopened)).toEqual([['tale', undefined]]);
    await reopened.close();
  });

  test('a long member of the past can be read, also after a restart', async () => {
    const { open } = start();
    const store = open();
    for (const letter of ['a', 'b', 'c'])
      await store.change((tx) => tx.put('pet', 'rex', { name: 'rex', tale: long(letter) }), 'test');
    await store.close();
    const reopened = open();
    expect(reopened.read().get('pet', 'rex')?.tale).toBe(long('c'));
    expect((await reopened.at(1)).get('pet', 'rex')?.tale).toBe(long('a'));
    const documents = [{ space: '', kind: 'pet', id: 'rex' }];
    const reported = [...reopened.past({ documents })].flatMap(({ changes }) => changes(9));
    expect(reported.map(({ before, after }) => [before?.tale?.[0], after?.tale?.[0]])).toEqual([
      ['b', 'c'],
      ['a', 'b'],
      [undefined, 'a'],
    ]);
    await reopened.close();
  });
});
