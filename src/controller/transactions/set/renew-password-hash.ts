import type { Tx } from '../tx.ts';

/** Another hash of the password that `hash` is of; a password that was changed meanwhile stays. */
export function renewPasswordHash(
  tx: Tx,
  args: { readonly user: string; readonly hash: string; readonly renewed: string },
): void {
  const user = tx.get('user', args.user);
  if (user?.passwordHash === args.hash) tx.put('user', args.user, { ...user, passwordHash: args.renewed });
}
