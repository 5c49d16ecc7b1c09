/** How far an entity's life has come; it never goes back (lives.md#one-way). */
export type Life = 'alive' | 'dying' | 'dead';

const order: Record<Life, number> = { alive: 0, dying: 1, dead: 2 };

/** The later of the two: a life only moves one way. */
export function advance(current: Life, target: Life): Life {
  return order[target] > order[current] ? target : current;
}

/** What every entity that has a life says of its end. Both are written by `transactions/` only. */
export interface Ending {
  /** When its end was asked for, RFC 3339; absent while it is alive. */
  readonly dyingSince?: string;
  /** Somebody asked for it with --force: what is left at the deadline is cleared without its agents. */
  readonly force?: Force;
}
export interface Force {
  /** RFC 3339. The only wait there is, whatever else goes with the entity. */
  readonly deadline: string;
  /** The tag of who asked. */
  readonly by: string;
}

/** The index value of entities whose removal was forced and is not finished. */
export function isForced(entity: Ending): 'forced' | undefined {
  return entity.force ? 'forced' : undefined;
}

/** The one whose deadline comes first. */
export function earlier(a: Force | undefined, b: Force | undefined): Force | undefined {
  if (!a || !b) return a ?? b;
  return b.deadline < a.deadline ? b : a;
}
