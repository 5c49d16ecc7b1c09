import { createWriteStream } from 'node:fs';
import { mkdir, rm, symlink } from 'node:fs/promises';
import { dirname, join, posix } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { openPromise, type Entry, type ZipFile } from 'yauzl';
import { linkLeadsOut } from '../../core/charm/link-leads-out.ts';
import { JujuError, notValid } from '../../core/errors.ts';

const fileKind = 0o170000;
const symlinkKind = 0o120000;
/** A charm is files and a few libraries: more is an accident or an attack. */
const entriesMax = 200_000;
const bytesMax = 4 * 1024 ** 3;
const symlinkTargetMax = 4096;

/**
 * Unpacks a charm archive into `dir`, which is made anew. Returns the paths of its files and symlinks, sorted.
 * Nothing is written outside: names that lead out, and symlinks that point out, are refused; symlinks are made last,
 * so that no file goes through one. Errors: JujuError `not valid`.
 */
export async function unpackCharm(archive: string, dir: string): Promise<string[]> {
  await rm(dir, { recursive: true, force: true });
  await mkdir(dir, { recursive: true });
  let zip: ZipFile;
  try {
    zip = await openPromise(archive, { validateEntrySizes: true, strictFileNames: true });
  } catch (cause) {
    throw notValid(`cannot read archive: ${(cause as Error).message}`, cause);
  }
  try {
    return await unpackEntries(zip, dir);
  } catch (error) {
    if (error instanceof JujuError || (error as NodeJS.ErrnoException).code !== undefined) throw error;
    // yauzl's plain errors are all about the archive.
    throw notValid(`cannot read archive: ${(error as Error).message}`, error);
  } finally {
    zip.close();
  }
}

async function unpackEntries(zip: ZipFile, dir: string): Promise<string[]> {
  if (zip.entryCount > entriesMax) throw notValid(`archive has more than ${entriesMax} entries`);
  const paths = new Set<string>();
  const links = new Map<string, string>();
  let bytes = 0;
  for await (const entry of zip.eachEntry()) {
    const path = safePath(entry.fileName);
    bytes += entry.uncompressedSize;
    if (bytes > bytesMax) throw notValid(`archive holds more than ${bytesMax} bytes`);
    if (entry.fileName.endsWith('/')) {
      await mkdir(join(dir, path), { recursive: true });
      continue;
    }
    if (paths.has(path)) throw notValid(`archive holds "${path}" twice`);
    paths.add(path);
    const mode = entry.externalFileAttributes >>> 16;
    if ((mode & fileKind) === symlinkKind) links.set(path, await readTarget(zip, entry, path));
    else await writeFile(zip, entry, join(dir, path), mode);
  }
  for (const [path, target] of links) {
    refuseDetour(path, links);
    await mkdir(dirname(join(dir, path)), { recursive: true });
    await symlink(target, join(dir, path)).catch((cause: Error) => {
      throw notValid(`archive holds "${path}" twice`, cause);
    });
  }
  return [...paths].sort();
}

async function writeFile(zip: ZipFile, entry: Entry, path: string, mode: number): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  // Without setuid and its like; readable and writable for its owner whatever the archive says.
  const permissions = mode === 0 ? 0o644 : (mode & 0o777) | 0o600;
  await pipeline(
    await zip.openReadStreamPromise(entry),
    createWriteStream(path, { flags: 'wx', mode: permissions }),
  );
}

async function readTarget(zip: ZipFile, entry: Entry, path: string): Promise<string> {
  if (entry.uncompressedSize > symlinkTargetMax) throw notValid(`symlink "${path}" is too long`);
  const chunks: Buffer[] = [];
  for await (const chunk of (await zip.openReadStreamPromise(entry)) as AsyncIterable<Buffer>)
    chunks.push(chunk);
  const target = Buffer.concat(chunks).toString();
  if (linkLeadsOut(path, target)) throw notValid(`symlink "${path}" points out of the charm: "${target}"`);
  return target;
}

/** A path below another symlink would make that one's target the place where it really is. */
function refuseDetour(path: string, links: ReadonlyMap<string, string>): void {
  for (let parent = posix.dirname(path); parent !== '.'; parent = posix.dirname(parent)) {
    if (links.has(parent)) throw notValid(`archive holds "${path}" below the symlink "${parent}"`);
  }
}

function safePath(name: string): string {
  const path = posix.normalize(name).replace(/\/$/, '');
  if (posix.isAbsolute(name) || name.includes('\0') || path === '..' || path.startsWith('../'))
    throw notValid(`archive holds "${name}"`);
  return path;
}
