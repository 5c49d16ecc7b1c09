import { formatConstraints } from '../core/constraints.ts';
import type { StartParams } from '../providers/contract/provider.ts';

/** Groups machines into requests: the machines of a request differ only in identity, and number at most `max`. */
export function splitByRequest<T extends { readonly params: Omit<StartParams, 'progress'> }>(
  starts: readonly T[],
  max: number,
): T[][] {
  if (max <= 1) return starts.map((start) => [start]);
  const alike = Map.groupBy(starts, ({ params: { base, constraints, placement = '', zone = '' } }) =>
    JSON.stringify([base.name, base.channel, placement, zone, formatConstraints(constraints)]),
  );
  return [...alike.values()].flatMap((same) =>
    Array.from({ length: Math.ceil(same.length / max) }, (_, n) => same.slice(n * max, (n + 1) * max)),
  );
}
