import { createWriteStream } from 'node:fs';
import { rm, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { notValid, JujuError } from '../../core/errors.ts';
import { limits } from '../../core/limits.ts';
import { openArchive, type Archive, type ArchiveEntry } from '../../kit/archive.ts';
import { makeFolder } from '../../kit/make-folder.ts';

/**
 * Unpacks a charm archive into `dir`, which is created anew. Returns the paths of its files and symlinks, sorted.
 * Nothing is written outside: names that lead out, and symlinks that point out, are refused; symlinks are created
 * last, so that no file goes through one. Files directly below hooks/ become executable, whatever the archive says.
 * Errors: JujuError `not valid`.
 */
export async function unpackCharm(file: string, dir: string): Promise<string[]> {
  await rm(dir, { recursive: true, force: true });
  await makeFolder(dir);
  const archive = await asNotValid(openArchive(file));
  try {
    return await unpackEntries(archive, dir);
  } finally {
    archive.close();
  }
}

async function unpackEntries(archive: Archive, dir: string): Promise<string[]> {
  const links: ArchiveEntry[] = [];
  const paths: string[] = [];
  for (const entry of archive.entries.values()) {
    if (entry.kind === 'directory') {
      await makeFolder(join(dir, entry.path));
      continue;
    }
    paths.push(entry.path);
    if (entry.kind === 'symlink') links.push(entry);
    else await writeFile(archive, entry, join(dir, entry.path));
  }
  for (const entry of links) {
    const target = await asNotValid(archive.read(entry, limits.archiveLink.max));
    await makeFolder(dirname(join(dir, entry.path)));
    await symlink(target.toString(), join(dir, entry.path));
  }
  return paths.sort();
}

async function writeFile(archive: Archive, entry: ArchiveEntry, path: string): Promise<void> {
  await makeFolder(dirname(path));
  // Special bits such as setuid are dropped; files are readable and writable for their owner whatever the archive
  // says.
  const stated = entry.mode === 0 ? 0o644 : entry.mode | 0o600;
  const mode = isHook(entry.path) ? stated | 0o100 : stated;
  const stream = await asNotValid(archive.stream(entry));
  await pipeline(stream, createWriteStream(path, { flags: 'wx', mode })).catch(
    (cause: NodeJS.ErrnoException) => {
      // Errors without a system call are about the archive.
      throw cause.syscall === undefined ? notValid(`cannot read archive: ${cause.message}`, cause) : cause;
    },
  );
}

/**
 * Whether the path is a hook, which must be executable: zips made on other systems have no modes, and Juju runs hooks
 * from them.
 */
function isHook(path: string): boolean {
  return /^hooks\/[^/]+$/.test(path);
}

async function asNotValid<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw error instanceof JujuError ? notValid(error.message, error) : error;
  }
}
