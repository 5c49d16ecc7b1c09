import { notValid, type JujuError } from '../errors.ts';

/** What there is to say of a bundle, each with its place in it: `applications.mysql.num_units: …`. */
export interface Notes {
  /** Why it cannot be used. */
  readonly problems: string[];
  /** What was passed over. */
  readonly warnings: string[];
}

const shownMax = 30;

/** All that is wrong, a line each. */
export function bundleProblems(problems: readonly string[]): JujuError {
  if (problems.length === 1) return notValid(`the bundle cannot be used: ${problems[0]}`);
  const more = problems.length - shownMax;
  const lines = [...problems.slice(0, shownMax), ...(more > 0 ? [`… and ${more} more`] : [])];
  return notValid([`the bundle cannot be used, ${problems.length} things are wrong:`, ...lines].join('\n  '));
}
