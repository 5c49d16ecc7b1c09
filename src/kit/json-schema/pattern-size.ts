/**
 * The characters, classes and escapes of a pattern, each as often as its repetitions write it out: `(ab{3}){10}` has
 * 40. A text that is no pattern has a size, too. The size is known before anything is compiled.
 */
export function patternSize(pattern: string): number {
  // Open groups, each with the size until here and the size of its last part, which a repetition repeats.
  const open = [{ size: 0, last: 0 }];
  for (const [token] of pattern.matchAll(tokens)) {
    const group = open.at(-1)!;
    const repeat = /^\{(\d+)(?:,(\d*))?\}$/.exec(token);
    if (token === '(') {
      open.push({ size: 0, last: 0 });
    } else if (token === ')' && open.length > 1) {
      open.pop();
      add(open.at(-1)!, group.size + 1);
    } else if (repeat) {
      const times = Math.max(1, Number(repeat[1]), Number(repeat[2] ?? 0));
      const added = group.last * (times - 1);
      group.size += added;
      group.last += added;
    } else if (/^[*+?]$/.test(token)) {
      group.size += 1;
    } else {
      add(group, token.startsWith('\\Q') ? token.length : 1);
    }
  }
  return open.reduce((sum, { size }) => sum + size, 0);
}

/** A quotation, an escape, a class, a repetition, or one character. */
const tokens = /\\Q[^]*?(?:\\E|$)|\\[^]|\[\^?\]?(?:\\[^]|[^\]\\])*\]?|\{\d+(?:,\d*)?\}|[^]/g;

function add(group: { size: number; last: number }, size: number): void {
  group.size += size;
  group.last = size;
}
