import { expect, test } from 'vitest';
import { limits } from '../limits.ts';
import { blobsToForget, isBeforeHistory } from './blobs-to-forget.ts';

const at = (n: number): string => new Date(n).toISOString();
const kept = (n: number, size: number) => ({ sha256: `b${n}`, size, endedAt: at(n) });

test('nothing makes room for a file that there is room for', () => {
  const { max } = limits.pastBlobBytes;
  expect(blobsToForget([kept(1, 1), kept(2, max - 2)], 1)).toEqual([]);
});

test('the oldest files make room, as few as that takes, however they are listed', () => {
  const { max } = limits.pastBlobBytes;
  const all = [kept(3, 10), kept(1, 10), kept(2, max - 20)];
  expect(blobsToForget(all, 1)).toEqual(['b1']);
  expect(blobsToForget(all, 11)).toEqual(['b1', 'b2']);
  expect(blobsToForget(all, max)).toEqual(['b1', 'b2', 'b3']);
});

test('a file larger than all that may be kept is not kept, and nothing goes for it', () => {
  expect(blobsToForget([kept(1, 1)], limits.pastBlobBytes.max + 1)).toBeUndefined();
});

test('the oldest makes room when there are as many files as there may be', () => {
  const { max } = limits.pastBlobs;
  const full = Array.from({ length: max }, (_, n) => kept(n + 1, 0));
  expect(blobsToForget(full.slice(1), 0)).toEqual([]);
  expect(blobsToForget(full, 0)).toEqual(['b1']);
});

test('a file is kept while the history has a state that used it', () => {
  expect(isBeforeHistory(5, 4)).toBe(false);
  expect(isBeforeHistory(5, 5)).toBe(true);
  expect(isBeforeHistory(0, 5)).toBe(false);
});
