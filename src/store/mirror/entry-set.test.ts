import fc, { runs } from '../../testing/fast-check.ts';
import { expect, test } from 'vitest';
import { EntrySet, type Entry } from './entry-set.ts';

test('entries are listed in the order of their birth, each with its newest value, whatever order they are added and removed in', () => {
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
        expect([...set.list()]).toEqual([...model.values()].toSorted((a, b) => a.born - b.born));
      }
    }),
  );
});

test('large sets list entries in the order of their birth, whatever order they are added and removed in', () => {
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
        const listed = [...set.list()];
        expect(listed.every((entry, i) => entry === expected[i])).toBe(true);
        expect(listed).toHaveLength(expected.length);
      }
    }),
    { numRuns: runs(50) },
  );
});

test.for([1, 3, 128, 129, 1000])('a list of %i entries does not change with its set', (count) => {
  const set = new EntrySet();
  const entry = (born: number, revision: number): Entry => ({
    id: `id${born}`,
    doc: { born, revision },
    long: undefined,
    size: 0,
    revision,
    seq: born,
    born,
  });
  const entries = Array.from({ length: count }, (_, n) => entry(2 * n, 1));
  for (const one of entries) set.set(one);
  const first = set.list();
  // Entries between the others, which split full blocks.
  for (const { born } of entries) set.set(entry(born + 1, 1));
  const second = [...set.list()];
  for (const { born } of entries) set.set(entry(born, 2));
  const third = set.list();
  const going = third.docs()[Symbol.iterator]();
  const gone = [going.next().value];
  for (const { born } of entries) set.delete(entry(born, 2));
  for (let next = going.next(); !next.done; next = going.next()) gone.push(next.value);
  const bornIn = (list: Iterable<Entry>): number[] => [...list].map(({ born }) => born);
  expect([...first]).toEqual(entries);
  expect([...first.docs()]).toEqual(entries.map(({ doc }) => doc));
  expect(second.map(({ born }) => born)).toEqual(Array.from({ length: 2 * count }, (_, n) => n));
  expect(gone).toEqual([...third].map(({ doc }) => doc));
  expect(gone).toHaveLength(2 * count);
  expect(bornIn(set.list())).toEqual(entries.map(({ born }) => born + 1));
});
