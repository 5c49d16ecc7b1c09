import { notValid, type JujuError } from '../errors.ts';

/** Remarks on a bundle, each with its path: `applications.mysql.num_units: …`. */
export interface Notes {
  /** Reasons why the bundle cannot be used. */
  readonly problems: string[];
  /** Keys that were ignored. */
  readonly warnings: string[];
}

const shownMax = 30;

/** The error that lists all problems, one per line. */
export function bundleProblems(problems: readonly string[]): JujuError {
  if (problems.length === 1) return notValid(`the bundle cannot be used: ${problems[0]}`);
  const more = problems.length - shownMax;
  const lines = [...problems.slice(0, shownMax), ...(more > 0 ? [`… and ${more} more`] : [])];
  return notValid([`the bundle cannot be used, ${problems.length} problems:`, ...lines].join('\n  '));
}
