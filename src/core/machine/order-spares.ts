/** A machine without units that a new unit may take. */
export interface Spare {
  readonly id: string;
  /** It has its instance: a unit starts at once. */
  readonly provisioned: boolean;
  /** '' where it is in none, or not known yet. */
  readonly zone: string;
}

/**
 * The order in which new units of an application take spare machines: provisioned ones first; among these the zone that
 * has fewest of the application's units, `population`, those just given counted in; then as they are listed.
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
    // From the back, so that taking one is cheap.
    for (const those of zones.values()) those.reverse();
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
