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

test('pieces of a line that is too long are told apart from lines', () => {
  const found: boolean[] = [];
  const splitter = lineSplitter((_, isPiece) => found.push(isPiece));
  for (const chunk of [
    'short\n',
    'x'.repeat(70_000),
    'y'.repeat(70_000),
    'rest\nshort\n',
    'x'.repeat(70_000),
  ])
    splitter.push(Buffer.from(chunk));
  splitter.push(Buffer.from('end'));
  splitter.end();
  expect(found).toEqual([false, true, true, true, false, true, true]);
});

test.each<[string, string[], string[]]>([
  ['a line that ends as in Windows', ['a\r\nb\r', '\n'], ['a', 'b']],
  ['progress that is written over', ['1%\r2%\r', '100%\n', 'next\n'], ['100%', 'next']],
  ['progress that is written over, with line feeds of its own', ['1%\r\r', '\r2%\r\r\n'], ['2%']],
  ['a line without an end', ['1%\r2%\r'], ['2%']],
  ['nothing but carriage returns', ['\r\r\n', '\r'], ['', '']],
  [
    'progress of more than a line may have',
    Array.from({ length: 20 }, (_, n) => `${'x'.repeat(9_000)}${n}\r`),
    [`${'x'.repeat(9_000)}19`],
  ],
])('%s is shown without the characters that a terminal would not show', (_, chunks, expected) => {
  expect(lines(...chunks)).toEqual(expected);
});
