import { checkLimit, limits } from '../core/limits.ts';

const quote = 0x22;
const backslash = 0x5c;
/** Bytes `,` `:` `[` `{`, each of which begins a value or a name. */
const marks = new Set([0x2c, 0x3a, 0x5b, 0x7b]);
const isMark = Uint8Array.from({ length: 256 }, (_, byte) => (marks.has(byte) ? 1 : 0));

/**
 * Refuses JSON of so many values that parsing would block other requests: 8 MiB of `{}` take most of a second, 8 MiB of
 * text take 10 ms. Errors: `quota limit exceeded`.
 */
export function checkMarks(json: Uint8Array): void {
  if (json.length > limits.requestMarks.max) checkLimit(limits.requestMarks, countMarks(json));
}

/** Returns how many values and names `json` has, by the signs before them. */
export function countMarks(json: Uint8Array): number {
  let count = 0;
  let inText = false;
  for (let index = 0; index < json.length; index++) {
    const byte = json[index]!;
    if (byte === quote) inText = !inText;
    else if (!inText) count += isMark[byte]!;
    else if (byte === backslash) index++;
  }
  return count;
}
