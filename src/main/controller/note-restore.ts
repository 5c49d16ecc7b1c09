import { readFile, rm } from 'node:fs/promises';
import { z } from 'zod';
import type { Entities } from '../../core/kinds.ts';
import { settleRestore } from '../../controller/backups/settle-restore.ts';
import { beginRestore } from '../../controller/transactions/change/restore.ts';
import { isAbsent, parseJson } from '../../providers/toolkit/json-file.ts';
import type { Store } from '../../store/store.ts';

const note = z.object({ id: z.string(), backup: z.string(), at: z.string() });

/**
 * Records in the store that it was restored (backups.md#after-a-restore), before any worker or agent sees it. The note
 * that the restore left goes afterwards: a start that is killed in between finds it again. An acceptance that was under
 * way when the controller ended is carried out. Errors: a damaged note.
 */
export async function noteRestore(store: Store<Entities>, path: string): Promise<void> {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    if (!isAbsent(error)) throw error;
  });
  if (text !== undefined) {
    const restore = note.parse(parseJson(path, text));
    await store.change((tx) => beginRestore(tx, restore), 'restore-backup');
    await rm(path);
  }
  for (const { uuid } of store.read().in('').list('model'))
    await settleRestore(store, uuid, 'restore-backup');
}
