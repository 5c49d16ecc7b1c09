import type { ApplicationDoc } from './document.ts';
import { comparePortRanges, parsePortRange, type OpenPorts, type PortRange } from '../ports.ts';

/** One unit of the machine, with the exposure of its application. */
export interface ExposedUnit {
  readonly ports: OpenPorts;
  /** ApplicationDoc.exposed: endpoint ('' = all) → allowed sources. Absent = not exposed. */
  readonly exposed?: ApplicationDoc['exposed'] | undefined;
}

/** A firewall rule; the providers' PortRule has this shape. */
export interface IngressRule extends PortRange {
  /** Source CIDRs, sorted; empty = any source. */
  readonly sourceCidrs: readonly string[];
}

/** Any source in both address families, as a plain `expose` allows. */
export const anywhere: readonly string[] = ['0.0.0.0/0', '::/0'];

/**
 * The rules that one machine's firewall needs (firewall.md#exposure). An endpoint exposed by name admits its own ports
 * and the ports opened for all endpoints; the entry for all endpoints covers the rest. An entry without any source
 * admits nobody. Rules are sorted, one per port range.
 */
export function exposedRules(
  units: Iterable<ExposedUnit>,
  subnetsOf: (space: string) => readonly string[] = () => [],
): IngressRule[] {
  const sources = new Map<string, Set<string>>();
  for (const { ports, exposed = {} } of units) {
    for (const [endpoint, { cidrs, spaces }] of Object.entries(exposed)) {
      const from = [...cidrs, ...spaces.flatMap(subnetsOf)];
      if (from.length === 0) continue;
      for (const range of coveredBy(endpoint, ports, exposed)) {
        const all = sources.get(range) ?? new Set();
        sources.set(range, all);
        for (const cidr of from) all.add(cidr);
      }
    }
  }
  return [...sources]
    .map(([range, cidrs]) => ({ ...parsePortRange(range), sourceCidrs: simplified(cidrs) }))
    .sort(comparePortRanges);
}

function coveredBy(
  endpoint: string,
  ports: OpenPorts,
  exposed: NonNullable<ExposedUnit['exposed']>,
): string[] {
  return Object.keys(ports)
    .filter((name) =>
      endpoint === '' ? name === '' || !Object.hasOwn(exposed, name) : name === endpoint || name === '',
    )
    .flatMap((name) => ports[name] ?? []);
}

function simplified(cidrs: ReadonlySet<string>): string[] {
  return anywhere.every((cidr) => cidrs.has(cidr)) ? [] : [...cidrs].sort();
}
