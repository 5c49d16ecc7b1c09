import { cut, limits } from '../../../core/limits.ts';
import { isModelName } from '../../../core/names.ts';
import { JujuError } from '../../../core/errors.ts';
import type { Begun } from '../../../core/model-file/document.ts';
import { aliveModel, type Tx } from '../tx.ts';

/** Notes that an apply of the file, or a revert (revertRecord), begins. Errors: `not valid` (name), '' (dying model). */
export function beginApply(tx: Tx, { name, ...begun }: { readonly name: string } & Omit<Begun, 'at'>): void {
  aliveModel(tx);
  if (begun.revertTo === undefined && !isModelName(name))
    throw new JujuError('not valid', `"${name}" is not a valid name of a model file`);
  forgetOldest(tx, name);
  tx.put('model-file', name, { name, begun: { ...begun, at: tx.now } });
}

/** Notes the end of an apply. `failure`: why it stopped; '' = it has done all. A long reason is cut. */
export function endApply(
  tx: Tx,
  { name, failure }: { readonly name: string; readonly failure: string },
): void {
  const file = tx.get('model-file', name);
  if (file)
    tx.put('model-file', name, {
      ...file,
      ended: { at: tx.now, failure: cut(limits.applyFailure, failure) },
    });
}

/** Makes room for the file: what was applied stays its own without this record. */
function forgetOldest(tx: Tx, name: string): void {
  if (tx.get('model-file', name) || tx.count('model-file') < limits.modelFiles.max) return;
  const [oldest] = [...tx.list('model-file')].sort((a, b) => (a.begun.at < b.begun.at ? -1 : 1));
  tx.remove('model-file', oldest!.name);
}
