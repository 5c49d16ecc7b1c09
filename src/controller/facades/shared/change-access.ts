import { parseUserTag } from '../../../wire/tags.ts';
import type { Call } from '../../facade.ts';
import type { AccessChange } from '../../transactions/change/change-access.ts';
import type { Tx } from '../../transactions/tx.ts';
import { bulk, type WireError } from './bulk.ts';

type Change = { readonly 'user-tag': string; readonly action: string; readonly access: string };

/**
 * Grants and revokes access. `check` refuses a change to a caller who may not make it; `change` makes it, in the
 * controller's space. Both are one transaction: a user who has just lost access cannot regain it.
 */
export async function changeAccess<C extends Change>(
  call: Call,
  changes: readonly C[],
  {
    check = () => undefined,
    change,
  }: {
    readonly check?: (change: C, tx: Tx) => void;
    readonly change: (tx: Tx, access: AccessChange, change: C) => void;
  },
): Promise<{ results: { error?: WireError }[] }> {
  const results = await bulk(call, changes, async (one) => {
    const { action, access } = one;
    await call.store.change((tx) => {
      check(one, tx);
      change(tx.in(''), { user: parseUserTag(one['user-tag']), action, access }, one);
    }, call.by);
    return {};
  });
  return { results };
}
