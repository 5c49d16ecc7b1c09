import type { Constraints } from '../core/constraints.ts';

/** As params have them: lists of their own. */
export function constraintsToWire({ tags, spaces, zones, ...plain }: Constraints) {
  return {
    ...plain,
    ...(tags ? { tags: [...tags] } : {}),
    ...(spaces ? { spaces: [...spaces] } : {}),
    ...(zones ? { zones: [...zones] } : {}),
  };
}
