import { accessId } from '../../../core/access/document.ts';
import type { Tx } from '../tx.ts';

/** Records when a user last logged in to the controller, and to a model; '' = to none. */
export function recordLogin(
  tx: Tx,
  login: { readonly user: string; readonly model: string; readonly at: string },
): void {
  const root = tx.in('');
  for (const model of new Set([login.model, ''])) {
    const id = accessId({ user: login.user, model });
    root.put('last-login', id, { ...login, model });
  }
}
