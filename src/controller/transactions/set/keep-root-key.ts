import { chooseRootKey, isExpired, rootKeyEnd } from '../../../core/root-key/choose.ts';
import type { RootKeyDoc } from '../../../core/root-key/document.ts';
import type { Tx } from '../tx.ts';

/**
 * Returns the root key for macaroons of this validity: an existing one, or a new one of the given id and key. Expired
 * keys are removed.
 */
export function keepRootKey(
  tx: Tx,
  { id, sealedKey, validMs }: { readonly id: string; readonly sealedKey: string; readonly validMs: number },
): RootKeyDoc {
  const root = tx.in('');
  const now = Date.parse(tx.now);
  const keys = [...root.list('root-key')];
  const chosen = chooseRootKey(keys, { now, validMs });
  if (chosen) return chosen;
  for (const key of keys) if (isExpired(key, now)) root.remove('root-key', key.id);
  const expiresAt = new Date(rootKeyEnd({ now, validMs })).toISOString();
  const key = { id, sealedKey, createdAt: tx.now, expiresAt };
  root.put('root-key', id, key);
  return key;
}
