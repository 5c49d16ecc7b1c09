/** Opens a zip from an untrusted sender, without trusting anything it declares. */
import { posix } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { open, type Entry, type ZipFile } from 'yauzl';
import { JujuError } from '../core/errors.ts';
import { checkLimit, limits as table } from '../core/limits.ts';
import { linkLeadsOut } from './link-leads-out.ts';
import { errorText } from './system-error.ts';

export interface ArchiveLimits {
  readonly entries: number;
  /** Maximum size of all files together, unpacked. */
  readonly unpackedBytes: number;
}

export const defaultArchiveLimits: ArchiveLimits = {
  entries: table.archiveEntries.max,
  unpackedBytes: table.archiveUnpacked.max,
};

type EntryKind = 'file' | 'directory' | 'symlink';

export interface ArchiveEntry {
  /** The entry's path: relative, with `/` as separator and none at its end. */
  readonly path: string;
  readonly kind: EntryKind;
  /** Size in bytes, unpacked. */
  readonly size: number;
  /** Permission bits; 0 when the archive has none. */
  readonly mode: number;
  readonly raw: Entry;
}

/** Entries by path, in the archive's order. */
export class Archive {
  readonly entries: ReadonlyMap<string, ArchiveEntry>;
  readonly #zip: ZipFile;

  constructor(zip: ZipFile, entries: ReadonlyMap<string, ArchiveEntry>) {
    this.#zip = zip;
    this.entries = entries;
  }

  /** Streams an entry's content. Errors: `bad request` when it does not unpack to what the archive declares. */
  async stream(entry: ArchiveEntry): Promise<NodeJS.ReadableStream> {
    return new Promise((resolve, reject) => {
      this.#zip.openReadStream(entry.raw, (error, stream) =>
        error ? reject(broken(error)) : resolve(stream),
      );
    });
  }

  /** Reads an entry's content. Errors: as stream; `bad request` when it is larger than `maxBytes`. */
  async read(entry: ArchiveEntry, maxBytes: number): Promise<Buffer> {
    if (entry.size > maxBytes)
      throw new JujuError(
        'bad request',
        `${entry.path} has ${entry.size} bytes, more than the ${maxBytes} allowed`,
      );
    const chunks: Buffer[] = [];
    await this.#drain(entry, (chunk) => chunks.push(chunk));
    return Buffer.concat(chunks);
  }

  /** Unpacks the entry and discards it, so that a damaged archive is refused now and not by an agent later. */
  async verify(entry: ArchiveEntry): Promise<void> {
    await this.#drain(entry, () => undefined);
  }

  async #drain(entry: ArchiveEntry, onChunk: (chunk: Buffer) => void): Promise<void> {
    const sink = new Writable({
      write(chunk: Buffer, _encoding, done) {
        onChunk(chunk);
        done();
      },
    });
    try {
      await pipeline(await this.stream(entry), sink);
    } catch (error) {
      throw error instanceof JujuError ? error : broken(error as Error);
    }
  }

  close(): void {
    this.#zip.close();
  }
}

/**
 * Reads the archive's directory; the caller closes it. Errors: `bad request` for a file that is not a zip, for names or
 * links that lead out of it, duplicate names, devices, and archives over the limits.
 */
export async function openArchive(
  path: string,
  limits: ArchiveLimits = defaultArchiveLimits,
): Promise<Archive> {
  const zip = await openZip(path);
  try {
    const archive = new Archive(zip, await listEntries(zip, limits));
    await checkLinks(archive);
    return archive;
  } catch (error) {
    zip.close();
    throw error;
  }
}

/** Unpacked size up to which the compression ratio is not checked, as such an archive is harmless. */
const ratioMatters = 16 * 1024 ** 2;

function openZip(path: string): Promise<ZipFile> {
  return new Promise((resolve, reject) => {
    open(
      path,
      { lazyEntries: true, autoClose: false, strictFileNames: true, validateEntrySizes: true },
      (error, zip) => (error ? reject(broken(error)) : resolve(zip)),
    );
  });
}

