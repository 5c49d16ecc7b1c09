/** Contract of every store about its history. */
import { describe, expect, test } from 'vitest';
import type { DocumentKey, PastCommit, PastQuery } from './store.ts';
import { backends, type Kinds, type Pet } from '../testing/store/backends.ts';
import { names, prepareStore, put, reopen, store } from '../testing/store/store-world.ts';

describe.each(backends)('$name', ({ open }) => {
  prepareStore(open);

  const past = (query: PastQuery, most = 10): unknown[] =>
    [...store.past(query)].map((commit) => [
      commit.revision,
      commit.by,
      commit.total,
      commit.changes(most).map(({ id, before, after }) => [id, ageOf(before), ageOf(after)]),
    ]);
  const ageOf = (doc: object | undefined): unknown => (doc ? ((doc as Pet).age ?? 'no age') : undefined);
  const revisions = (query: PastQuery): number[] => [...store.past(query)].map((commit) => commit.revision);
  const pet = (id: string, space = ''): DocumentKey => ({ space, kind: 'pet', id });

  test('many documents of one change keep their past when one change makes all of them again', async () => {
    const ids = Array.from({ length: 100 }, (_, n) => `pet${n}`);
    const putAll = (age: number): Promise<void> =>
      store.change((tx) => ids.forEach((id) => tx.put('pet', id, { name: id, age })), 'test');
    await putAll(1);
    await store.change((tx) => ids.forEach((id) => tx.remove('pet', id)), 'test');
    await putAll(2);
    await putAll(3);
    await reopen();
    for (const id of ids)
      expect(past({ documents: [pet(id)] })).toEqual([
        [4, 'test', 1, [[id, 2, 3]]],
        [3, 'test', 1, [[id, undefined, 2]]],
        [2, 'test', 1, [[id, 1, undefined]]],
        [1, 'test', 1, [[id, undefined, 1]]],
      ]);
    expect(names(store.read().list('pet'))).toEqual(ids);
  });

  test('past commits come newest first, with their time, their author and the requested changes', async () => {
    await put('a', { age: 1 });
    await store.change((tx) => {
      tx.put('pet', 'a', { name: 'a', age: 2 });
      tx.put('pet', 'b', { name: 'b' });
      tx.in('m').put('pet', 'c', { name: 'c' });
    }, 'ann');
    await store.change((tx) => tx.remove('pet', 'a'), 'bob');
    await store.change((tx) => tx.in('m').put('pet', 'c', { name: 'c', age: 9 }), 'bob');
    await put('a', { age: 3 });
    const check = (): void => {
      expect(past({ documents: [pet('a')] })).toEqual([
        [5, 'test', 1, [['a', undefined, 3]]],
        [3, 'bob', 1, [['a', 2, undefined]]],
        [2, 'ann', 1, [['a', 1, 2]]],
        [1, 'test', 1, [['a', undefined, 1]]],
      ]);
      expect(past({ space: 'm' })).toEqual([
        [4, 'bob', 1, [['c', 'no age', 9]]],
        [2, 'ann', 1, [['c', undefined, 'no age']]],
      ]);
      expect(past({ space: 'm', documents: [pet('b'), pet('a')], after: 1, upTo: 4 })).toEqual([
        [4, 'bob', 1, [['c', 'no age', 9]]],
        [3, 'bob', 1, [['a', 2, undefined]]],
        [
          2,
          'ann',
          3,
          [
            ['c', undefined, 'no age'],
            ['a', 1, 2],
            ['b', undefined, 'no age'],
          ],
        ],
      ]);
      expect(past({ space: '' }, 1)[2]).toEqual([2, 'ann', 2, [['a', 1, 2]]]);
      expect(past({ space: 'nowhere', documents: [pet('x'), pet('a', 'm')] })).toEqual([]);
      const [newest] = store.past({ space: '' });
      expect(newest?.at).toBe('2026-01-02T03:04:05.006Z');
    };
    check();
    await reopen();
    check();
  });

  test('the past of removed documents can still be queried, across their removal', async () => {
    await put('a', { owner: 'ann', tags: ['t1', 't2'] });
    await Promise.all([store.change((tx) => tx.remove('pet', 'a'), 'test'), put('a', { owner: 'bob' })]);
    await store.change((tx) => tx.remove('pet', 'a'), 'test');
    const check = (): void => {
      expect(revisions({ documents: [pet('a')] })).toEqual([4, 3, 2, 1]);
      for (const owner of ['ann', 'bob']) expect(store.removed('', 'pet', 'owner', owner)).toEqual(['a']);
      expect(store.removed('', 'pet', 'tag', 't2')).toEqual(['a']);
      expect(store.removed('', 'pet', 'owner', 'eve')).toEqual([]);
      expect(store.removed('m', 'pet', 'owner', 'ann')).toEqual([]);
      expect(() => store.removed('', 'toy', 'owner', 'ann')).toThrow('not found by "owner"');
    };
    check();
    await reopen();
    check();
  });

  test('past changes are found by an index, for existing documents and for removed ones', async () => {
    for (const id of ['a', 'b', 'c']) await put(id, { owner: id === 'b' ? 'bob' : 'ann' });
    await store.change((tx) => tx.remove('pet', 'a'), 'test');
    await put('a', { owner: 'ann', age: 2 });
    await store.change((tx) => tx.remove('pet', 'c'), 'test');
    const found = [{ space: '', kind: 'pet', index: 'owner', value: 'ann' }];
    const check = (): void => {
      expect(revisions({ found })).toEqual([6, 5, 4, 3, 1]);
      expect(revisions({ found, documents: [pet('b'), pet('a')], after: 1, upTo: 5 })).toEqual([5, 4, 3, 2]);
      expect([...store.past({ found })].map((commit) => commit.total)).toEqual([1, 1, 1, 1, 1]);
    };
    check();
    await reopen();
    check();
  });

  test('iteration over the past may go on while the store changes', async () => {
    for (let age = 1; age <= 3; age++) await put('a', { age });
    const commits = store.past({ space: '', documents: [pet('b')] })[Symbol.iterator]();
    const next = (): number | undefined => (commits.next().value as PastCommit<Kinds> | undefined)?.revision;
    expect(next()).toBe(3);
    await put('a', { age: 4 });
    expect([next(), next(), next()]).toEqual([2, 1, undefined]);
  });

  test('revisionAt returns the newest revision at or before a time, also when the clock was set back', async () => {
    let now = 0;
    await reopen({ now: () => now });
    for (const [id, ms] of [
      ['a', 1000],
      ['b', 3000],
      ['c', 2000],
      ['d', 4000],
    ] as const) {
      now = ms;
      await put(id);
    }
    const check = (): void => {
      expect([0, 999, 1000, 1999, 2000, 3000, 3999, 4000, 9000].map((ms) => store.revisionAt(ms))).toEqual([
        0, 0, 1, 1, 3, 3, 3, 4, 4,
      ]);
      expect(store.horizon).toEqual({ revision: 0, at: '1970-01-01T00:00:01.000Z' });
      expect([0, 2, 5].map((revision) => store.timeOf(revision))).toEqual([
        '',
        '1970-01-01T00:00:03.000Z',
        '',
      ]);
    };
    check();
    await reopen({ now: () => now });
    check();
  });

  test('a past state does not change while the store takes changes', async () => {
    await put('a', { owner: 'ann' });
    await put('b', { owner: 'ann' });
    const past = await store.at(2);
    const check = (): void => {
      expect(names(past.list('pet'))).toEqual(['a', 'b']);
      expect(names(past.find('pet', 'owner', 'ann'))).toEqual(['a', 'b']);
      expect(past.count('pet', 'owner', 'bob')).toBe(0);
      expect(past.revisionOf('pet', 'a')).toBe(1);
      expect([...past.spaces()]).toEqual(['']);
    };
    check();
    const pending = store.change((tx) => {
      tx.remove('pet', 'a');
      tx.in('m').put('pet', 'c', { name: 'c' });
    }, 'test');
    check();
    await pending;
    check();
    await put('a', { owner: 'bob' });
    await put('b', { owner: 'bob' });
    check();
    expect(names((await store.at(3)).list('pet'))).toEqual(['b']);
    await expect(store.at(99)).rejects.toThrow('in the future');
    expect(() => store.watch(() => undefined, 99)).toThrow('in the future');
  });

  test('a past state is built in slices, between which the store takes changes', async () => {
    await put('old');
    for (let n = 0; n < 5; n++) {
      await store.change((tx) => {
        for (let i = 0; i < 1000; i++) tx.put('toy', `${n} ${i}`, { n });
        tx.put('pet', 'old', { name: 'old', age: n });
      }, 'test');
    }
    const made = store.at(1);
    const first = await Promise.race([made.then(() => 'made'), put('new').then(() => 'meanwhile')]);
    expect(first).toBe('meanwhile');
    const past = await made;
    expect(names(past.list('pet'))).toEqual(['old']);
    expect(past.get('pet', 'old')).toEqual({ name: 'old' });
    expect(past.count('toy')).toBe(0);
    expect((await store.at(3)).count('toy')).toBe(2000);
  });

  test('history is bounded: forgotten revisions are not found, live documents stay', async () => {
    let now = 0;
    const options = { revisions: 10, now: () => ++now };
    await reopen(options);
    await put('old');
    await put('gone', { owner: 'ann' });
    await store.change((tx) => tx.remove('pet', 'gone'), 'test');
    for (let n = 1; n <= 50; n++) await store.change((tx) => tx.put('toy', 'x', { n }), 'test');
    const check = async (): Promise<void> => {
      expect(store.read().get('pet', 'old')).toEqual({ name: 'old' });
      expect(store.read().get('toy', 'x')).toEqual({ n: 50 });
      const kept = [53, 52, 51, 50, 49, 48, 47, 46, 45, 44];
      expect(revisions({ space: '' })).toEqual(kept);
      expect(revisions({ documents: [{ space: '', kind: 'toy', id: 'x' }, pet('old')] })).toEqual(kept);
      expect(revisions({ documents: [pet('gone')] })).toEqual([]);
      expect(store.removed('', 'pet', 'owner', 'ann')).toEqual([]);
      expect((await store.at(43)).get('toy', 'x')).toEqual({ n: 40 });
      await expect(store.at(42)).rejects.toThrow('history begins at 43');
      expect(store.horizon).toEqual({ revision: 43, at: '1970-01-01T00:00:00.044Z' });
      expect([44, 53].map((ms) => store.revisionAt(ms))).toEqual([44, 53]);
      expect(() => store.revisionAt(43)).toThrow('history begins at 1970-01-01T00:00:00.044Z (revision 43)');
      expect(() => store.watch(() => undefined, 42)).toThrow(
        expect.objectContaining({ code: 'not found' }) as Error,
      );
    };
    await check();
    await reopen(options);
    await check();
  });
});
