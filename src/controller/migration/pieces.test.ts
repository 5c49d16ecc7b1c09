import { expect, test } from 'vitest';
import { limits } from '../../core/limits.ts';
import { TextPieces } from './pieces.ts';

const piece = (offset: number, text: string) => ({ offset, data: Buffer.from(text) });

test('pieces of a text become the whole, whatever came before', () => {
  const texts = new TextPieces();
  expect(texts.add('a', piece(0, 'left over'), false)).toBeUndefined();
  expect(texts.add('a', piece(0, 'one '), false)).toBeUndefined();
  expect(texts.add('b', piece(0, 'other'), true)).toBe('other');
  expect(() => texts.add('a', piece(9, 'gap'), true)).toThrow('does not follow what is there: 4 bytes');
  expect(texts.add('a', piece(4, 'two'), true)).toBe('one two');
  texts.add('a', piece(0, 'one'), false);
  texts.forget('a');
  expect(() => texts.add('a', piece(3, 'two'), true)).toThrow('does not follow');
});

test('a text that is too long is refused', () => {
  const texts = new TextPieces();
  const half = { offset: 0, data: Buffer.alloc(limits.arrivingDocuments.max) };
  texts.add('a', half, false);
  expect(() => texts.add('a', piece(limits.arrivingDocuments.max, 'x'), true)).toThrow('exceed the limit');
});
