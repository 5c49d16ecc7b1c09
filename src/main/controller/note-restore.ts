import { readFile, rm } from 'node:fs/promises';
import { z } from 'zod';
import type { Entities } from '../../core/kinds.ts';
import { resumeRestores } from '../../controller/backups/settle-restore.ts';
import { isAbsent, parseJson } from '../../providers/toolkit/json-file.ts';
import type { Store } from '../../store/store.ts';

const note = z.object({
  id: z.string(),
  backup: z.string(),
  at: z.string(),
  /** Number of states of this directory that restores set aside, the last one among them; notes of older builds have none. */
  earlier: z.number().optional(),
});

/**
 * Records in the store what the restore's note says (backups.md#after-a-restore), before any worker or agent sees it.
 * The note goes afterwards: a start that is killed in between finds it again. Errors: a damaged note.
 */
export async function noteRestore(store: Store<Entities>, path: string): Promise<void> {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    if (!isAbsent(error)) throw error;
  });
  if (text === undefined) return resumeRestores(store);
  const { earlier, ...restore } = note.parse(parseJson(path, text));
  await resumeRestores(store, restore, earlier);
  await rm(path);
}
