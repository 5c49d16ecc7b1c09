import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { limits } from '../../core/limits.ts';
import { addToFile, checkFile, fileOfArriving, TextPieces } from './pieces.ts';

let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'grigri-pieces-'));
});
afterAll(() => rm(dir, { recursive: true }));

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

test('pieces of a file become the file, which is only taken for what it is', async () => {
  const file = fileOfArriving(dir, 'm', 'x');
  await addToFile(file, piece(0, 'left over'));
  await addToFile(file, piece(0, 'one '));
  await addToFile(file, piece(4, 'two'));
  await expect(addToFile(file, piece(4, 'two'))).rejects.toThrow('does not follow what is there: 7 bytes');
  await expect(addToFile(file, piece(limits.resourceFile.max, 'x'))).rejects.toThrow('exceed the limit');
  expect(readFileSync(file, 'utf8')).toBe('one two');
  await checkFile(file, createHash('sha256').update('one two').digest('hex'));
  await expect(checkFile(file, 'f'.repeat(64))).rejects.toThrow('what arrived is something else');
  expect(existsSync(file)).toBe(false);
});
