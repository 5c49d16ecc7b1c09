import { formatConstraints, hardwareSatisfies, isAsked, type Constraints } from '../constraints.ts';
import type { Hardware } from './hardware.ts';

/** What a machine was asked to have that its hardware does not tell. */
const unseen = ['allocate-public-ip', 'image-id', 'instance-role', 'instance-type', 'spaces'] as const;

/**
 * Whether a machine is good enough for a unit with these constraints (domain-facts §3.5): by its hardware once it has
 * any, and what that does not tell, or before, by having been asked for the same. `container` is where it is, not what
 * it has.
 */
export function machineSatisfies(
  wanted: Constraints,
  { constraints, hardware }: { readonly constraints: Constraints; readonly hardware?: Hardware },
): boolean {
  if (!hardware) return asText(wanted) === asText(constraints);
  const unseenOf = (of: Constraints): string =>
    asText(Object.fromEntries(unseen.map((key) => [key, of[key]])));
  const asksUnseen = unseenOf(wanted) !== '';
  return hardwareSatisfies(wanted, hardware) && (!asksUnseen || unseenOf(wanted) === unseenOf(constraints));
}

/** An explicit nothing asks for as much as no word does. */
function asText(constraints: Constraints): string {
  return formatConstraints(
    Object.fromEntries(
      Object.entries(constraints).filter(([key, value]) => key !== 'container' && isAsked(value)),
    ),
  );
}
