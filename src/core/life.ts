/** How far an entity's life has come; it never goes back (facts: domain-facts §1.0). */
export type Life = 'alive' | 'dying' | 'dead';

const order: Record<Life, number> = { alive: 0, dying: 1, dead: 2 };

/** The later of the two: a life only moves one way. */
export function advance(current: Life, target: Life): Life {
  return order[target] > order[current] ? target : current;
}
