/** In which availability zone a machine starts (domain-facts §2.7; issue 4 §5). */
import type { Constraints } from '../constraints.ts';

export interface ZoneView {
  readonly name: string;
  /** The provider says that it is healthy. */
  readonly available: boolean;
  /** Members of the machine's distribution group in it, those that are being started included. */
  readonly group: number;
  /** All machines of the model in it: decides between zones with as many of the group. */
  readonly all: number;
}

/** What a machine says of zones. */
export interface ZoneWishes {
  readonly constraints: Pick<Constraints, 'zones'>;
  /** `zone=` of its placement. */
  readonly placed?: string;
  /** Where its starts have failed, in this round. */
  readonly failed?: readonly string[];
}

/** Those that the machine may be started in, whether it failed there or not. */
export function usableZones<Z extends Pick<ZoneView, 'name' | 'available'>>(
  zones: readonly Z[],
  { constraints, placed }: ZoneWishes,
): Z[] {
  const only = constraints.zones ?? [];
  return zones.filter(
    ({ name, available }) =>
      available && (placed === undefined || name === placed) && (only.length === 0 || only.includes(name)),
  );
}

/**
 * The zone with the fewest of the machine's group, of those with the fewest of the whole model, in the provider's
 * order. Undefined: no usable zone is left to try in this round.
 */
export function chooseZone(zones: readonly ZoneView[], wishes: ZoneWishes): string | undefined {
  let best: ZoneView | undefined;
  for (const zone of usableZones(zones, wishes)) {
    if (wishes.failed?.includes(zone.name)) continue;
    if (!best || zone.group < best.group || (zone.group === best.group && zone.all < best.all)) best = zone;
  }
  return best?.name;
}
