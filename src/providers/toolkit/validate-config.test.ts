import { expect, test } from 'vitest';
import type { AttributeSchema } from '../contract/provider.ts';
import { validateConfig } from './validate-config.ts';

const schema: AttributeSchema = {
  size: { type: 'int', description: '', default: 3, min: 1, max: 10 },
  fast: { type: 'bool', description: '', default: false },
  mode: { type: 'string', description: '', default: 'a', values: ['a', 'b'] },
  network: { type: 'string', description: '', default: 'net0', immutable: true },
  tags: { type: 'map', description: '', immutable: true },
  token: { type: 'int', description: '', secret: true, immutable: true },
};
const defaults = { size: 3, fast: false, mode: 'a', network: 'net0' };

test.each([
  ['defaults', {}, undefined, defaults],
  ['texts are converted', { size: '7', fast: 'true' }, undefined, { ...defaults, size: 7, fast: true }],
  ['null counts as absent', { size: null }, undefined, defaults],
  ['unknown keys stay as they are', { other: ['x'] }, undefined, { ...defaults, other: ['x'] }],
  ['a map as text', { tags: 'a=1 b=2' }, undefined, { ...defaults, tags: { a: '1', b: '2' } }],
  ['an absent immutable setting keeps its value', {}, { network: 'n1' }, { ...defaults, network: 'n1' }],
  ['an absent mutable setting returns to its default', {}, { mode: 'b' }, defaults],
  [
    'the same map',
    { tags: 'b=2 a=1' },
    { tags: { a: '1', b: '2' } },
    { ...defaults, tags: { b: '2', a: '1' } },
  ],
  ['an immutable setting without a value gets one', { tags: 'a=1' }, {}, { ...defaults, tags: { a: '1' } }],
])('Settings are validated: %s', (_, config, previous, full) => {
  expect(validateConfig(schema, config, previous)).toEqual(full);
});

test.each([
  ['a wrong type', { size: 'x' }, {}, 'size: expected int, got "x"'],
  ['too little', { size: 0 }, {}, 'size: 0 cannot be less than 1'],
  ['none of the values', { mode: 'c' }, {}, 'mode: expected one of [a b], got "c"'],
  ['a list', { network: ['a'] }, {}, 'network: expected string, got ["a"]'],
  [
    'a changed immutable setting',
    { network: 'n2' },
    { network: 'n1' },
    'cannot change network from "n1" to "n2"',
  ],
  ['a wrong secret, unshown', { token: 'hush' }, {}, 'token: not a valid int'],
  ['a changed secret, unshown', { token: 4711 }, { token: 4712 }, 'cannot change token'],
])('Settings are refused: %s', (_, config, previous, message) => {
  expect(() => validateConfig(schema, config, previous)).toThrow(
    expect.objectContaining({ code: 'not valid', message }),
  );
});
