/** The exact size in bytes of a value as JSON in UTF-8; 0 for a value that JSON omits. */
export function jsonBytes(value: unknown): number {
  return value === undefined ? 0 : utf8Bytes(JSON.stringify(value));
}

/** How large a text is in UTF-8, exactly. */
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
