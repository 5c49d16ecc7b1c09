import { defineKind } from '../kind.ts';
import { limits } from '../limits.ts';
import { all } from '../quota.ts';

/** A root key, by which macaroons are minted and verified. Controller space. */
export interface RootKeyDoc {
  /** 32 hex digits. */
  readonly id: string;
  readonly sealedKey: string;
  readonly createdAt: string;
  /** The time from which no macaroon of this key counts. */
  readonly expiresAt: string;
}

export const rootKey = defineKind<RootKeyDoc>()({
  space: 'controller',
  idOf: ({ id }) => id,
  isQuiet: () => true,
  quota: { counts: [{ ...all, limit: limits.rootKeys, whose: () => 'the controller' }] },
});
