/** Chooses the availability zone in which a machine starts (machines.md#zone-choice). */
import type { Constraints } from '../constraints.ts';
import type { MachineDoc } from './document.ts';
import { zoneOfDirective } from '../placement.ts';

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

/** As its record has them. */
export function zoneWishes({
  constraints,
  placement,
  failedZones = [],
}: Pick<MachineDoc, 'constraints' | 'placement' | 'failedZones'>): ZoneWishes {
  const placed = zoneOfDirective(placement?.directive);
  return { constraints, failed: failedZones, ...(placed === undefined ? {} : { placed }) };
}

/** Those that the machine may be in at all, by its constraint and its placement both. */
function wantedZones<Z extends Pick<ZoneView, 'name'>>(
  zones: readonly Z[],
  { constraints, placed }: ZoneWishes,
): Z[] {
  const only = constraints.zones ?? [];
  return zones.filter(
    ({ name }) => (placed === undefined || name === placed) && (only.length === 0 || only.includes(name)),
  );
}

/** Those of them that it may be started in now, whether it failed there or not. */
export function usableZones<Z extends Pick<ZoneView, 'name' | 'available'>>(
  zones: readonly Z[],
  wishes: ZoneWishes,
): Z[] {
  return wantedZones(zones, wishes).filter(({ available }) => available);
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

/** Why a machine can be started in no zone of the cloud, whatever becomes of them; undefined: it can. */
export function zoneConflict(
  zones: readonly Pick<ZoneView, 'name'>[],
  wishes: ZoneWishes,
): string | undefined {
  const { constraints, placed } = wishes;
  if (zones.length === 0 || wantedZones(zones, wishes).length > 0) return undefined;
  const all = zones.map(({ name }) => name).join(', ');
  const only = constraints.zones?.join(',') ?? '';
  if (placed === undefined) return `no zone of zones=${only} is in this cloud, which has ${all}`;
  if (!zones.some(({ name }) => name === placed))
    return `zone "${placed}" is not in this cloud, which has ${all}`;
  return `placement zone=${placed} is not among constraint zones=${only}`;
}
