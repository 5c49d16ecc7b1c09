/** Contract of every store, run over each backend; past-contract.test.ts has the part about history. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc, { runs } from '../testing/fast-check.ts';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Commit, Reader, Store, Transactor } from './store.ts';
import { backends, type Kinds, type Options, type Pet } from '../testing/store/backends.ts';

describe.each(backends)('$name', ({ open }) => {
  let folder: string;
  let store: Store<Kinds>;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'grigri-store-'));
    store = open(folder);
  });
  afterEach(async () => {
    await store.close();
    rmSync(folder, { recursive: true });
  });
  const reopen = async (options?: Options): Promise<void> => {
    await store.close();
    store = open(folder, options);
  };
  const put = (id: string, pet: Partial<Pet> = {}): Promise<void> =>
    store.change((tx) => tx.put('pet', id, { name: id, ...pet }), 'test');
  const names = (pets: Iterable<Pet>): string[] => [...pets].map((pet) => pet.name);

  describe('documents', () => {
    test('a document is read as it was written, and again after a restart', async () => {
      await put('rex', { owner: 'ann', tags: ['big', 'brown'] });
      const check = (): void => {
        expect(store.read().get('pet', 'rex')).toEqual({ name: 'rex', owner: 'ann', tags: ['big', 'brown'] });
        expect(store.read().revisionOf('pet', 'rex')).toBe(1);
        expect(store.read().revision).toBe(1);
      };
      check();
      await reopen();
      check();
    });

    test('a document that may not be put is refused by put, and nothing of its change is stored', async () => {
      const asked: string[] = [];
      await reopen({
        admit({ kind, id, before, isFull, peek }) {
          const first = peek('pet', 'first') as Pet | undefined;
          asked.push(`${kind} ${id} was ${(before as Pet | undefined)?.name}, first is ${first?.name}`);
          if (!before && isFull('owner', 'ann', 2)) throw new Error('ann has two pets');
        },
      });
      await put('first', { owner: 'ann' });
      await put('first', { owner: 'ann', age: 3 });
      const change = store.change((tx) => {
        tx.put('pet', 'second', { name: 'second', owner: 'ann' });
        tx.put('pet', 'second', { name: 'again', owner: 'ann' });
        expect(() => tx.put('pet', 'third', { name: 'third', owner: 'ann' })).toThrow('ann has two pets');
        tx.remove('pet', 'first');
        tx.put('pet', 'third', { name: 'third', owner: 'ann' });
        tx.in('m1').put('pet', 'fourth', { name: 'fourth', owner: 'ann' });
        tx.put('pet', 'fifth', { name: 'fifth', owner: 'ann' });
      }, 'test');
      await expect(change).rejects.toThrow('ann has two pets');
      expect(names(store.read().list('pet'))).toEqual(['first']);
      expect(asked).toEqual([
        'pet first was undefined, first is undefined',
        'pet first was first, first is first',
        'pet second was undefined, first is first',
        'pet second was second, first is first',
        'pet third was undefined, first is first',
        'pet third was undefined, first is undefined',
        'pet fourth was undefined, first is undefined',
        'pet fifth was undefined, first is undefined',
      ]);
    });

    test('a put is judged by documents of the space "" as they are by then, also after an await', async () => {
      const seen: (number | undefined)[] = [];
      await reopen({
        admit: ({ kind, peek }) => void seen.push((peek(kind, 'first') as Pet | undefined)?.age),
      });
      await store.change(async (tx) => {
        const model = tx.in('m1');
        model.put('pet', 'a', { name: 'a' });
        await put('first', { age: 1 });
        model.put('pet', 'b', { name: 'b' });
        tx.put('pet', 'first', { name: 'first', age: 2 });
        model.put('pet', 'c', { name: 'c' });
      }, 'test');
      expect(seen).toEqual([undefined, undefined, 1, 1, 2]);
    });

    test('a document that does not exist is undefined and has revision 0', () => {
      expect(store.read().get('pet', 'rex')).toBeUndefined();
      expect(store.read().revisionOf('pet', 'rex')).toBe(0);
      expect(store.read().revision).toBe(0);
      expect([...store.read().list('pet')]).toEqual([]);
    });

    test('kinds, ids and spaces are separate', async () => {
      await store.change((tx) => {
        tx.put('pet', 'a', { name: 'controller' });
        tx.in('m1').put('pet', 'a', { name: 'one' });
        tx.in('m2').put('toy', 'a', { n: 2 });
      }, 'test');
      const reader = store.read();
      expect(reader.get('pet', 'a')?.name).toBe('controller');
      expect(reader.in('m1').get('pet', 'a')?.name).toBe('one');
      expect(reader.in('m2').get('pet', 'a')).toBeUndefined();
      expect(reader.in('m2').get('toy', 'a')?.n).toBe(2);
      expect(new Set(reader.spaces())).toEqual(new Set(['', 'm1', 'm2']));
      await store.change((tx) => tx.in('m2').remove('toy', 'a'), 'test');
      expect(new Set(store.read().spaces())).toEqual(new Set(['', 'm1']));
    });

    test('documents are deeply frozen, also after a restart', async () => {
      await put('rex', { tags: ['big'] });
      const check = (): void => {
        const rex = store.read().get('pet', 'rex');
        expect(Object.isFrozen(rex) && Object.isFrozen(rex?.tags)).toBe(true);
      };
      check();
      await reopen();
      check();
    });

    test('members that are undefined are left out at once, not only after a restart', async () => {
      await store.change(
        (tx) => tx.put('pet', 'rex', { name: 'rex', owner: undefined } as unknown as Pet),
        'test',
      );
      expect(Object.keys(store.read().get('pet', 'rex') ?? {})).toEqual(['name']);
    });

    test.each([
      ['a date', new Date(0)],
      ['a map', new Map()],
      ['a function', () => 1],
      ['not a number', NaN],
      ['a bigint', 1n],
    ])('what JSON would bend is refused: %s', async (_, value) => {
      const change = store.change((tx) => tx.put('pet', 'x', { name: 'x', age: value as number }), 'test');
      await expect(change).rejects.toThrow(TypeError);
      expect(store.read().revision).toBe(0);
    });

    test('a document that an index cannot read fails its own change only', async () => {
      const good = put('good');
      const bad = store.change((tx) => tx.put('pet', 'bad', null as unknown as Pet), 'test');
      await expect(bad).rejects.toThrow(TypeError);
      await good;
      expect(store.read().count('pet')).toBe(1);
    });

    test('lists and index values are in the order of insertion, whatever was changed since', async () => {
      for (const id of ['c', 'a', 'b']) await put(id, { owner: id === 'a' ? 'bob' : 'ann' });
      await put('c', { owner: 'ann', age: 3 });
      await put('a', { owner: 'ann' });
      const check = (): void => {
        expect(names(store.read().list('pet'))).toEqual(['c', 'a', 'b']);
        expect(names(store.read().find('pet', 'owner', 'ann'))).toEqual(['c', 'a', 'b']);
      };
      check();
      await reopen();
      check();
      await store.change((tx) => tx.remove('pet', 'c'), 'test');
      await put('c');
      expect(names(store.read().list('pet'))).toEqual(['a', 'b', 'c']);
    });

    test('a document is found by each of its index values, and by none after it is removed', async () => {
      await put('rex', { tags: ['big', 'brown', 'big'] });
      expect(names(store.read().find('pet', 'tag', 'brown'))).toEqual(['rex']);
      expect(store.read().count('pet', 'tag', 'big')).toBe(1);
      await put('rex', { tags: ['brown'] });
      expect(store.read().count('pet', 'tag', 'big')).toBe(0);
      await store.change((tx) => tx.remove('pet', 'rex'), 'test');
      expect(store.read().count('pet', 'tag', 'brown')).toBe(0);
    });

    test('an index that does not exist is an error', async () => {
      await put('rex');
      expect(() => store.read().find('pet', 'colour', 'red')).toThrow('there is no index "colour"');
    });

    test('a list may be iterated while the store changes', async () => {
      for (const id of ['a', 'b', 'c']) await put(id);
      const changes: Promise<void>[] = [];
      const seen: string[] = [];
      for (const pet of store.read().list('pet')) {
        seen.push(pet.name);
        changes.push(put(`${pet.name}-child`));
        changes.push(store.change((tx) => tx.remove('pet', 'c'), 'test'));
      }
      await Promise.all(changes);
      expect(seen).toEqual(['a', 'b', 'c']);
      expect(names(store.read().list('pet'))).toEqual(['a', 'b', 'a-child', 'b-child', 'c-child']);
    });
  });

  describe('changes', () => {
    test('a change sees its own writes, nobody else sees them before they are durable', async () => {
      await put('old', { owner: 'ann' });
      const done = store.change((tx) => {
        tx.put('pet', 'new', { name: 'new', owner: 'ann' });
        tx.remove('pet', 'old');
        expect(names(tx.find('pet', 'owner', 'ann'))).toEqual(['new']);
        expect(tx.count('pet')).toBe(1);
        expect(tx.get('pet', 'old')).toBeUndefined();
        return 'result';
      }, 'test');
      const before = store.read();
      expect(names(before.list('pet'))).toEqual(['old']);
      expect(names(before.find('pet', 'owner', 'ann'))).toEqual(['old']);
      expect(before.count('pet', 'owner', 'ann')).toBe(1);
      expect(before.get('pet', 'new')).toBeUndefined();
      expect(before.revision).toBe(1);
      expect(await done).toBe('result');
      expect(names(store.read().list('pet'))).toEqual(['new']);
    });

    test('changes of one turn build on each other', async () => {
      const increment = (): Promise<number> =>
        store.change((tx) => {
          const n = (tx.get('toy', 'x')?.n ?? 0) + 1;
          tx.put('toy', 'x', { n });
          return n;
        }, 'test');
      const results = await Promise.all(Array.from({ length: 50 }, increment));
      expect(results).toEqual(Array.from({ length: 50 }, (_, i) => i + 1));
      expect(store.read().get('toy', 'x')?.n).toBe(50);
      expect(store.read().revision).toBe(50);
    });

    test('a reader between the changes of one turn sees none of them', async () => {
      await put('a', { owner: 'ann' });
      const changes: Promise<void>[] = [];
      for (const owner of ['bob', 'eve', 'ann', 'bob']) {
        changes.push(put('a', { owner }), put(`of-${owner}`, { owner }));
        expect(names(store.read().find('pet', 'owner', 'ann'))).toEqual(['a']);
        expect(store.read().count('pet', 'owner', 'ann')).toBe(1);
        expect(store.read().count('pet', 'owner', owner)).toBe(owner === 'ann' ? 1 : 0);
        expect(store.read().count('pet')).toBe(1);
      }
      await Promise.all(changes);
      expect(store.read().count('pet', 'owner', 'bob')).toBe(2);
    });

    test("counts include the change's own writes on top of what others committed since", async () => {
      await put('x', { owner: 'carl' });
      const counts = await store.change(async (tx) => {
        tx.put('pet', 'x', { name: 'x', owner: 'ann' });
        const ann = tx.count('pet', 'owner', 'ann');
        await put('x', { owner: 'bob' });
        return [ann, tx.count('pet', 'owner', 'bob'), tx.count('pet', 'owner', 'carl')];
      }, 'test');
      expect(counts).toEqual([1, 0, 0]);
      expect(names(store.read().find('pet', 'owner', 'ann'))).toEqual(['x']);
    });

    test('a document that is removed and put again within one change comes last', async () => {
      await store.change((tx) => {
        for (const id of ['a', 'b']) tx.put('pet', id, { name: id });
        tx.remove('pet', 'a');
        tx.put('pet', 'a', { name: 'a' });
        expect(names(tx.list('pet'))).toEqual(['b', 'a']);
      }, 'test');
      expect(names(store.read().list('pet'))).toEqual(['b', 'a']);
    });

    test('a change that caught its Conflict still runs again', async () => {
      let runs = 0;
      await store.change(async (tx) => {
        runs++;
        const missing = tx.get('pet', 'x') === undefined;
        if (runs === 1) await put('x');
        try {
          tx.get('pet', 'y');
        } catch {
          await store.change((other) => other.remove('pet', 'x'), 'other');
        }
        tx.put('toy', 'missing', { n: Number(missing) });
      }, 'test');
      expect(runs).toBe(2);
    });

    test('a change that throws leaves nothing', async () => {
      const change = store.change((tx) => {
        tx.put('pet', 'rex', { name: 'rex' });
        throw new Error('no');
      }, 'test');
      await expect(change).rejects.toThrow('no');
      expect(store.read().get('pet', 'rex')).toBeUndefined();
      expect(store.read().revision).toBe(0);
    });

    test('writing equal documents, removing absent ones, and adding what is removed again make no revision', async () => {
      await put('rex', { owner: 'ann', age: 1 });
      await store.change((tx) => tx.put('pet', 'rex', { age: 1, owner: 'ann', name: 'rex' }), 'test');
      await store.change((tx) => tx.remove('pet', 'tom'), 'test');
      await store.change((tx) => {
        tx.put('pet', 'tom', { name: 'tom' });
        tx.remove('pet', 'tom');
      }, 'test');
      expect(store.read().revision).toBe(1);
    });

    test('the time and new ids come from the transactor', async () => {
      const result = await store.change((tx) => [tx.now, tx.newUuid()], 'test');
      expect(result).toEqual(['2026-01-02T03:04:05.006Z', 'uuid-1']);
    });

    test('a transactor cannot be used after its change', async () => {
      const tx = await store.change((transactor) => ({ transactor }), 'test');
      expect(() => tx.transactor.get('pet', 'x')).toThrow('the change has ended');
      expect(() => tx.transactor.put('pet', 'x', { name: 'x' })).toThrow('the change has ended');
    });

    type Read = (tx: Transactor<Kinds>) => unknown;
    const reads: readonly { name: string; read: Read; disturb: string; pet?: Partial<Pet> }[] = [
      { name: 'a document', read: (tx) => tx.get('pet', 'rex'), disturb: 'rex', pet: { age: 9 } },
      { name: 'a missing document', read: (tx) => tx.get('pet', 'new'), disturb: 'new' },
      { name: 'a revision', read: (tx) => tx.revisionOf('pet', 'rex'), disturb: 'rex', pet: { age: 9 } },
      {
        name: 'an index value',
        read: (tx) => tx.find('pet', 'owner', 'ann'),
        disturb: 'new',
        pet: { owner: 'ann' },
      },
      {
        name: 'an empty index value',
        read: (tx) => tx.count('pet', 'owner', 'eve'),
        disturb: 'n',
        pet: { owner: 'eve' },
      },
      { name: 'a kind', read: (tx) => tx.count('pet'), disturb: 'new' },
      { name: 'a kind in no space yet', read: (tx) => tx.in('').list('pet'), disturb: 'new' },
    ];
    test.each(reads)(
      'a change that read $name runs again when others change it',
      async ({ read, disturb, pet }) => {
        await put('rex', { owner: 'ann' });
        let runs = 0;
        await store.change(async (tx) => {
          runs++;
          read(tx);
          if (runs === 1) await put(disturb, pet);
          tx.put('toy', 'x', { n: runs });
        }, 'test');
        expect(runs).toBe(2);
        expect(store.read().get('toy', 'x')?.n).toBe(2);
      },
    );

    test('a change that read the spaces runs again when there is a new one', async () => {
      let runs = 0;
      await store.change(async (tx) => {
        runs++;
        void [...tx.spaces()];
        if (runs === 1) await store.change((other) => other.in('m').put('toy', 'x', { n: 1 }), 'other');
        tx.put('toy', 'x', { n: runs });
      }, 'test');
      expect(runs).toBe(2);
    });

    test('a change does not conflict with what it has not read', async () => {
      await put('rex', { owner: 'ann' });
      let runs = 0;
      await store.change(async (tx) => {
        runs++;
        tx.get('pet', 'rex');
        tx.count('pet', 'owner', 'ann');
        await put(`tom-${runs}`, { owner: 'bob' });
        await store.change((other) => other.in('m').put('pet', 'rex', { name: 'other' }), 'test');
        tx.put('toy', 'x', { n: runs });
      }, 'test');
      expect(runs).toBe(1);
    });

    test('a change never sees half of another one', async () => {
      await store.change((tx) => {
        tx.put('toy', 'a', { n: 0 });
        tx.put('toy', 'b', { n: 0 });
      }, 'test');
      let runs = 0;
      const sums: number[] = [];
      await store.change(async (tx) => {
        runs++;
        const a = tx.get('toy', 'a')?.n ?? NaN;
        if (runs === 1) {
          await store.change((other) => {
            other.put('toy', 'a', { n: 1 });
            other.put('toy', 'b', { n: -1 });
          }, 'other');
        }
        sums.push(a + (tx.get('toy', 'b')?.n ?? NaN));
      }, 'test');
      expect(runs).toBe(2);
      expect(sums).toEqual([0]);
    });

    test('an error that was thrown over a stale snapshot is dropped', async () => {
      await put('rex', { age: 1 });
      let runs = 0;
      await store.change(async (tx) => {
        runs++;
        const age = tx.get('pet', 'rex')?.age;
        if (runs === 1) await put('rex', { age: 2 });
        if (age === 1) throw new Error('wrong age');
      }, 'test');
      expect(runs).toBe(2);
    });

    test('endless conflicts end with "excessive contention"', async () => {
      let n = 0;
      const change = store.change(async (tx) => {
        tx.get('toy', 'x');
        await store.change((other) => other.put('toy', 'x', { n: ++n }), 'other');
        tx.put('toy', 'y', { n });
      }, 'test');
      await expect(change).rejects.toMatchObject({ code: 'excessive contention' });
      expect(store.read().get('toy', 'y')).toBeUndefined();
    });
  });

  describe('watches', () => {
    test('a watcher gets each commit once, in order, with before and after', async () => {
      const commits: Commit<Kinds>[] = [];
      store.watch((commit) => commits.push(commit));
      await Promise.all([put('a'), put('b'), put('a', { age: 1 })]);
      await store.change((tx) => tx.remove('pet', 'b'), 'worker');
      expect(commits.map((commit) => commit.revision)).toEqual([1, 2, 3, 4]);
      expect(commits[2]?.changes).toEqual([
        { space: '', kind: 'pet', id: 'a', before: { name: 'a' }, after: { name: 'a', age: 1 } },
      ]);
      expect(commits[3]).toMatchObject({ by: 'worker', at: '2026-01-02T03:04:05.006Z' });
      expect(commits[3]?.changes[0]).toMatchObject({ before: { name: 'b' }, after: undefined });
    });

    test('a watcher gets only what is durable and readable', async () => {
      const seen: (number | undefined)[] = [];
      store.watch((commit) =>
        seen.push(store.read().revision - commit.revision, store.read().get('toy', 'x')?.n),
      );
      await store.change((tx) => tx.put('toy', 'x', { n: 7 }), 'test');
      expect(seen).toEqual([0, 7]);
    });

    test('a watch from a past revision gets the past commits first, also after a restart', async () => {
      await put('a');
      await put('a', { age: 1 });
      await store.change((tx) => tx.remove('pet', 'a'), 'test');
      await put('a', { age: 2 });
      await reopen();
      const reported: unknown[] = [];
      store.watch(
        (commit) => reported.push([commit.revision, ...commit.changes.map((c) => [c.before, c.after])]),
        1,
      );
      await put('b');
      expect(reported).toEqual([
        [2, [{ name: 'a' }, { name: 'a', age: 1 }]],
        [3, [{ name: 'a', age: 1 }, undefined]],
        [4, [undefined, { name: 'a', age: 2 }]],
        [5, [undefined, { name: 'b' }]],
      ]);
    });

    test('a watcher that was ended is not called again, also when it is ended within a call', async () => {
      let calls = 0;
      const end = store.watch(() => {
        calls++;
        end();
      });
      await Promise.all([put('a'), put('b')]);
      expect(calls).toBe(1);
    });

    test('a watcher that is added within a call gets only later commits', async () => {
      const reported: number[] = [];
      const end = store.watch(() => {
        end();
        store.watch((commit) => reported.push(commit.revision));
      });
      await Promise.all([put('a'), put('b')]);
      await put('c');
      expect(reported).toEqual([3]);
    });

    test('a watcher that throws does not keep commits from the others', async () => {
      const errors: unknown[] = [];
      await reopen({ onWatcherError: (error) => errors.push(error) });
      const reported: number[] = [];
      store.watch(() => {
        throw new Error('watcher');
      });
      store.watch((commit) => reported.push(commit.revision));
      await put('a');
      await put('b');
      expect(reported).toEqual([1, 2]);
      expect(errors).toHaveLength(2);
    });
  });

  describe('closing', () => {
    test('close waits for running commits; later changes are refused', async () => {
      const last = put('a');
      const closed = store.close();
      await expect(put('b')).rejects.toThrow('the store is closed');
      await last;
      await closed;
      store = open(folder);
      expect(names(store.read().list('pet'))).toEqual(['a']);
    });
  });

  test('any sequence of changes, restarts and readers gives what a reference model gives', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 25 }), async (steps) => {
        const own = mkdtempSync(join(tmpdir(), 'grigri-model-'));
        let real = open(own);
        try {
          const model = new Model();
          const past = new Map<number, Model>([[0, model.copy()]]);
          const reported: number[] = [];
          const watch = (): void => void real.watch((commit) => reported.push(commit.revision));
          watch();
          for (const { changes, restart } of steps) {
            const durable = model.copy();
            const promises = changes.map((writes) => {
              const before = model.revision;
              const done = real.change((tx) => {
                for (const write of writes) apply(tx, write);
                expect(contents(tx)).toEqual(model.with(writes).contents());
              }, 'test');
              model.commit(writes);
              if (model.revision !== before) past.set(model.revision, model.copy());
              return done;
            });
            expect(contents(real.read())).toEqual(durable.contents());
            await Promise.all(promises);
            expect(contents(real.read())).toEqual(model.contents());
            expect(real.read().revision).toBe(model.revision);
            if (restart) {
              await real.close();
              real = open(own);
              watch();
              expect(contents(real.read())).toEqual(model.contents());
            }
          }
          for (const [revision, state] of past)
            expect(contents(await real.at(revision))).toEqual(state.contents());
          expect(reported).toEqual(Array.from({ length: model.revision }, (_, i) => i + 1));
        } finally {
          await real.close();
          rmSync(own, { recursive: true });
        }
      }),
      { numRuns: runs(25) },
    );
  }, 60_000);
});

interface ModelWrite {
  readonly space: string;
  readonly id: string;
  readonly pet: Pet | undefined;
}

const write: fc.Arbitrary<ModelWrite> = fc.record({
  space: fc.constantFrom('', 'm'),
  id: fc.constantFrom('a', 'b', 'c', 'd'),
  pet: fc.option(
    fc.record({
      name: fc.constantFrom('x', 'y'),
      owner: fc.constantFrom('ann', 'bob'),
      tags: fc.subarray(['t1', 't2']),
    }),
    { nil: undefined, freq: 2 },
  ),
});
const step = fc.record({
  /** Changes of one turn; each has one or more writes. */
  changes: fc.array(fc.array(write, { minLength: 1, maxLength: 4 }), { maxLength: 4 }),
  restart: fc.boolean(),
});

