import { expect, expectTypeOf, test } from 'vitest';
import { defined } from './defined.ts';

test('defined leaves out the members that are undefined, and no others', () => {
  expect(Object.keys(defined({ a: undefined, b: null, c: '', d: 0, e: false }))).toEqual([
    'b',
    'c',
    'd',
    'e',
  ]);
});

test('defined makes members that may be undefined optional, and no others', () => {
  const zone = 'a' as string | undefined;
  expectTypeOf(defined({ name: 'm', zone })).toEqualTypeOf<{ name: string } & { zone?: string }>();
});
