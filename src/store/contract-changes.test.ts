/** Contract of every store about changes. */
import { describe, expect, test } from 'vitest';
import type { Transactor } from './store.ts';
import { names, prepareStore, put, reopen, store } from '../testing/store/store-world.ts';
import { backends, type Kinds, type Pet } from '../testing/store/backends.ts';

describe.each(backends)('$name', ({ open }) => {
  prepareStore(open);

  describe('changes', () => {
    test('a change sees its own writes, and nobody else sees them before they are durable', async () => {
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

    test('a change is checked on the state that it is committed to, and a refused one leaves nothing', async () => {
      const asked: string[] = [];
      await reopen({
        permit({ spaces, writes, peek }) {
          const written = [...writes()].map(({ space, kind, id }) => `${space}|${kind} ${id}`);
          const age = peek('pet', 'first')?.age;
          asked.push(`${[...spaces].join()}: ${written.join()}, first is ${age}`);
          if (age === 2) throw new Error('nothing changes any more');
        },
      });
      await put('first', { age: 1 });
      const late = store.change(async (tx) => {
        await new Promise((resolve) => setTimeout(resolve, 20));
        tx.in('m1').put('pet', 'late', { name: 'late' });
      }, 'test');
      const closing = store.change((tx) => tx.put('pet', 'first', { name: 'first', age: 2 }), 'test');
      await expect(closing).rejects.toThrow('nothing changes any more');
      expect(store.read().get('pet', 'first')?.age).toBe(1);
      await late;
      await store.change((tx) => tx.in('m1').remove('pet', 'late'), 'test');
      await store.change(() => undefined, 'test');
      expect(asked).toEqual([
        ': |pet first, first is 1',
        ': |pet first, first is 2',
        'm1: m1|pet late, first is 1',
        'm1: m1|pet late, first is 1',
      ]);
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

    test("counts include the change's own writes and the commits that others made since it began", async () => {
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

    test('the time and new ids of a change come from the transactor', async () => {
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

    test('a change does not conflict with changes of documents that it has not read', async () => {
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
});
