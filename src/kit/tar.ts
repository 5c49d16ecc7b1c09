/** Tar files of folders and regular files, in pieces. All belongs to the user 0. */
import { once } from 'node:events';
import { closeSync, fstatSync, openSync, read, readSync } from 'node:fs';
import { finished } from 'node:stream/promises';
import { promisify } from 'node:util';
import { extract, pack, type Extract, type Pack } from 'tar-stream';

export interface TarSource {
  /** Name in the tar file. */
  readonly name: string;
  /** Path of a regular file, or of a folder, of which the content is not meant. */
  readonly path: string;
}

const readOn = promisify(read);

/** Files up to this size are read at once: the hand-over to one of Node's threads takes longer than the reading. */
const smallBytes = 64 * 1024;
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
    const fd = openSync(path, 'r');
    try {
      const stats = fstatSync(fd);
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
      for await (const piece of contentOf(fd, path, stats.size, pieceBytes))
        if (!entry.write(piece)) await Promise.race([done, once(entry, 'drain')]);
      entry.end(null);
      await done;
    } finally {
      closeSync(fd);
    }
  }
}

/** The first `size` bytes of a file. */
async function* contentOf(
  fd: number,
  path: string,
  size: number,
  pieceBytes: number,
): AsyncGenerator<Buffer, void, undefined> {
  for (let left = size; left > 0;) {
    const piece = Buffer.allocUnsafeSlow(Math.min(left, pieceBytes));
    const bytesRead =
      size <= smallBytes
        ? readSync(fd, piece, 0, piece.length, null)
        : (await readOn(fd, piece, 0, piece.length, null)).bytesRead;
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
