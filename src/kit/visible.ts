/**
 * Characters that a terminal would interpret instead of showing: control characters except newline and tab, 8-bit ones
 * included, and those that change the direction of text.
 */
const hidden = /[^\P{Cc}\n\t]|[\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/u;
const allHidden = new RegExp(hidden, 'gu');
const lineEnd = /\r\n?|\n/g;

export function hasHidden(text: string): boolean {
  return hidden.test(text);
}

/**
 * Untrusted text as a terminal may show it: hidden characters are written as `\u001b`, which JSON and YAML read within
 * quotes. Text that a carriage return would have written over is a line of its own.
 */
export function visible(text: string): string {
  if (!hidden.test(text)) return text;
  return text
    .replace(lineEnd, '\n')
    .replace(allHidden, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/**
 * Untrusted text as `visible` writes it, on one line: a message of several lines would break a table, or look like an
 * entry of its own.
 */
export function visibleLine(text: string): string {
  const lines = text.split(lineEnd).map((line) => line.trim());
  return visible(lines.filter(Boolean).join(' '));
}
