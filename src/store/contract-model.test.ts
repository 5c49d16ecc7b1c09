/** Comparison of every store with a reference model. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc, { runs } from '../testing/fast-check.ts';
import { describe, expect, test } from 'vitest';
import type { Reader, Transactor } from './store.ts';
import { backends, type Kinds, type Pet } from '../testing/store/backends.ts';

describe.each(backends)('$name', ({ open }) => {
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
