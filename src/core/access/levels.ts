/** Levels of access, and what a grant or a revocation makes of them (login.md#levels, login.md#revoking). */
import { JujuError } from '../errors.ts';

/** Levels of access to each kind of object, the lowest first; each includes those before it. */
export const ladders = {
  controller: ['login', 'superuser'],
  model: ['read', 'write', 'admin'],
  cloud: ['add-model', 'admin'],
  offer: ['read', 'consume', 'admin'],
} as const;

export type AccessObject = keyof typeof ladders;
export type LevelOf<K extends AccessObject> = (typeof ladders)[K][number];

export function isLevel<K extends AccessObject>(kind: K, text: string): text is LevelOf<K> {
  return (ladders[kind] as readonly string[]).includes(text);
}

/** Whether the level that somebody has is as high as the needed one; '' is none. */
export function reaches<K extends AccessObject>(kind: K, held: LevelOf<K> | '', needed: LevelOf<K>): boolean {
  return rank(kind, held) >= rank(kind, needed);
}

/** The level after a grant. Errors: '' when the user has as much already. */
export function afterGrant<K extends AccessObject>(
  kind: K,
  held: LevelOf<K> | '',
  level: LevelOf<K>,
): LevelOf<K> {
  if (held !== '' && reaches(kind, held, level))
    throw new JujuError('', `user already has "${held}" access or greater`);
  return level;
}

/**
 * The level after a revocation: the one below the revoked level, or what the user has, where that is lower; '' = none.
 */
export function afterRevoke<K extends AccessObject>(
  kind: K,
  held: LevelOf<K>,
  level: LevelOf<K>,
): LevelOf<K> | '' {
  const ladder: readonly LevelOf<K>[] = ladders[kind];
  const below = ladder[rank(kind, level) - 1] ?? '';
  return rank(kind, below) < rank(kind, held) ? below : held;
}

/** The place of a level in its ladder; -1 for none. */
function rank<K extends AccessObject>(kind: K, level: LevelOf<K> | ''): number {
  return (ladders[kind] as readonly string[]).indexOf(level);
}
