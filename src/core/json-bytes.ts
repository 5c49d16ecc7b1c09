/** The exact size in bytes of a value as JSON in UTF-8; 0 for a value that JSON omits. */
export function jsonBytes(value: unknown): number {
  return value === undefined ? 0 : utf8Bytes(JSON.stringify(value));
}

/**
 * The approximate length of a value as JSON in characters: its texts, and a few for each value beside them. Counting
 * ends above `max`, which bounds the cost even when the value contains the same object many times.
 */
export function jsonLength(value: unknown, max: number): number {
  if (typeof value === 'string') return value.length + 3;
  if (typeof value !== 'object' || value === null) return 6;
  let length = 3;
  for (const key in value) {
    if (length > max) break;
    length += key.length + 4 + jsonLength((value as Record<string, unknown>)[key], max - length);
  }
  return length;
}

/** The exact size of a text in bytes of UTF-8. */
export function utf8Bytes(text: string): number {
  let size = text.length;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code < 0x80) continue;
    if (code < 0x800) size++;
    // A surrogate pair has four bytes; JSON escapes an unpaired surrogate.
    else size += code >= 0xd800 && code <= 0xdfff ? 1 : 2;
  }
  return size;
}
