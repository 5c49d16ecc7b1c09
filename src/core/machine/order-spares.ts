/** A machine without units that a new unit may take. */
interface Spare {
  readonly id: string;
  /** Whether the machine has its instance, so that a unit starts at once. */
  readonly provisioned: boolean;
  /** The machine's zone; '' when it has none or the zone is not known yet. */
  readonly zone: string;
}

/**
 * Orders spare machines for new units of an application: provisioned ones first; among these by zone, the one with the
 * fewest of the application's units (`population`, including units assigned by this order) first; then as they are
 * listed.
 */
export function orderSpares<S extends Spare>(
  spares: readonly S[],
  population: ReadonlyMap<string, number>,
): S[] {
  const counts = new Map(population);
  const ordered: S[] = [];
  for (const provisioned of [true, false]) {
    const zones = Map.groupBy(
      spares.filter((spare) => spare.provisioned === provisioned),
      ({ zone }) => zone,
    );
    // The lists are reversed so that taking the next machine is a cheap pop.
    for (const sparesOfZone of zones.values()) sparesOfZone.reverse();
    while (zones.size > 0) {
      const zone = leastPopulated([...zones.keys()], counts);
      const left = zones.get(zone)!;
      ordered.push(left.pop()!);
      counts.set(zone, (counts.get(zone) ?? 0) + 1);
      if (left.length === 0) zones.delete(zone);
    }
  }
  return ordered;
}

function leastPopulated(zones: readonly string[], counts: ReadonlyMap<string, number>): string {
  return zones.reduce((best, zone) => ((counts.get(zone) ?? 0) < (counts.get(best) ?? 0) ? zone : best));
}
