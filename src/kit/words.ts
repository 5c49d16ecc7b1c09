/**
 * Splits a line at its spaces, except those within "…" or '…'. Errors: plain Error for a quote that is not closed.
 */
export function splitWords(line: string): string[] {
  const words: string[] = [];
  let word: string | undefined;
  let quote = '';
  for (const char of line) {
    if (quote !== '') {
      if (char === quote) quote = '';
      else word += char;
    } else if (char === '"' || char === "'") {
      quote = char;
      word ??= '';
    } else if (/\s/.test(char)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else word = (word ?? '') + char;
  }
  if (quote !== '') throw new Error(`a ${quote} is not closed`);
  if (word !== undefined) words.push(word);
  return words;
}