function apply(tx: Transactor<Kinds>, { space, id, pet }: ModelWrite): void {
  if (pet) tx.in(space).put('pet', id, { ...pet });
  else tx.in(space).remove('pet', id);
}

/** Reference model: two lists of rows in the order of insertion; indexes are computed by full scans. */
class Model {
  revision = 0;
  rows: { space: string; id: string; pet: Pet }[] = [];

  copy(): Model {
    const copy = new Model();
    copy.revision = this.revision;
    copy.rows = [...this.rows];
    return copy;
  }

  with(writes: readonly ModelWrite[]): Model {
    const copy = this.copy();
    copy.commit(writes);
    return copy;
  }

  commit(writes: readonly ModelWrite[]): void {
    const before = this.rows;
    const key = (row: { space: string; id: string }): string => `${row.space} ${row.id}`;
    const keep = new Set(before.map(key));
    const staged = new Map<string, { space: string; id: string; pet: Pet } | undefined>(
      before.map((row) => [key(row), row]),
    );
    for (const { space, id, pet } of writes) {
      const row = pet && { space, id, pet };
      // A document that existed before the change keeps its place even when the change removes and puts it.
      if (!keep.has(key({ space, id })) && !staged.get(key({ space, id }))) staged.delete(key({ space, id }));
      staged.set(key({ space, id }), row);
    }
    const after = [...staged.values()].filter((row) => row !== undefined);
    if (JSON.stringify(after) === JSON.stringify(before)) return;
    this.rows = after;
    this.revision++;
  }

