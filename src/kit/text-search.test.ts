import fc from 'fast-check';
import { expect, test } from 'vitest';
import { TextSearch } from './text-search.ts';

/** Marks what the texts occupy, one text at one place after the other. */
function naive(texts: readonly string[], text: string): string {
  const isFound = text.split('').map(() => false);
  for (const one of texts)
    for (let at = text.indexOf(one); at >= 0; at = text.indexOf(one, at + 1))
      isFound.fill(true, at, at + one.length);
  return isFound.map((found) => (found ? '#' : '.')).join('');
}
function found(search: TextSearch, text: string): string {
  let marks = '';
  for (const { start, end } of search.spansIn(text))
    marks = marks.padEnd(start, '.') + '#'.repeat(end - start);
  return marks.padEnd(text.length, '.');
}
function begun(texts: readonly string[], text: string): number {
  return Math.max(
    0,
    ...texts.flatMap((one) => one.split('').map((_, n) => (text.endsWith(one.slice(0, n + 1)) ? n + 1 : 0))),
  );
}

const letters = fc.string({ unit: fc.constantFrom('\0', 'a', 'b'), minLength: 1, maxLength: 8 });

test('the search finds what a naive search finds, whenever texts are added', () => {
  fc.assert(
    fc.property(
      fc.array(letters, { maxLength: 12 }),
      fc.string({ unit: fc.constantFrom('\0', 'a', 'b'), maxLength: 40 }),
      (texts, text) => {
        const search = new TextSearch();
        const added: string[] = [];
        for (const one of texts) {
          search.add(one);
          added.push(one);
          expect(found(search, text)).toBe(naive(added, text));
          expect(search.begunAtEnd(text)).toBe(begun(added, text));
        }
      },
    ),
    { numRuns: 500 },
  );
});

test('spans that touch are kept apart, and spans that overlap are merged', () => {
  const search = new TextSearch();
  for (const text of ['abc', 'cde', 'xy', 'abc']) search.add(text);
  expect(search.size).toBe(3);
  expect(search.spansIn('xyxyabcde')).toEqual([
    { start: 0, end: 2 },
    { start: 2, end: 4 },
    { start: 4, end: 9 },
  ]);
});

test('texts with a common beginning are searched for in one pass over a text', () => {
  const search = new TextSearch();
  for (let n = 1; n <= 2_000; n++) search.add(`${'a'.repeat(n)}b`);
  const text = 'a'.repeat(1_000_000);
  expect(search.spansIn(text)).toEqual([]);
  expect(search.begunAtEnd(text)).toBe(2_000);
  expect(search.spansIn(`${text}b`)).toEqual([{ start: 998_000, end: 1_000_001 }]);
});
