import { access, mkdir, readFile, rename, rm, rmdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { UnitPaths } from '../paths.ts';
import { unpackCharm } from './unpack.ts';

export interface CharmArchive {
  /** `local:mysql-3` */
  readonly url: string;
  readonly name: string;
  /** Hex. */
  readonly sha256: string;
}

/** Fetches the archive into `file`; it appears there whole or not at all. */
export type FetchCharm = (charm: CharmArchive, file: string, signal: AbortSignal) => Promise<void>;

/** What the charm in the folder brought along. */
interface Manifest {
  readonly url: string;
  readonly files: readonly string[];
}

/**
 * Makes the charm folder hold this charm: files of the one before that this one lacks go, what the charm made itself
 * stays (unit-agent.md#charm-folder). May be repeated, and has to be after a crash at any point.
 * Errors: JujuError `not valid` for an archive that is none; the fetch's.
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
  await mkdir(paths.bundlesDir, { recursive: true });
  if (!(await exists(archive))) await fetch(charm, archive, signal);
  signal.throwIfAborted();

  const files = await unpackCharm(archive, staging);
  const before = await readManifest(manifestFile);
  // Both, so that a crash between leaves no file that nobody answers for.
  await writeManifest(manifestFile, { url: charm.url, files: [...new Set([...before.files, ...files])] });
  if (!files.includes('revision')) {
    // Charms' libraries open it, and Juju's own archives always have one (unit-agent.md#revision-file).
    await writeFile(join(staging, 'revision'), `${revisionOf(charm.url)}\n`);
    files.push('revision');
  }
  await mkdir(paths.charmDir, { recursive: true });
  const kept = new Set(files);
  // First: what was a file may be a folder now.
  for (const file of before.files) if (!kept.has(file)) await removeFile(paths.charmDir, file);
  for (const file of files) await put(join(staging, file), join(paths.charmDir, file));
  await writeManifest(manifestFile, { url: charm.url, files });
  await rm(staging, { recursive: true, force: true });
}

async function put(from: string, to: string): Promise<void> {
  await mkdir(dirname(to), { recursive: true });
  try {
    await rename(from, to);
  } catch (error) {
    if (!['EISDIR', 'ENOTEMPTY', 'EEXIST'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
    // A file takes the place of the folder that was there.
    await rm(to, { recursive: true, force: true });
    await rename(from, to);
  }
}

/** And the folders that it leaves empty. */
async function removeFile(charmDir: string, file: string): Promise<void> {
  await rm(join(charmDir, file), { force: true });
  for (let dir = dirname(file); dir !== '.'; dir = dirname(dir)) {
    try {
      await rmdir(join(charmDir, dir));
    } catch {
      // Not empty: something else lives there, and so do all above.
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

/** `local:mysql-3` → 3 */
function revisionOf(url: string): number {
  return Number(/-(\d+)$/.exec(url)?.[1] ?? 0);
}
