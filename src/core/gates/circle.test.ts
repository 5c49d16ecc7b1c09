import { describe, expect, test } from 'vitest';
import { refuseCircle, type GateGraph } from './circle.ts';

/** A graph that counts the applications that it is asked about. */
function graphOf(
  gates: Readonly<Record<string, readonly string[]>>,
): GateGraph & { readonly asked: () => number } {
  const before = new Map<string, string[]>();
  for (const [name, after] of Object.entries(gates))
    for (const one of after) before.set(one, [...(before.get(one) ?? []), name]);
  let asked = 0;
  return {
    after: (name) => (asked++, gates[name] ?? []),
    before: (name) => (asked++, before.get(name) ?? []),
    asked: () => asked,
  };
}
const chain = (count: number): Record<string, string[]> =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => [`a${n}`, [`a${n + 1}`]]));

describe('gates that close a circle are refused', () => {
  test.each<[string, Record<string, string[]>, string[], string]>([
    ['two applications', { db: ['web'] }, ['db'], 'web cannot wait for db: db waits for web'],
    [
      'three applications',
      { db: ['cache'], cache: ['web'] },
      ['vault', 'db'],
      'web cannot wait for db: db waits for cache, which waits for web',
    ],
    [
      'a circle beside other ways',
      { a: ['b', 'c'], b: ['d'], c: ['web', 'd'], x: ['web'], y: ['x'] },
      ['a', 'd'],
      'web cannot wait for a: a waits for c, which waits for web',
    ],
    [
      'a circle to one of many that wait',
      {
        ...Object.fromEntries(Array.from({ length: 9 }, (_, n) => [`w${n}`, ['web']])),
        db: ['cache'],
        cache: ['web'],
      },
      ['db'],
      'web cannot wait for db: db waits for cache, which waits for web',
    ],
    [
      'a circle by the last of the gates',
      { d: ['web'], e: ['d'] },
      ['a', 'c', 'e'],
      'web cannot wait for e: e waits for d, which waits for web',
    ],
    [
      'a long circle',
      { ...chain(30), a30: ['web'] },
      ['a0'],
      'web cannot wait for a0: a0 waits for a1, which waits for a2, which waits for a3, which waits for a4, which waits for a5, which waits for a6, which waits for a7, which waits for a8, which waits for a9, which waits for … (21 more), which waits for web',
    ],
  ])('%s', (_title, gates, after, message) => {
    expect(() => refuseCircle('web', after, graphOf(gates))).toThrow(message);
  });
});

describe('gates without a circle are accepted', () => {
  test.each<[string, Record<string, string[]>, string[]]>([
    ['of what is not deployed', {}, ['db']],
    ['two ways to one application', { a: ['c'], b: ['c'], x: ['web'] }, ['a', 'b']],
    ['below and above', { db: ['disk'], site: ['web'] }, ['db']],
  ])('%s', (_title, gates, after) => {
    expect(() => refuseCircle('web', after, graphOf(gates))).not.toThrow();
  });
});

test.each([
  ['end', ['a0'], {}],
  ['beginning', ['db'], { ...chain(1), a10000: ['web'] }],
])('a chain of 10,000 applications that grows at its %s costs a few looks', (_title, after, more) => {
  const graph = graphOf({ ...chain(10_000), ...more });
  refuseCircle('web', after, graph);
  expect(graph.asked()).toBeLessThan(10);
});
