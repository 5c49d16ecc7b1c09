import { formatConstraints, hardwareSatisfies, isAsked, type Constraints } from '../constraints.ts';
import type { Hardware } from './hardware.ts';

/** What a machine was asked to have that its hardware does not tell. */
const unseen = ['allocate-public-ip', 'image-id', 'instance-role', 'instance-type', 'spaces'] as const;

/**
 * Whether a machine is good enough for a unit with these constraints (placing.md#good-enough). With hardware on record
 * the hardware decides, together with what hardware does not tell; before, the machine must have been asked for the
 * same. `container` does not count: it says where the machine is, not what it has.
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
