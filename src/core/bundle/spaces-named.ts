/** Spaces that the steps of a bundle name. */
import type { BundleStep } from './step.ts';

export interface NamedSpace {
  /** The place in the file: `applications.mysql.bindings`. */
  readonly where: string;
  readonly space: string;
}

/** The spaces of bindings and of exposed endpoints; those of constraints are checked with the constraints. */
export function spacesNamed(steps: readonly BundleStep[]): NamedSpace[] {
  return steps.flatMap((step): NamedSpace[] => {
    switch (step.kind) {
      case 'deploy':
      case 'bind': {
        const where = `applications.${step.application}.bindings`;
        // '' leaves an endpoint to the default binding.
        const spaces = Object.values(step.bindings).filter((space) => space !== '');
        return spaces.map((space) => ({ where, space }));
      }
      case 'expose': {
        const where = `applications.${step.application}.exposed-endpoints`;
        const sources = Object.values(step.endpoints ?? {});
        return sources.flatMap(({ spaces }) => spaces.map((space) => ({ where, space })));
      }
      default:
        return [];
    }
  });
}
