/** Behaviour that contract.test.ts cannot reach: a disk that fails or is slow. */
import { expect, test } from 'vitest';
import type { Journal, JournalCommit } from './journal.ts';
import { LongValues } from './long-values.ts';
import { MirroredStore } from './mirrored-store.ts';

interface Kinds {
  readonly pet: { readonly name: string; readonly owner: string };
}

/** A journal that keeps commits in a list; each append waits until the test lets it through or fails it. */
class HeldJournal implements Journal {
  readonly horizon = 0;
  readonly values = new LongValues(() => undefined);
  readonly groups: (readonly JournalCommit[])[] = [];
  held: { ok: () => void; fail: (error: Error) => void } | undefined;

  load(): { revision: number; seq: number } {
    return { revision: 0, seq: 0 };
  }
  append(commits: readonly JournalCommit[]): Promise<void> {
    return new Promise((resolve, reject) => {
      const ok = (): void => {
        this.held = undefined;
        this.groups.push(commits);
        resolve();
      };
      const fail = (error: Error): void => {
        this.held = undefined;
        reject(error);
      };
      this.held = { ok, fail };
    });
  }
  commitsAfter(revision: number): Iterable<JournalCommit> {
    return this.groups.flat().filter((commit) => commit.revision > revision);
  }
  valuesAt(): [] {
    return [];
  }
  past(): [] {
    return [];
  }
  removalOf(): undefined {}
  removed(): [] {
    return [];
  }
  revisionAt(): undefined {}
  timeOf(): string {
    return '';
  }
  close(): void {}

