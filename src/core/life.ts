/** The stage of an entity's life, which never goes back (lives.md#one-way). */
export type Life = 'alive' | 'dying' | 'dead';

const order: Record<Life, number> = { alive: 0, dying: 1, dead: 2 };

/** The later of the two stages, as a life only moves one way. */
export function advance(current: Life, target: Life): Life {
  return order[target] > order[current] ? target : current;
}

/** Members about the end of a living entity. Both are written by `transactions/` only. */
export interface Ending {
  /** RFC 3339: when the removal was requested; absent while the entity is alive. */
  readonly dyingSince?: string;
  /** Set when the removal was forced: at the deadline the rest is cleared without agents. */
  readonly force?: Force;
}
export interface Force {
  /** RFC 3339; the only wait, whatever else is removed together with the entity. */
  readonly deadline: string;
  /** The tag of the user who requested the forced removal. */
  readonly by: string;
}

/** The index value of entities whose removal was forced and is not finished. */
export function isForced(entity: Ending): 'forced' | undefined {
  return entity.force ? 'forced' : undefined;
}

/** The force with the earlier deadline. */
export function earlier(a: Force | undefined, b: Force | undefined): Force | undefined {
  if (!a || !b) return a ?? b;
  return b.deadline < a.deadline ? b : a;
}
