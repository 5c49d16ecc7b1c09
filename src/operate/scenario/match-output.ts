/**
 * Matches a command's output against expected lines: each must be found, in their order, however wide the columns
 * are. The time is linear in the output, for each line.
 */
type OutputMatch =
  | { readonly missing: string }
  /** Values of the `{name}` placeholders. */
  | { readonly words: Readonly<Record<string, string>> };

export function matchOutput(lines: readonly string[], output: string): OutputMatch {
  const words: Record<string, string> = {};
  let rest = output;
  let isFirst = true;
  for (const line of lines) {
    const found = findLine(line.split(/\s/).filter(Boolean).map(partsOf), rest);
    if (!found)
      return { missing: `"${line}" is not ${isFirst ? '' : 'after that '}in its output:\n${output}` };
    Object.assign(words, found.words);
    rest = rest.slice(found.end);
    isFirst = false;
  }
  return { words };
}

/** Replaces each `$name` by its word. */
export function withWords(text: string, words: Readonly<Record<string, string>>): string {
  return text.replaceAll(/\$(\w+)/g, (whole, name: string) =>
    Object.hasOwn(words, name) ? words[name]! : whole,
  );
}

/** Expected word: text around at most one placeholder. */
interface Parts {
  readonly before: string;
  readonly name: string | undefined;
  readonly after: string;
}

/** Splits an expected word at its placeholder. Errors: plain Error for a second one. */
export function partsOf(word: string): Parts {
  const [before = '', name, after = '', ...more] = word.split(/\{(\w+)\}/);
  if (more.length > 0)
    throw new Error(`"${word}" has two placeholders: a word of expected output has at most one`);
  return { before, name, after };
}

interface Found {
  readonly words: Readonly<Record<string, string>>;
  /** Position behind the words that were found. */
  readonly end: number;
}

/** Finds the first place where the words stand side by side in one line; the first and last may be parts of words. */
function findLine(expected: readonly Parts[], text: string): Found | undefined {
  if (expected.length === 0) return { words: {}, end: 0 };
  const all = [...text.matchAll(/\S+/g)];
  for (let first = 0; first + expected.length <= all.length; first++) {
    const words: Record<string, string> = {};
    let end = 0;
    const isHere = expected.every((parts, n) => {
      const { 0: word, index } = all[first + n]!;
      if (n > 0 && text.slice(end, index).includes('\n')) return false;
      const place = placeIn(word, parts, { isFirst: n === 0, isLast: n === expected.length - 1 });
      if (!place) return false;
      if (parts.name !== undefined) words[parts.name] = word.slice(...place.value);
      end = index + place.end;
      return true;
    });
    if (isHere) return { words, end };
  }
  return undefined;
}

interface Place {
  readonly value: readonly [from: number, to: number];
  readonly end: number;
}

function placeIn(
  word: string,
  { before, name, after }: Parts,
  { isFirst, isLast }: { readonly isFirst: boolean; readonly isLast: boolean },
): Place | undefined {
  if (name === undefined) {
    const last = isLast ? word.indexOf(before) : word.length - before.length;
    const start = isFirst ? last : 0;
    return start >= 0 && word.startsWith(before, start) && (isLast || start + before.length === word.length)
      ? { value: [start, start], end: start + before.length }
      : undefined;
  }
  const start = isFirst ? word.indexOf(before) : word.startsWith(before) ? 0 : -1;
  const stop = isLast && after !== '' ? word.lastIndexOf(after) : word.length - after.length;
  if (start < 0 || stop <= start + before.length || !word.startsWith(after, stop)) return undefined;
  return { value: [start + before.length, stop], end: stop + after.length };
}
