import fc from 'fast-check';
import { expect, test } from 'vitest';
import { IdMap } from './id-map.ts';

const ids = [
  '',
  ...'1 17 117 118 217 /17 mysql/1 mysql/17 mysql/18 mysql/117 mysql/1é mysql/1a mysql/a1'.split(' '),
  '0/lxd/17',
  '__proto__',
  `${'x'.repeat(30)}17`,
  `${'x'.repeat(31)}17`,
];

test('a map by ids behaves as a Map does, whatever the ids are', () => {
  const step = fc.record({ id: fc.constantFrom(...ids), value: fc.option(fc.nat(), { nil: undefined }) });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const map = new IdMap<number>();
      const known = new Map<string, number>();
      for (const { id, value } of steps) {
        if (value === undefined) {
          map.delete(id);
          known.delete(id);
        } else {
          map.set(id, value);
          known.set(id, value);
        }
        expect(ids.map((one) => map.get(one))).toEqual(ids.map((one) => known.get(one)));
      }
    }),
  );
});
