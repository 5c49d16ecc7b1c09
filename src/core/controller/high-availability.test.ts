import { expect, test } from 'vitest';
import { controllersRefusal } from './high-availability.ts';

test.each([
  ['one controller is what there is', 1, [], undefined],
  ['an even number is refused', 2, [], 'number of controllers must be odd and non-negative'],
  ['a negative number is refused', -1, [], 'number of controllers must be odd and non-negative'],
  ['more than Juju allows are refused', 9, [], 'controller count is too large (allowed 7)'],
  [
    'a machine that is a controller is no place for another',
    3,
    ['0'],
    'machine for placement directive "0" is already a controller',
  ],
  ['a container is no controller', 3, ['lxd:1'], 'container placement directives not supported'],
  ['a container is no controller, by its id', 3, ['1/lxd/0'], 'container placement directives not supported'],
  [
    'no number stands for three',
    0,
    [],
    'failed to enable HA with 3 controllers: a second controller machine not supported',
  ],
  [
    'five are refused',
    5,
    ['1', 'zone=a'],
    'failed to enable HA with 5 controllers: a second controller machine not supported',
  ],
])('the number of controllers: %s', (_, count, placement, refusal) => {
  expect(controllersRefusal({ count, placement }, ['0'])?.message).toBe(refusal);
});
