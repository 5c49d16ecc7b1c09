/** Suggestions for a word that no command or setting has. */
import { suggestions } from '../core/suggestions.ts';

/** Returns the lines that suggest names; empty without any. */
export function didYouMean(word: string, names: readonly string[]): string {
  const found = suggestions(word, names);
  return found.length === 0 ? '' : `\nDid you mean:\n${found.map((name) => `\t${name}\n`).join('')}`;
}
