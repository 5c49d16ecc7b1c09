import { createWriteStream } from 'node:fs';
import { posix } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { ZipFile } from 'yazl';
import { openArchive, type ArchiveLimits } from '../../kit/archive.ts';

/** Writes the part of an archive below `folder` to a new archive, where it is the root. Links stay links. */
export async function repack(
  { from, folder, to }: { from: string; folder: string; to: string },
  limits?: ArchiveLimits,
): Promise<void> {
  const archive = await openArchive(from, limits);
  try {
    const zip = new ZipFile();
    const broken = new AbortController();
    zip.on('error', (error) => broken.abort(error));
    for (const entry of archive.entries.values()) {
      if (!entry.path.startsWith(`${folder}/`)) continue;
      const path = posix.relative(folder, entry.path);
      // The options are fixed, so that the same archive gives the same bytes.
      const options = {
        mtime: new Date(315_619_200_000),
        mode: modes[entry.kind] | (entry.mode || defaults[entry.kind]),
      };
      if (entry.kind === 'directory') zip.addEmptyDirectory(path, options);
      // Each entry is opened when its turn comes, and none is held in memory.
      else
        zip.addReadStreamLazy(path, options, (give) => {
          archive.stream(entry).then(
            (stream) => give(null, stream),
            (error: unknown) => broken.abort(error),
          );
        });
    }
    zip.end();
    try {
      await pipeline(zip.outputStream, createWriteStream(to, { mode: 0o600 }), { signal: broken.signal });
    } catch (error) {
      throw broken.signal.aborted ? broken.signal.reason : error;
    }
  } finally {
    archive.close();
  }
}

const modes = { file: 0o100000, directory: 0o040000, symlink: 0o120000 } as const;
const defaults = { file: 0o644, directory: 0o755, symlink: 0o777 } as const;
