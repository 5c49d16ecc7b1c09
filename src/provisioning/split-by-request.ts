import { formatConstraints } from '../core/constraints.ts';
import type { StartParams } from '../providers/contract/provider.ts';

/** Machines that one request may ask for are alike in all but who they are; `max` in one, at most. */
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
