import { access, readdir, readFile, rename, rm, rmdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { UnitPaths } from '../paths.ts';
import { unpackCharm } from './unpack.ts';
import { makeFolder } from '../../kit/make-folder.ts';

export interface CharmArchive {
  /** Charm URL: `local:mysql-3`. */
  readonly url: string;
  readonly name: string;
  /** SHA-256 of the archive, in hex. */
  readonly sha256: string;
}

/** Fetches the archive into `file`, which appears complete or not at all. */
export type FetchCharm = (charm: CharmArchive, file: string, signal: AbortSignal) => Promise<void>;

/** List of the files that the charm in the folder came with. */
interface Manifest {
  readonly url: string;
  readonly files: readonly string[];
}

/**
 * Makes the charm folder hold this charm: files of the previous charm that this charm lacks are removed, files that the
 * charm created stay (unit-agent.md#charm-folder). Must be repeated after a crash at any point. Errors: JujuError `not
 * valid` for a file that is not an archive; those of the fetch.
 */
export async function deployCharm(
  paths: UnitPaths,
  charm: CharmArchive,
  fetch: FetchCharm,
  signal: AbortSignal,
): Promise<void> {
  const archive = join(paths.bundlesDir, `${charm.sha256}.charm`);
  const staging = join(paths.stateDir, 'charm-staging');
  const manifestFile = join(paths.stateDir, 'manifest.json');
  await makeFolder(paths.bundlesDir);
  if (!(await exists(archive))) await fetch(charm, archive, signal);
  signal.throwIfAborted();

  const files = await unpackCharm(archive, staging);
  const before = await readManifest(manifestFile);
  // The manifest lists files of both charms, so that a crash in between leaves no unlisted file.
  await writeManifest(manifestFile, { url: charm.url, files: [...new Set([...before.files, ...files])] });
  if (!files.includes('revision')) {
    // The file `revision` is read by charm libraries, and Juju's own archives always have one
    // (unit-agent.md#revision-file).
    await writeFile(join(staging, 'revision'), `${revisionOf(charm.url)}\n`);
    files.push('revision');
  }
  await makeFolder(paths.charmDir);
  const keptFiles = new Set(files);
  // Old files go first, as one may have become a folder.
  for (const file of before.files) if (!keptFiles.has(file)) await removeFile(paths.charmDir, file);
  for (const file of files) await put(join(staging, file), join(paths.charmDir, file));
  await writeManifest(manifestFile, { url: charm.url, files });
  await rm(staging, { recursive: true, force: true });
  await removeOthers(paths.bundlesDir, archive);
}

/** Removes archives of charms that the unit ran before, and what a broken download left. */
async function removeOthers(dir: string, kept: string): Promise<void> {
  for (const name of await readdir(dir))
    if (join(dir, name) !== kept) await rm(join(dir, name), { recursive: true, force: true });
}

async function put(from: string, to: string): Promise<void> {
  await makeFolder(dirname(to));
  try {
    await rename(from, to);
  } catch (error) {
    if (!['EISDIR', 'ENOTEMPTY', 'EEXIST'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
    // A file replaces a folder of the same name.
    await rm(to, { recursive: true, force: true });
    await rename(from, to);
  }
}

/** Removes the file and the folders that it leaves empty. */
async function removeFile(charmDir: string, file: string): Promise<void> {
  await rm(join(charmDir, file), { force: true });
  for (let dir = dirname(file); dir !== '.'; dir = dirname(dir)) {
    try {
      await rmdir(join(charmDir, dir));
    } catch {
      // Removal failed: the folder is not empty, nor are those above it.
      return;
    }
  }
}

async function readManifest(file: string): Promise<Manifest> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as Manifest;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { url: '', files: [] };
    throw error;
  }
}

async function writeManifest(file: string, manifest: Manifest): Promise<void> {
  await writeFile(`${file}.new`, JSON.stringify(manifest));
  await rename(`${file}.new`, file);
}

async function exists(file: string): Promise<boolean> {
  return await access(file).then(
    () => true,
    () => false,
  );
}

/** Returns the revision of a charm URL: `local:mysql-3` → 3. */
function revisionOf(url: string): number {
  return Number(/-(\d+)$/.exec(url)?.[1] ?? 0);
}
