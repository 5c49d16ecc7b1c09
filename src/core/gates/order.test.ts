import fc from '../../testing/fast-check.ts';
import { expect, test } from 'vitest';
import { refuseCircle, type GateGraph } from './circle.ts';
import { inOrderOfGates } from './order.ts';

const of = (gates: Readonly<Record<string, readonly string[]>>) => (name: string) => gates[name] ?? [];

test.each<[what: string, names: string[], gates: Record<string, string[]>, order: string[]]>([
  ['are in the order of their names', ['b', 'a'], {}, ['a', 'b']],
  ['come behind those that they wait for', ['a', 'b', 'c'], { a: ['c', 'b'] }, ['b', 'c', 'a']],
  ['are ordered by gates of others, too', ['a', 'c'], { a: ['b'], b: ['c'] }, ['c', 'a']],
  ['of a circle come once each', ['a', 'b'], { a: ['b'], b: ['a'] }, ['b', 'a']],
])('applications %s', (_, names, gates, order) => {
  expect(inOrderOfGates(names, of(gates))).toEqual(order);
});

test('a chain of 20,000 applications is ordered', () => {
  const names = Array.from({ length: 20_000 }, (_, n) => `a${n}`);
  const order = inOrderOfGates(names, (name) => (name === 'a19999' ? [] : [`a${Number(name.slice(1)) + 1}`]));
  expect(order).toEqual(names.reverse());
});

test('gates without a circle replace others without one in this order, and close none on the way', () => {
  const all = Array.from({ length: 6 }, (_, n) => `a${n}`);
  // Gates lead from an application to those before it in some order of all, so they close no circle.
  const gates = fc
    .tuple(
      fc.shuffledSubarray(all, { minLength: all.length }),
      fc.array(fc.subarray(all), { minLength: all.length, maxLength: all.length }),
    )
    .map(([order, others]) =>
      Object.fromEntries(
        order.map((name, n) => [name, others[n]!.filter((one) => order.indexOf(one) < n)] as const),
      ),
    );
  fc.assert(
    fc.property(gates, gates, (old, wanted) => {
      const now = { ...old };
      const graph: GateGraph = {
        after: of(now),
        before: (name) => all.filter((one) => now[one]?.includes(name)),
      };
      for (const name of inOrderOfGates(all, of(wanted))) {
        now[name] = [];
        refuseCircle(name, wanted[name]!, graph);
        now[name] = wanted[name]!;
      }
    }),
  );
});
