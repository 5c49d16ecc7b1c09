import { describe, expect, test } from 'vitest';
import { blockOf, blockTypes, checkNotBlocked, type BlockedOperation, type BlockType } from './blocks.ts';

const blocks = (set: Partial<Record<BlockType, string>>) => ({
  get: (_: 'block', type: BlockType) => (set[type] === undefined ? undefined : { type, message: set[type] }),
});

const stopped: readonly (readonly [BlockType, readonly BlockedOperation[]])[] = [
  ['BlockDestroy', ['destroy']],
  ['BlockRemove', ['destroy', 'remove']],
  ['BlockChange', ['destroy', 'remove', 'change']],
];

describe.each(stopped)('%s', (type, operations) => {
  test.each(['destroy', 'remove', 'change'] as const)(
    'the block stops these operations and no others: %s',
    (one) => {
      expect(blockOf(blocks({ [type]: 'why' }), one)?.type).toBe(operations.includes(one) ? type : undefined);
    },
  );
});

test('the list of stopped operations has every type of block', () => {
  expect(stopped.map(([type]) => type)).toEqual(blockTypes);
});

test.each([
  ['its own message', { BlockChange: 'no' }, 'change', 'no', 'all'],
  ['a general message', { BlockChange: '' }, 'remove', 'the operation has been blocked', 'all'],
  ['the narrowest block', { BlockChange: 'all', BlockRemove: 'rm' }, 'destroy', 'rm', 'remove-object'],
] as const)('the error of a stopped operation tells %s', (_, set, operation, message, commands) => {
  const error = { code: 'operation is blocked', message, info: { 'command-set': commands } };
  expect(() => checkNotBlocked(blocks(set), operation)).toThrow(expect.objectContaining(error));
});

test('a model without blocks stops nothing', () => {
  expect(() => checkNotBlocked(blocks({}), 'destroy')).not.toThrow();
});
