import { createWriteStream } from 'node:fs';
import { posix } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { ZipFile } from 'yazl';
import { openArchive, type ArchiveLimits } from './archive.ts';

/** Writes the part of an archive below `folder` to a new one, where it is the root. Links stay links. */
export async function repack(
  { from, folder, to }: { from: string; folder: string; to: string },
  limits?: ArchiveLimits,
): Promise<void> {
  const archive = await openArchive(from, limits);
  try {
    const zip = new ZipFile();
    const written = pipeline(zip.outputStream, createWriteStream(to, { mode: 0o600 }));
    // Its failure is seen below, when all that goes into it is known.
    written.catch(() => undefined);
    for (const entry of archive.entries.values()) {
      if (!entry.path.startsWith(`${folder}/`)) continue;
      const path = posix.relative(folder, entry.path);
      // The same archive gives the same bytes.
      const options = {
        mtime: new Date(315_619_200_000),
        mode: modes[entry.kind] | (entry.mode || defaults[entry.kind]),
      };
      if (entry.kind === 'directory') zip.addEmptyDirectory(path, options);
      else zip.addBuffer(await archive.read(entry, Infinity), path, options);
    }
    zip.end();
    await written;
  } finally {
    archive.close();
  }
}

const modes = { file: 0o100000, directory: 0o040000, symlink: 0o120000 } as const;
const defaults = { file: 0o644, directory: 0o755, symlink: 0o777 } as const;
