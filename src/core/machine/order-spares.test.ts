import { expect, test } from 'vitest';
import { orderSpares } from './order-spares.ts';

const spare = (text: string) => {
  const [id, zone = ''] = text.split('@') as [string, string?];
  return { id: id.replace('+', ''), provisioned: id.endsWith('+'), zone };
};

test.each<[string, string, Record<string, number>, string]>([
  ['spares without zones stay as listed', '3 1 2', {}, '3 1 2'],
  ['provisioned spares come first', '0 1+ 2 3+', {}, '1 3 0 2'],
  ['spares are taken from the zones in turn', '0+@a 1+@a 2+@b 3+@c', {}, '0 2 3 1'],
  ['the zone with the fewest of the application’s units comes first', '0+@a 1+@b 2+@b', { a: 1 }, '1 0 2'],
  ['a far emptier zone is used until it has caught up', '0+@a 1+@b 2+@b 3+@b', { a: 3 }, '1 2 3 0'],
  ['a provisioned spare precedes one in an emptier zone', '0@b 1+@a', { a: 5 }, '1 0'],
])('%s', (_, spares, population, order) => {
  const ordered = orderSpares(spares.split(' ').map(spare), new Map(Object.entries(population)));
  expect(ordered.map(({ id }) => id).join(' ')).toBe(order);
});
