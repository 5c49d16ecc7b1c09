/**
 * Matches a command's output against expected lines: each must be found, in their order, however wide the columns
 * are.
 */
export type OutputMatch =
  | { readonly missing: string }
  /** Values of the `{name}` placeholders. */
  | { readonly words: Readonly<Record<string, string>> };

export function matchOutput(lines: readonly string[], output: string): OutputMatch {
  const words: Record<string, string> = {};
  let rest = output;
  let isFirst = true;
  for (const line of lines) {
    const found = patternOf(line).exec(rest);
    if (!found)
      return { missing: `"${line}" is not ${isFirst ? '' : 'after that '}in its output:\n${output}` };
    Object.assign(words, found.groups);
    rest = rest.slice(found.index + found[0].length);
    isFirst = false;
  }
  return { words };
}

/** Replaces each `$name` by its word. */
export function withWords(text: string, words: Readonly<Record<string, string>>): string {
  return text.replaceAll(/\$(\w+)/g, (whole, name: string) => words[name] ?? whole);
}

function patternOf(line: string): RegExp {
  const source = line
    .replaceAll(/[.*+?^$()|[\]\\]/g, '\\$&')
    .replaceAll(/\{(\w+)\}/g, '(?<$1>\\S+)')
    .replaceAll(/\s+/g, '[ \\t]+');
  return new RegExp(source);
}
