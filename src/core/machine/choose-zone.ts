/** Chooses the availability zone in which a machine starts (machines.md#zone-choice). */
import type { Constraints } from '../constraints.ts';
import type { MachineDoc } from './document.ts';
import { zoneOfDirective } from '../placement.ts';
import { defined } from '../defined.ts';

export interface ZoneView {
  readonly name: string;
  /** Whether the provider reports the zone as healthy. */
  readonly available: boolean;
  /** Number of members of the machine's distribution group in the zone, those being started included. */
  readonly group: number;
  /** Number of machines of the model in the zone; decides between zones with equal `group`. */
  readonly all: number;
}

/** A machine's demands on its zone. */
export interface ZoneRequest {
  readonly constraints: Pick<Constraints, 'zones'>;
  /** The zone of a `zone=` placement. */
  readonly placed?: string;
  /** The zones in which starts failed in this round. */
  readonly failed?: readonly string[];
}

/** The demands that a machine's record contains. */
export function zoneRequest({
  constraints,
  placement,
  failedZones = [],
}: Pick<MachineDoc, 'constraints' | 'placement' | 'failedZones'>): ZoneRequest {
  const placed = zoneOfDirective(placement?.directive);
  return { constraints, failed: failedZones, ...defined({ placed }) };
}

/** The zones allowed by both the machine's constraint and its placement. */
function allowedZones<Z extends Pick<ZoneView, 'name'>>(
  zones: readonly Z[],
  { constraints, placed }: ZoneRequest,
): Z[] {
  const allowed = constraints.zones ?? [];
  return zones.filter(
    ({ name }) =>
      (placed === undefined || name === placed) && (allowed.length === 0 || allowed.includes(name)),
  );
}

/** The allowed zones that are available now, including those in which a start failed. */
export function usableZones<Z extends Pick<ZoneView, 'name' | 'available'>>(
  zones: readonly Z[],
  request: ZoneRequest,
): Z[] {
  return allowedZones(zones, request).filter(({ available }) => available);
}

/**
 * Chooses the zone with the fewest machines of the group; among equals the one with the fewest of the model, then the
 * provider's order. Returns undefined when no usable zone is left in this round.
 */
export function chooseZone(zones: readonly ZoneView[], request: ZoneRequest): string | undefined {
  let best: ZoneView | undefined;
  for (const zone of usableZones(zones, request)) {
    if (request.failed?.includes(zone.name)) continue;
    if (!best || zone.group < best.group || (zone.group === best.group && zone.all < best.all)) best = zone;
  }
  return best?.name;
}

/** The reason why no zone of the cloud can ever suit the machine; undefined when one can. */
export function zoneConflict(
  zones: readonly Pick<ZoneView, 'name'>[],
  request: ZoneRequest,
): string | undefined {
  const { constraints, placed } = request;
  if (zones.length === 0 || allowedZones(zones, request).length > 0) return undefined;
  const names = zones.map(({ name }) => name).join(', ');
  const allowed = constraints.zones?.join(',') ?? '';
  if (placed === undefined) return `no zone of zones=${allowed} is in this cloud, which has ${names}`;
  if (!zones.some(({ name }) => name === placed))
    return `zone "${placed}" is not in this cloud, which has ${names}`;
  return `placement zone=${placed} is not among constraint zones=${allowed}`;
}
