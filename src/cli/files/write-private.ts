import { dirname } from 'node:path';
import { writeWhole } from '../../providers/toolkit/json-file.ts';
import { makeFolder } from '../../kit/make-folder.ts';

/**
 * Replaces the file atomically, even when a crash follows: readers see either the old or the new file. Only its owner
 * can read it.
 */
export async function writePrivate(path: string, content: string): Promise<void> {
  await makeFolder(dirname(path), 0o700);
  await writeWhole(path, content);
}
