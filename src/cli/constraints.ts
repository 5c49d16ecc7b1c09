import { parseConstraints, type Constraints } from '../core/constraints.ts';

/** Parses constraints as users type them: `['mem=2G', 'cores=2']`, words or texts of several. Errors: `not valid`. */
export function readConstraints(words: readonly string[]): Constraints {
  return parseConstraints(words.join(' '));
}
