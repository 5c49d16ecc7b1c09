import type { ModelStep } from './step.ts';

/** The applications that others of the same name take the place of. */
export function replacedIn(steps: readonly ModelStep[]): string[] {
  return steps.flatMap((step) =>
    step.kind === 'remove-application' && step.replaced !== undefined ? [step.application] : [],
  );
}
