import { cut, limits } from '../../../core/limits.ts';
import { isCharmImpeded } from '../../../core/impediments.ts';
import type { Begun } from '../../../core/model-file/document.ts';
import { defined } from '../../../core/defined.ts';
import { removeCharmIfUnused } from '../end/remove-charm.ts';
import { aliveModel, type Tx } from '../tx.ts';

/**
 * Notes that an apply of the file, or what has a record of its own (document.ts), begins. Those of `charms` stay that
 * applications have, or that stayed for an apply before. Errors: '' (dying model).
 */
export function beginApply(
  tx: Tx,
  { name, charms = [], ...begun }: { readonly name: string } & Omit<Begun, 'at'>,
): void {
  aliveModel(tx);
  forgetOldest(tx, name);
  const former = tx.get('model-file', name)?.begun.charms;
  // A charm that was uploaded for later stays by itself.
  const stay = [...new Set(charms)].filter((url) => isCharmImpeded(tx, url));
  tx.put('model-file', name, {
    name,
    begun: { ...begun, at: tx.now, ...defined({ charms: stay.length > 0 ? stay : undefined }) },
  });
  removeUnused(tx, former);
}

/** Notes the end of an apply. `failure`: why it stopped; '' = it has done all. A long reason is cut. */
export function endApply(
  tx: Tx,
  { name, failure }: { readonly name: string; readonly failure: string },
): void {
  const file = tx.get('model-file', name);
  if (!file) return;
  const ended = { at: tx.now, failure: cut(limits.applyFailure, failure) };
  const { charms, ...begun } = file.begun;
  tx.put('model-file', name, { ...file, begun: failure === '' ? begun : file.begun, ended });
  removeUnused(tx, charms);
}

function removeUnused(tx: Tx, charms: readonly string[] = []): void {
  for (const url of charms) removeCharmIfUnused(tx, url);
}

/** Makes room for the file: what was applied stays its own without this record. */
function forgetOldest(tx: Tx, name: string): void {
  if (tx.get('model-file', name) || tx.count('model-file') < limits.modelFiles.max) return;
  const [oldest] = [...tx.list('model-file')].sort((a, b) => (a.begun.at < b.begun.at ? -1 : 1));
  tx.remove('model-file', oldest!.name);
  removeUnused(tx, oldest!.begun.charms);
}
