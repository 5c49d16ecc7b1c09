import { notValid, type JujuError } from '../errors.ts';

/** What is read: a model file is a bundle that says more, and may say nothing that nobody reads. */
export type BundleKind = 'bundle' | 'model file' | 'past model';

/** Remarks on a bundle, each with its path: `applications.mysql.num_units: …`. */
export interface Notes {
  readonly kind: BundleKind;
  /** Reasons why it cannot be used. */
  readonly problems: string[];
  /** Keys that were ignored; none in a model file, where they are problems. */
  readonly warnings: string[];
}

/** Problems that are shown. */
export const shownMax = 30;

/** The error that lists all problems, one per line. */
export function bundleProblems(problems: readonly string[], kind: BundleKind = 'bundle'): JujuError {
  if (problems.length === 1) return notValid(`the ${kind} cannot be used: ${problems[0]}`);
  const more = problems.length - shownMax;
  const lines = [...problems.slice(0, shownMax), ...(more > 0 ? [`… and ${more} more`] : [])];
  return notValid([`the ${kind} cannot be used, ${problems.length} problems:`, ...lines].join('\n  '));
}
