import { expect, test } from 'vitest';
import { advance, type Life } from './life.ts';

test.each<[Life, Life, Life]>([
  ['alive', 'alive', 'alive'],
  ['alive', 'dying', 'dying'],
  ['alive', 'dead', 'dead'],
  ['dying', 'alive', 'dying'],
  ['dying', 'dead', 'dead'],
  ['dead', 'dying', 'dead'],
  ['dead', 'alive', 'dead'],
])('advancing %s to %s gives %s', (current, target, result) => {
  expect(advance(current, target)).toBe(result);
});
