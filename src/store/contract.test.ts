/**
 * Contract of every store, run over each backend; the files contract-*.test.ts and past-contract.test.ts have its other
 * parts.
 */
import { describe, expect, test } from 'vitest';
import type { Commit } from './store.ts';
import { names, prepareStore, put, reopen, store } from '../testing/store/store-world.ts';
import { backends, type Kinds, type Pet } from '../testing/store/backends.ts';

describe.each(backends)('$name', ({ open }) => {
  prepareStore(open);

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

    test('a put is given the counts of the documents under an index’s value, including its own writes', async () => {
      const told: string[] = [];
      await reopen({
        admit({ id, heldBy, counts, grows }) {
          const held = heldBy('owner', 'ann');
          told.push(`${id} ${held === 0 ? 'none' : held} ${counts} ${grows}`);
        },
      });
      await put('first', { owner: 'ann' });
      const size = store.held('', { kind: 'pet', id: 'first' });
      await store.change((tx) => {
        tx.put('pet', 'other', { name: 'other', owner: 'ann' });
        tx.put('pet', 'other', { name: 'other', owner: 'ann' });
        tx.remove('pet', 'first');
        tx.put('pet', 'other', { name: 'other', owner: 'bob' });
        tx.put('pet', 'last2', { name: 'last2', owner: 'ann' });
      }, 'test');
      expect(told).toEqual([
        `first none ${size} ${size}`,
        `other ${size} ${size} ${size}`,
        `other ${2 * size} ${size} 0`,
        `other ${size} ${size} 0`,
        `last2 none ${size} ${size}`,
      ]);
    });

    test('a document that is not allowed is refused by put, and nothing of its change is stored', async () => {
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

    test('a put is checked against documents of the space "" as they are at that moment, also after an await', async () => {
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

    test('documents of different kinds, ids and spaces are separate', async () => {
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

    test('members of documents that are undefined are left out at once, not only after a restart', async () => {
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
    ])('a value that JSON would alter is refused: %s', async (_, value) => {
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

    test('lists and index values keep the order of insertion, whatever changes later', async () => {
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

    test('a look-up by an index that does not exist is an error', async () => {
      await put('rex');
      expect(() => store.read().find('pet', 'colour', 'red')).toThrow('there is no index "colour"');
    });

    test('a list of documents may be iterated while the store changes', async () => {
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

    test('a watcher gets only commits that are durable and readable', async () => {
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

    test('a watcher that throws does not keep commits from other watchers', async () => {
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
    test('the closing of a store waits for running commits; later changes are refused', async () => {
      const last = put('a');
      const closed = store.close();
      await expect(put('b')).rejects.toThrow('the store is closed');
      await last;
      await closed;
      await reopen();
      expect(names(store.read().list('pet'))).toEqual(['a']);
    });
  });
});
