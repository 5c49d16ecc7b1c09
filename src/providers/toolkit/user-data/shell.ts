/** Quotes a text as one shell word. NUL, which shells do not support, is dropped. */
export function quoted(text: string): string {
  return `'${text.replaceAll('\0', '').replaceAll("'", String.raw`'\''`)}'`;
}

/** Renders `NAME='value'` lines. */
export function assignments(values: Readonly<Record<string, string>>): string {
  return Object.entries(values)
    .map(([name, value]) => `${name}=${quoted(value)}\n`)
    .join('');
}
