import { notValid } from './errors.ts';
import { checkLimit, limits } from './limits.ts';

type Part = '*' | ((letter: string) => boolean);

/**
 * Returns a function that tests whether a text matches the pattern as a whole. `*`, `?` and `[a-c]` do not match a
 * slash, as in paths; a backslash escapes the next letter. A test costs at most the product of both lengths. Errors:
 * `quota limit exceeded`; `not valid` for an unclosed bracket.
 */
export function globMatcher(pattern: string): (text: string) => boolean {
  checkLimit(limits.globLength, pattern.length);
  const parts = partsOf(pattern);
  return (text) => matches(parts, text);
}

/** Backtracking to the last `*` is sufficient: everything before it was matched as early as possible. */
function matches(parts: readonly Part[], text: string): boolean {
  let [partIndex, textIndex] = [0, 0];
  let [star, starFrom] = [-1, 0];
  while (textIndex < text.length) {
    const next = parts[partIndex];
    if (next === '*') {
      star = partIndex++;
      starFrom = textIndex;
    } else if (next?.(text[textIndex]!)) {
      partIndex++;
      textIndex++;
    } else if (star >= 0 && text[starFrom] !== '/') {
      partIndex = star + 1;
      textIndex = ++starFrom;
    } else return false;
  }
  while (parts[partIndex] === '*') partIndex++;
  return partIndex === parts.length;
}

function partsOf(pattern: string): Part[] {
  const parts: Part[] = [];
  for (let i = 0; i < pattern.length; i++) {
    const letter = pattern[i]!;
    if (letter === '*') {
      if (parts.at(-1) !== '*') parts.push('*');
    } else if (letter === '?') parts.push((char) => char !== '/');
    else if (letter === '[') {
      const end = pattern.indexOf(']', i + 2);
      if (end < 0) throw notValid(`pattern "${pattern}" has a bracket that is not closed`);
      parts.push(lettersOf(pattern.slice(i + 1, end)));
      i = end;
    } else {
      const literal = letter === '\\' && i + 1 < pattern.length ? pattern[++i] : letter;
      parts.push((char) => char === literal);
    }
  }
  return parts;
}

/** The letters of a bracket: `a-cx`, or `^a-cx` for all others. */
function lettersOf(body: string): (letter: string) => boolean {
  const isNegated = body.startsWith('^');
  const letters = isNegated ? body.slice(1) : body;
  const ranges: [string, string][] = [];
  for (let i = 0; i < letters.length; i++) {
    const isRange = letters[i + 1] === '-' && i + 2 < letters.length;
    ranges.push([letters[i]!, letters[isRange ? i + 2 : i]!]);
    if (isRange) i += 2;
  }
  return (letter) =>
    letter !== '/' && ranges.some(([low, high]) => low <= letter && letter <= high) !== isNegated;
}