  async next(): Promise<{ ok: () => void; fail: (error: Error) => void }> {
    while (!this.held) await turn();
    return this.held;
  }
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

function newStore(): {
  journal: HeldJournal;
  store: MirroredStore<Kinds>;
  put: (id: string, owner: string) => Promise<void>;
} {
  const journal = new HeldJournal();
  const store = new MirroredStore<Kinds>({
    journal,
    indexes: { pet: { owner: (pet) => pet.owner } },
    now: () => 0,
    newUuid: () => '',
  });
  const put = (id: string, owner: string): Promise<void> =>
    store.change((tx) => tx.put('pet', id, { name: id, owner }), 'test');
  return { journal, store, put };
}

async function settled(promises: readonly Promise<unknown>[]): Promise<string[]> {
  return (await Promise.allSettled(promises)).map((result) => result.status);
}

test('changes that are staged in one turn make one append', async () => {
  const { journal, put } = newStore();
  const changes = [put('a', 'ann'), put('b', 'ann'), put('a', 'bob')];
  (await journal.next()).ok();
  await Promise.all(changes);
  expect(journal.groups.map((group) => group.map((commit) => commit.revision))).toEqual([[1, 2, 3]]);
});

test('the bytes held are as before after a failed append', async () => {
  const { journal, store, put } = newStore();
  const kept = put('a', 'ann');
  (await journal.next()).ok();
  await kept;
  const held = store.held('');
  const changes = [
    put('b', 'somebody'),
    put('a', 'somebody else'),
    store.change((tx) => tx.remove('pet', 'a'), 'test'),
  ];
  expect(store.held('')).not.toBe(held);
  (await journal.next()).fail(new Error('the disk is full'));
  expect(await settled(changes)).toEqual(['rejected', 'rejected', 'rejected']);
  expect(store.held('')).toBe(held);
});

test('the bytes held under an index’s value are the sum of its documents, whatever is put, moved, removed and refused', async () => {
  const { journal, store, put } = newStore();
  const sum = (owner: string): number =>
    ['a', 'b', 'c'].reduce((bytes, id) => {
      const owned = [...store.read().find('pet', 'owner', owner)].some(({ name }) => name === id);
      return bytes + (owned ? store.held('', { kind: 'pet', id }) : 0);
    }, 0);
  const held = (owner: string): number => store.held('', { kind: 'pet', index: 'owner', value: owner });
  const done = async (...changes: Promise<void>[]): Promise<void> => {
    (await journal.next()).ok();
    await Promise.all(changes);
    for (const owner of ['ann', 'bob', 'x'.repeat(50)]) expect(held(owner), owner).toBe(sum(owner));
  };
  await done(put('a', 'ann'), put('b', 'ann'));
  await done(put('c', 'ann'), put('b', 'bob'));
  await done(put('b', 'x'.repeat(50)));
  await done(store.change((tx) => tx.remove('pet', 'a'), 'test'));
  await done(put('a', 'bob'), put('c', 'bob'));
  await done(put('c', 'ann'));
  expect(held('ann')).toBeGreaterThan(0);
  const refused = put('b', 'ann');
  (await journal.next()).fail(new Error('the disk is full'));
  expect(await settled([refused])).toEqual(['rejected']);
  expect(held('ann')).toBe(sum('ann'));
});

test('changes go on while an append is under way, and readers see neither these changes nor the appended ones', async () => {
  const { journal, store, put } = newStore();
  const first = put('a', 'ann');
  const held = await journal.next();
  const second = store.change((tx) => {
    expect(tx.get('pet', 'a')?.owner).toBe('ann');
    tx.put('pet', 'b', { name: 'b', owner: 'ann' });
  }, 'test');
  await turn();
  expect(store.read().count('pet', 'owner', 'ann')).toBe(0);
  held.ok();
  await first;
  expect(store.read().count('pet', 'owner', 'ann')).toBe(1);
  expect(store.read().get('pet', 'b')).toBeUndefined();
  (await journal.next()).ok();
  await second;
  expect(store.read().count('pet')).toBe(2);
});

test("a failed append rejects its changes and all changes that built on them, and restores every document's place", async () => {
  const { journal, store, put } = newStore();
  const reported: number[] = [];
  store.watch((commit) => reported.push(commit.revision));
  const base = [put('a', 'ann'), put('b', 'ann'), put('c', 'ann')];
  (await journal.next()).ok();
  await Promise.all(base);
  const failing = [store.change((tx) => tx.remove('pet', 'a'), 'test'), put('b', 'bob'), put('d', 'ann')];
  const held = await journal.next();
  const later = [put('a', 'eve'), store.change((tx) => tx.get('pet', 'd'), 'only reads')];
  held.fail(new Error('disk full'));
  expect(await settled([...failing, ...later])).toEqual(Array(5).fill('rejected'));
  await expect(failing[0]).rejects.toMatchObject({ cause: { message: 'disk full' } });
  const owned = (owner: string): string[] =>
    [...store.read().find('pet', 'owner', owner)].map((pet) => pet.name);
  expect(owned('ann')).toEqual(['a', 'b', 'c']);
  expect([...owned('bob'), ...owned('eve')]).toEqual([]);
  expect([...store.read().list('pet')].map((pet) => pet.name)).toEqual(['a', 'b', 'c']);
  expect(store.read().revision).toBe(3);
  expect(reported).toEqual([1, 2, 3]);
});

test('the store works after a failure, and no revision number is used twice', async () => {
  const { journal, store, put } = newStore();
  const failing = put('a', 'ann');
  let runs = 0;
  const reader = store.change(async (tx) => {
    runs++;
    const owner = tx.get('pet', 'a')?.owner;
    if (runs === 1) {
      (await journal.next()).fail(new Error('disk full'));
      await settled([failing]);
      const other = put('a', 'bob');
      (await journal.next()).ok();
      await other;
    }
    return owner;
  }, 'test');
  expect(await reader).toBe('bob');
  expect(runs).toBe(2);
  expect(store.read().revision).toBeGreaterThan(1);
});

test('results and refusals of changes are returned only when the documents that they were read from are durable', async () => {
  const { journal, store, put } = newStore();
  const change = put('a', 'ann');
  const order: string[] = [];
  const read = store
    .change((tx) => tx.get('pet', 'a')?.owner, 'test')
    .then((owner) => order.push(`read ${owner}`));
  const refused = store
    .change((tx) => {
      if (tx.get('pet', 'a')) throw new Error('already exists');
    }, 'test')
    .catch(() => order.push('refused'));
  const held = await journal.next();
  await turn();
  expect(order).toEqual([]);
  held.ok();
  await Promise.all([change, read, refused]);
  expect(order.toSorted()).toEqual(['read ann', 'refused']);
});
