import { settingsId } from '../../../core/settings/document.ts';
import type { Tx } from '../tx.ts';

/** Sets keys of a databag; '' deletes a key. The databag's version grows when a value changed. */
export function setDatabag(
  tx: Tx,
  relation: string,
  owner: string,
  changes: Readonly<Record<string, string>>,
): void {
  const id = settingsId({ relation, owner });
  const old = tx.get('settings', id);
  const values: Record<string, string> = { ...old?.values };
  let changed = false;
  for (const [key, value] of Object.entries(changes)) {
    if ((values[key] ?? '') === value) continue;
    changed = true;
    if (value === '') delete values[key];
    else values[key] = value;
  }
  if (changed) tx.put('settings', id, { relation, owner, values, version: (old?.version ?? 0) + 1 });
}
