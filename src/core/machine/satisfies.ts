import { formatConstraints, hardwareSatisfies, isAsked, type Constraints } from '../constraints.ts';
import type { Hardware } from './hardware.ts';

/** Constraints that a machine's hardware does not show. */
const unseen = ['allocate-public-ip', 'image-id', 'instance-role', 'instance-type'] as const;

/**
 * Whether a machine satisfies a unit's constraints (placing.md#good-enough). Recorded hardware decides, together with
 * the constraints that hardware does not show; without hardware on record, the machine must have been requested with
 * the same constraints. `container` is ignored: it says where the machine is, not what it has.
 */
export function machineSatisfies(
  wanted: Constraints,
  {
    constraints,
    hardware,
    spaces,
  }: {
    readonly constraints: Constraints;
    readonly hardware?: Hardware;
    /** Spaces in which the machine has addresses. */
    readonly spaces?: ReadonlySet<string>;
  },
): boolean {
  if (!hardware) return asText(wanted) === asText(constraints);
  const unseenOf = (of: Constraints): string =>
    asText(Object.fromEntries(unseen.map((key) => [key, of[key]])));
  const asksUnseen = unseenOf(wanted) !== '';
  return (
    hardwareSatisfies(wanted, hardware) &&
    inSpaces(wanted, spaces ?? new Set(), constraints) &&
    (!asksUnseen || unseenOf(wanted) === unseenOf(constraints))
  );
}

/**
 * Whether a machine is in all spaces that are wanted, or was requested so, and in none that is excluded
 * (networks.md#placed-by-space).
 */
function inSpaces(
  { spaces: wanted = [] }: Constraints,
  spaces: ReadonlySet<string>,
  { spaces: requested = [] }: Constraints,
): boolean {
  return wanted.every((text) =>
    text.startsWith('^') ? !spaces.has(text.slice(1)) : spaces.has(text) || requested.includes(text),
  );
}

/** An explicitly empty constraint equals an absent one. */
function asText(constraints: Constraints): string {
  return formatConstraints(
    Object.fromEntries(
      Object.entries(constraints).filter(([key, value]) => key !== 'container' && isAsked(value)),
    ),
  );
}
