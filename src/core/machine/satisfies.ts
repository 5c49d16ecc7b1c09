import { formatConstraints, hardwareSatisfies, isAsked, type Constraints } from '../constraints.ts';
import type { Hardware } from './hardware.ts';

/** Constraints that a machine's hardware does not show. */
const unseen = ['allocate-public-ip', 'image-id', 'instance-role', 'instance-type', 'spaces'] as const;

/**
 * Whether a machine satisfies a unit's constraints (placing.md#good-enough). Recorded hardware decides, together with
 * the constraints that hardware does not show; without hardware on record, the machine must have been requested with
 * the same constraints. `container` is ignored: it says where the machine is, not what it has.
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

/** An explicitly empty constraint equals an absent one. */
function asText(constraints: Constraints): string {
  return formatConstraints(
    Object.fromEntries(
      Object.entries(constraints).filter(([key, value]) => key !== 'container' && isAsked(value)),
    ),
  );
}
