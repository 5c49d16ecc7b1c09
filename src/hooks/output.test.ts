import { expect, test } from 'vitest';

import { lineSplitter } from './output.ts';

function lines(...chunks: (string | Buffer)[]): string[] {
  const found: string[] = [];
  const splitter = lineSplitter((line) => found.push(line));
  for (const chunk of chunks) splitter.push(Buffer.from(chunk as string));
  splitter.end();
  return found;
}

test('lines are complete, wherever the chunks end', () => {
  expect(lines('a\nb', 'c\n\nd')).toEqual(['a', 'bc', '', 'd']);
});

test('a character may be split between two chunks', () => {
  const bytes = Buffer.from('é\n');
  expect(lines(bytes.subarray(0, 1), bytes.subarray(1))).toEqual(['é']);
});

test('a line without an end is split at the maximum length', () => {
  const found = lines(...Array.from({ length: 10 }, () => 'x'.repeat(10_000)));
  expect(found.join('')).toHaveLength(100_000);
  expect(found.length).toBeGreaterThan(1);
});