async function listEntries(zip: ZipFile, limits: ArchiveLimits): Promise<Map<string, ArchiveEntry>> {
  // No entry has been read yet.
  checkLimit({ ...table.archiveEntries, max: limits.entries }, zip.entryCount);
  const { fileSize, readEntryCursor } = zip as unknown as { fileSize: number; readEntryCursor: number };
  checkLimit(table.archiveDirectory, fileSize - readEntryCursor);
  const entries = new Map<string, ArchiveEntry>();
  let unpacked = 0;
  await new Promise<void>((resolve, reject) => {
    zip.on('error', (error: Error) => reject(broken(error)));
    zip.on('end', resolve);
    zip.on('entry', (raw: Entry) => {
      try {
        const entry = toEntry(raw);
        unpacked += entry.size;
        checkLimit({ ...table.archiveUnpacked, max: limits.unpackedBytes }, unpacked);
        if (unpacked > ratioMatters) checkLimit(table.archiveRatio, Math.ceil(unpacked / fileSize));
        if (entries.has(entry.path)) throw new JujuError('bad request', `archive has "${entry.path}" twice`);
        entries.set(entry.path, entry);
        zip.readEntry();
      } catch (error) {
        reject(error as Error);
      }
    });
    zip.readEntry();
  });
  return entries;
}

const typeMask = 0o170000;
const kinds: Readonly<Record<number, EntryKind>> = {
  0o100000: 'file',
  0o040000: 'directory',
  0o120000: 'symlink',
};

function toEntry(raw: Entry): ArchiveEntry {
  const name = raw.fileName;
  checkLimit(table.archivePath, name.length);
  checkLimit(table.archiveDepth, name.split('/').length);
  const normal = posix.normalize(name);
  const path = normal.endsWith('/') ? normal.slice(0, -1) : normal;
  if (name === '' || name.includes('\0') || path === '..' || path.startsWith('../') || path.startsWith('/'))
    throw new JujuError('bad request', `archive has the invalid path ${JSON.stringify(name)}`);
  const madeByUnix = raw.versionMadeBy >> 8 === 3;
  const mode = madeByUnix ? raw.externalFileAttributes >>> 16 : 0;
  const type = mode & typeMask;
  const kind = name.endsWith('/') ? 'directory' : type === 0 ? 'file' : kinds[type];
  if (!kind || (kind === 'directory') !== name.endsWith('/'))
    throw new JujuError('bad request', `"${path}" in the archive is neither a file, a directory nor a link`);
  if (raw.isEncrypted()) throw new JujuError('bad request', `"${path}" in the archive is encrypted`);
  return { path, kind, size: raw.uncompressedSize, mode: mode & 0o777, raw };
}

/** Checks that no link leads out of the archive, and that nothing lies below a link or a file. */
async function checkLinks(archive: Archive): Promise<void> {
  const { entries } = archive;
  let unpackedBytes = 0;
  for (const entry of entries.values()) {
    // The loop yields to the event loop after so many entries.
    if (++unpackedBytes % 200 === 0) await turn();
    for (let parent = posix.dirname(entry.path); parent !== '.'; parent = posix.dirname(parent)) {
      const above = entries.get(parent);
      if (above && above.kind !== 'directory')
        throw new JujuError(
          'bad request',
          `"${entry.path}" in the archive lies below the ${above.kind} "${parent}"`,
        );
    }
    if (entry.kind !== 'symlink') continue;
    checkLimit(table.archiveLink, entry.size);
    const target = (await archive.read(entry, table.archiveLink.max)).toString();
    if (linkLeadsOut(entry.path, target))
      throw new JujuError('bad request', `the link "${entry.path}" in the archive leads out of it`);
  }
}

function broken(error: Error): JujuError {
  return new JujuError('bad request', `cannot read archive: ${errorText(error)}`, { cause: error });
}
