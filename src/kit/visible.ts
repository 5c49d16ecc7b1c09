/**
 * What a terminal would obey instead of showing: control characters beside newline and tab, those of 8 bits too, and what
 * turns the direction of text.
 */
const hidden = /[^\P{Cc}\n\t]|[\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/u;
const allHidden = new RegExp(hidden, 'gu');

export function hasHidden(text: string): boolean {
  return hidden.test(text);
}

/**
 * Text of others as a terminal may show it: what is hidden is written out as `\u001b`, which is also how JSON and YAML
 * write it within quotes.
 */
export function visible(text: string): string {
  if (!hidden.test(text)) return text;
  return text
    .replaceAll('\r\n', '\n')
    .replace(allHidden, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** The same in one line: a message of several would tear a table, or look like an entry of its own. */
export function visibleLine(text: string): string {
  const lines = text.split('\n').map((line) => line.trim());
  return visible(lines.filter(Boolean).join(' '));
}