  contents(): unknown {
    const views = ['', 'm'].map((space) => {
      const rows = this.rows.filter((row) => row.space === space).map((row) => row.pet);
      const owned = (owner: string): Pet[] => rows.filter((pet) => pet.owner === owner);
      const tagged = (tag: string): Pet[] => rows.filter((pet) => pet.tags?.includes(tag));
      const lists = [rows, owned('ann'), owned('bob'), tagged('t1'), tagged('t2')];
      return { lists, counts: lists.map((list) => list.length) };
    });
    return { views, spaces: [...new Set(this.rows.map((row) => row.space))].sort() };
  }
}

function contents(reader: Reader<Kinds>): unknown {
  const views = ['', 'm'].map((name) => {
    const space = reader.in(name);
    const lists = [
      space.list('pet'),
      ...['ann', 'bob'].map((owner) => space.find('pet', 'owner', owner)),
      ...['t1', 't2'].map((tag) => space.find('pet', 'tag', tag)),
    ];
    const counts = [
      space.count('pet'),
      ...['ann', 'bob'].map((owner) => space.count('pet', 'owner', owner)),
      ...['t1', 't2'].map((tag) => space.count('pet', 'tag', tag)),
    ];
    return { lists: lists.map((list) => [...list]), counts };
  });
  return { views, spaces: [...reader.spaces()].sort() };
}
