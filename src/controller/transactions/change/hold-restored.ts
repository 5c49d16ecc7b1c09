/** Models of a store that was restored wait for an operator, and give no number again (backups.md#after-a-restore). */
import type { RestoreNote } from '../../../core/model/restored.ts';
import { firstNumbers } from '../../../core/sequence/document.ts';
import { mustGet, nextNumber, type Tx } from '../tx.ts';

/** Lets the model wait. `root`: the controller's space. */
export function holdRestored(root: Tx, uuid: string, { skipped, ...restore }: RestoreNote): void {
  skipNumbers(root.in(uuid), skipped);
  // Tasks that are there may have run since the backup.
  const firstTask = nextNumber(root.in(uuid), 'task');
  const model = mustGet(root, 'model', uuid);
  root.put('model', uuid, { ...model, restored: { ...restore, state: 'held', firstTask } });
}

/** Lets each sequence of the space go on later by `count`. */
export function skipNumbers(tx: Tx, count: number): void {
  // What is counted from now on may have been counted after the backup, storage too, whose volumes are looked for then.
  const names = new Set([firstNumbers, 'storage', ...[...tx.list('sequence')].map(({ name }) => name)]);
  for (const [name, next] of [...names].map((name) => [name, nextNumber(tx, name)] as const))
    tx.put('sequence', name, { name, next: next + count });
}
