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
  let [part, at] = [0, 0];
  let [star, from] = [-1, 0];
  while (at < text.length) {
    const next = parts[part];
    if (next === '*') {
      star = part++;
      from = at;
    } else if (next?.(text[at]!)) {
      part++;
      at++;
    } else if (star >= 0 && text[from] !== '/') {
      part = star + 1;
      at = ++from;
    } else return false;
  }
  while (parts[part] === '*') part++;
  return part === parts.length;
}

function partsOf(pattern: string): Part[] {
  const parts: Part[] = [];
  for (let at = 0; at < pattern.length; at++) {
    const letter = pattern[at]!;
    if (letter === '*') {
      if (parts.at(-1) !== '*') parts.push('*');
    } else if (letter === '?') parts.push((char) => char !== '/');
    else if (letter === '[') {
      const end = pattern.indexOf(']', at + 2);
      if (end < 0) throw notValid(`pattern "${pattern}" has a bracket that is not closed`);
      parts.push(lettersOf(pattern.slice(at + 1, end)));
      at = end;
    } else {
      const literal = letter === '\\' && at + 1 < pattern.length ? pattern[++at] : letter;
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
  for (let at = 0; at < letters.length; at++) {
    const isRange = letters[at + 1] === '-' && at + 2 < letters.length;
    ranges.push([letters[at]!, letters[isRange ? at + 2 : at]!]);
    if (isRange) at += 2;
  }
  return (letter) =>
    letter !== '/' && ranges.some(([low, high]) => low <= letter && letter <= high) !== isNegated;
}
