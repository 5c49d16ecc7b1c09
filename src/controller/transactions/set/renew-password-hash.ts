import { userId } from '../../../core/user/document.ts';
import type { Tx } from '../tx.ts';

/** Replaces `hash` with another hash of the same password; a password that was changed in the meantime stays. */
export function renewPasswordHash(
  tx: Tx,
  args: { readonly user: string; readonly hash: string; readonly renewed: string },
): void {
  const id = userId(args.user);
  const user = tx.get('user', id);
  if (user?.passwordHash === args.hash) tx.put('user', id, { ...user, passwordHash: args.renewed });
}
