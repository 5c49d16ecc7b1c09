/** Suggestions for a word that nothing has. */
import { editDistance } from './edit-distance.ts';

/** Letters of a word that are looked at: the comparison takes time with their square. */
const lettersMax = 100;

/**
 * Returns the names that differ from `word` in few letters, the closest first: at most three, as close as the closest
 * one. A name that begins with the word counts as one letter away.
 */
export function suggestions(word: string, names: readonly string[]): readonly string[] {
  const text = word.slice(0, lettersMax);
  const most = Math.max(2, text.length / 3);
  const scored = [...new Set(names)]
    .map((name) => ({ name, distance: distance(text, name) }))
    .filter((one) => one.distance <= most)
    .sort((a, b) => a.distance - b.distance || (a.name < b.name ? -1 : 1));
  return scored
    .filter((one) => one.distance === scored[0]?.distance)
    .map((one) => one.name)
    .slice(0, 3);
}

function distance(word: string, name: string): number {
  return word.length > 2 && name.startsWith(word) ? 1 : editDistance(word, name);
}
