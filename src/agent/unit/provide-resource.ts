import { createHash, type Hash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readdir, readFile, rename, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { ResourceChanged } from '../../client/resources.ts';
import { JujuError } from '../../core/errors.ts';
import type { Clock } from '../../kit/clock.ts';
import type { Locks } from '../../kit/locks.ts';
import { backoffMs, type Backoff } from '../../kit/retry.ts';
import { abortable } from '../abortable.ts';
import type { UnitPaths } from '../paths.ts';
import { makeFolder } from '../../kit/make-folder.ts';

/** A resource that the controller has for a unit. */
export interface UnitResource {
  readonly name: string;
  /** Name of the file. */
  readonly path: string;
  /** SHA-384 of the content, in hex. */
  readonly fingerprint: string;
  readonly size: number;
}

/** Appends the missing part to the file, which has the first `from` bytes, and reports each piece. */
export type FetchResource = (
  resource: UnitResource & { readonly unit: string },
  part: { readonly file: string; readonly from: number; readonly onPiece: (piece: Buffer) => void },
  signal: AbortSignal,
) => Promise<void>;

/** Pauses after a download that broke without a single byte, and the number of such tries in a row. */
const retry: Backoff = { firstMs: 500, maxMs: 10_000, factor: 2, jitter: 0.5 };
const triesMax = 8;

/**
 * Makes the unit's folder have this content of the resource, and returns the file's path. A file that is there and
 * unchanged is kept; a download that broke goes on where it was, also after a restart. The file appears when it is
 * complete and has the fingerprint (resources.md#on-machines).
 * Errors: `not valid` when the file does not have the fingerprint; the fetch's, which are ResourceChanged when the
 * controller has another content by then.
 */
export async function provideResource(
  provision: Provision,
  resource: UnitResource,
  signal: AbortSignal,
): Promise<string> {
  signal.throwIfAborted();
  // Hooks, and actions beside them, may ask for the same resource; they would write into one file.
  const provided = provision.locks(basename(resource.name), () => {
    signal.throwIfAborted();
    return provide(provision, resource, signal);
  });
  return abortable(provided, signal);
}

async function provide(
  { paths, unit, fetch, clock, random }: Provision,
  resource: UnitResource,
  signal: AbortSignal,
): Promise<string> {
  const file = join(paths.resourcesDir, basename(resource.name), basename(resource.path));
  const state = join(paths.stateDir, 'resources');
  const stamp = join(state, `${basename(resource.name)}.json`);
  if (await isProvided(file, stamp, resource)) return file;
  await makeFolder(state, 0o700);
  const part = join(state, `${basename(resource.name)}.${resource.fingerprint.slice(0, 16)}.part`);
  await removeOtherParts(state, part, resource.name);
  let hash = await resume(part, resource.size);
  for (let failures = 0; (await sizeOf(part)) < resource.size;) {
    const from = await sizeOf(part);
    const current = hash;
    const onPiece = (piece: Buffer): void => void current.update(piece);
    try {
      await fetch({ ...resource, unit }, { file: part, from, onPiece }, signal);
    } catch (error) {
      signal.throwIfAborted();
      // Refused downloads are not tried again.
      if (error instanceof ResourceChanged || (error instanceof JujuError && error.code !== 'try again'))
        throw error;
      // Reported pieces may be missing in the file.
      hash = await resume(part, resource.size);
      failures = (await sizeOf(part)) > from ? 0 : failures + 1;
      if (failures >= triesMax) throw error;
      await clock.sleep(backoffMs(retry, failures, random), signal);
    }
  }
  const actual = hash.digest('hex');
  if (actual !== resource.fingerprint || (await sizeOf(part)) !== resource.size) {
    await rm(part, { force: true });
    throw new JujuError(
      'not valid',
      `resource "${resource.name}" has SHA-384 ${actual}, expected ${resource.fingerprint}`,
    );
  }
  await makeFolder(dirname(file));
  await rename(part, file);
  await writeStamp(file, stamp, resource.fingerprint);
  return file;
}

interface Provision {
  readonly paths: Pick<UnitPaths, 'resourcesDir' | 'stateDir'>;
  readonly unit: string;
  readonly fetch: FetchResource;
  readonly clock: Pick<Clock, 'sleep'>;
  readonly random: () => number;
  /** Locks of the unit, by resource. */
  readonly locks: Locks;
}

/** State of the file when it was last compared with its fingerprint, which takes seconds for a large one. */
interface Stamp {
  readonly fingerprint: string;
  readonly size: number;
  readonly changedMs: number;
  readonly inode: number;
}

async function isProvided(
  file: string,
  stamp: string,
  { fingerprint, size }: UnitResource,
): Promise<boolean> {
  const now = await stat(file).catch(() => undefined);
  if (!now?.isFile() || now.size !== size) return false;
  const known = await readStamp(stamp);
  if (known?.size === size && known.changedMs === now.ctimeMs && known.inode === now.ino)
    return known.fingerprint === fingerprint;
  const hash = createHash('sha384');
  await pipeline(createReadStream(file), hash);
  if (hash.digest('hex') !== fingerprint) return false;
  await makeFolder(dirname(stamp), 0o700);
  await writeStamp(file, stamp, fingerprint);
  return true;
}

async function readStamp(stamp: string): Promise<Stamp | undefined> {
  try {
    return JSON.parse(await readFile(stamp, 'utf8')) as Stamp;
  } catch {
    // The file is read again when its stamp is missing or incomplete.
    return undefined;
  }
}

async function writeStamp(file: string, stamp: string, fingerprint: string): Promise<void> {
  const { size, ctimeMs, ino } = await stat(file);
  const value: Stamp = { fingerprint, size, changedMs: ctimeMs, inode: ino };
  await writeFile(`${stamp}.new`, JSON.stringify(value));
  await rename(`${stamp}.new`, stamp);
}

/** Begins the hash with what an earlier download left. */
async function resume(part: string, size: number): Promise<Hash> {
  const hash = createHash('sha384');
  const had = await sizeOf(part);
  if (had > size) await truncate(part, 0);
  else if (had > 0) for await (const piece of createReadStream(part)) hash.update(piece as Buffer);
  else await writeFile(part, '', { mode: 0o600 });
  return hash;
}

async function removeOtherParts(state: string, part: string, name: string): Promise<void> {
  for (const other of await readdir(state)) {
    const isOld = other.startsWith(`${basename(name)}.`) && /\.[0-9a-f]{16}\.part$/.test(other);
    if (isOld && other.length === basename(part).length && other !== basename(part))
      await rm(join(state, other), { force: true });
  }
}

async function sizeOf(file: string): Promise<number> {
  return (await stat(file).catch(() => undefined))?.size ?? 0;
}
