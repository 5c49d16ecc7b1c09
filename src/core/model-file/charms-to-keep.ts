/** Charms that would be gone from the model before a step takes them, as a charm goes with its last application. */
import type { Bundle } from '../bundle/bundle.ts';
import type { ModelStep } from './step.ts';

/** Returns the URLs of charms that steps give to applications and that no other application keeps, sorted. */
export function charmsToKeep(steps: readonly ModelStep[], { applications }: Bundle): string[] {
  const left = { ...applications };
  const taken = new Set<string>();
  for (const step of steps) {
    if (step.kind !== 'deploy' && step.kind !== 'refresh' && step.kind !== 'remove-application') continue;
    delete left[step.application];
    if (step.kind !== 'remove-application' && 'url' in step.charm) taken.add(step.charm.url);
  }
  for (const { charm } of Object.values(left)) taken.delete(charm);
  return [...taken].sort();
}
