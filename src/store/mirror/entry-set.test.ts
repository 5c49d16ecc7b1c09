import fc, { runs } from '../../testing/fast-check.ts';
import { expect, test } from 'vitest';
import { EntrySet, type Entry } from './entry-set.ts';

test('entries are listed by birth, each at its newest value, in whatever order they come and go', () => {
  const step = fc.record({ born: fc.nat({ max: 20 }), isDelete: fc.boolean() });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const set = new EntrySet();
      const model = new Map<number, Entry>();
      for (const [seq, { born, isDelete }] of steps.entries()) {
        const entry: Entry = { id: `id${born}`, doc: {}, long: undefined, size: 0, revision: seq, seq, born };
        if (isDelete) {
          set.delete(entry);
          model.delete(born);
        } else {
          set.set(entry);
          model.set(born, entry);
        }
        expect(set.size).toBe(model.size);
        expect(set.list()).toEqual([...model.values()].toSorted((a, b) => a.born - b.born));
      }
    }),
  );
});

test('large sets list entries by birth, in whatever order they come and go', () => {
  const step = fc.record({
    born: fc.nat({ max: 5000 }),
    count: fc.integer({ min: 1, max: 1500 }),
    stride: fc.integer({ min: 1, max: 3 }),
    isDelete: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
      const set = new EntrySet();
      const model = new Map<number, Entry>();
      for (const [seq, { born: first, count, stride, isDelete }] of steps.entries()) {
        for (let born = first; born < first + count * stride; born += stride) {
          const entry: Entry = {
            id: `id${born}`,
            doc: {},
            long: undefined,
            size: 0,
            revision: seq,
            seq,
            born,
          };
          if (isDelete) set.delete(entry);
          else set.set(entry);
          if (isDelete) model.delete(born);
          else model.set(born, entry);
        }
        expect(set.size).toBe(model.size);
        const expected = [...model.values()].sort((a, b) => a.born - b.born);
        // A single comparison, because one expect per entry takes too long.
        expect(set.list().every((entry, i) => entry === expected[i])).toBe(true);
        expect(set.list()).toHaveLength(expected.length);
      }
    }),
    { numRuns: runs(50) },
  );
});

test('a list does not change with its set', () => {
  const set = new EntrySet();
  const entries = [1, 2, 3].map((born): Entry => ({
    id: `id${born}`,
    doc: {},
    long: undefined,
    size: 0,
    revision: 1,
    seq: born,
    born,
  }));
  for (const entry of entries) set.set(entry);
  const list = set.list();
  for (const entry of entries) set.delete(entry);
  expect(list).toEqual(entries);
  expect(set.list()).toEqual([]);
});
