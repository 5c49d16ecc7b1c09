/** Tar files of folders and regular files, in pieces. All belongs to the user 0. */
import { once } from 'node:events';
import { open, type FileHandle } from 'node:fs/promises';
import { finished } from 'node:stream/promises';
import { extract, pack, type Extract, type Pack } from 'tar-stream';

export interface TarSource {
  /** Name in the tar file. */
  readonly name: string;
  /** Path of a regular file, or of a folder, of which the content is not meant. */
  readonly path: string;
}

/** The last second that the package writes, of 2038. */
const lastSecond = 2 ** 31 - 1;

/**
 * Writes a tar file, with so much of each file as it has when its turn comes, read in pieces of up to `pieceBytes`.
 * Errors: those of the operating system; plain Error for a file that becomes shorter meanwhile.
 */
export function tarOf(sources: Iterable<TarSource>, pieceBytes: number): AsyncIterable<Buffer> {
  const tar = pack({ highWaterMark: pieceBytes });
  fill(tar, sources, pieceBytes).then(
    () => tar.finalize(),
    (error: Error) => tar.destroy(error),
  );
  return tar as AsyncIterable<Buffer>;
}

async function fill(tar: Pack, sources: Iterable<TarSource>, pieceBytes: number): Promise<void> {
  for (const { name, path } of sources) {
    await using handle = await open(path);
    const stats = await handle.stat();
    const mtime = new Date(1000 * Math.min(Math.floor(stats.mtimeMs / 1000), lastSecond));
    const known = { name, mode: stats.mode & 0o777, mtime };
    if (stats.isDirectory()) {
      tar.entry({ ...known, type: 'directory' });
      continue;
    }
    const entry = tar.entry({ ...known, type: 'file', size: stats.size });
    const done = finished(entry);
    // It may fail while nobody waits for it yet.
    done.catch(() => undefined);
    for await (const piece of contentOf(handle, path, stats.size, pieceBytes))
      if (!entry.write(piece)) await Promise.race([done, once(entry, 'drain')]);
    entry.end(null);
    await done;
  }
}

/** The first `size` bytes of a file. */
async function* contentOf(
  handle: FileHandle,
  path: string,
  size: number,
  pieceBytes: number,
): AsyncGenerator<Buffer, void, undefined> {
  for (let left = size; left > 0;) {
    const piece = Buffer.allocUnsafeSlow(Math.min(left, pieceBytes));
    const { bytesRead } = await handle.read(piece);
    if (bytesRead === 0) throw new Error(`${path} has become shorter`);
    left -= bytesRead;
    yield piece.subarray(0, bytesRead);
  }
}

/**
 * Reads a tar file, and tells the names of its entries to `onEntry`, each after its content. Errors: plain Error for
 * what is no tar file, or ends within an entry; an end between two is none.
 */
export function readTar(onEntry: (name: string) => void): Extract {
  return extract().on('entry', ({ name }, content, next) => {
    const passed = (): void => {
      onEntry(name);
      next();
    };
    content.on('end', passed).on('error', next).resume();
  });
}
