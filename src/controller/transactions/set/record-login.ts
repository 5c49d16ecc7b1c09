import { accessId } from '../../../core/access/document.ts';
import type { Tx } from '../tx.ts';

/** Records when a user last logged in to a model; '' = the controller. */
export function recordLogin(
  tx: Tx,
  login: { readonly user: string; readonly model: string; readonly at: string },
): void {
  tx.in('').put('last-login', accessId(login), login);
}
