import { open, readdir, rename, rm, type FileHandle } from 'node:fs/promises';
import { basename, dirname, extname, join } from 'node:path';

/** A file of lines that only grows, until it is full and another one begins. */
export interface AuditFile {
  /**
   * Adds a line. Nobody waits for it. `maxBytes`: size from which the file is put aside first, with the time in its
   * name; `backups`: number of such files that are kept. False when the disk is so far behind that the line is lost.
   */
  append(line: string, limits: { readonly maxBytes: number; readonly backups: number }): boolean;
  /** Waits until all lines are written. A line that comes later opens the file again. */
  close(): Promise<void>;
}

/** Opens the file at `path`, mode 0600; it need not exist. `onError`: what happened to lines that cannot be written. */
export function openAuditFile({
  path,
  waitingBytesMax,
  now,
  onError,
}: {
  readonly path: string;
  /** Bytes that may wait for the disk. */
  readonly waitingBytesMax: number;
  readonly now: () => number;
  readonly onError: (error: unknown) => void;
}): AuditFile {
  let waiting: string[] = [];
  let waitingBytes = 0;
  let limits = { maxBytes: Infinity, backups: 0 };
  let writing: Promise<void> | undefined;
  /** The file stays open: to open it for each line would cost more than the line. */
  let opened: { readonly file: FileHandle; bytes: number } | undefined;

  async function close(): Promise<void> {
    const file = opened?.file;
    opened = undefined;
    await file?.close();
  }

  async function openedFile(): Promise<NonNullable<typeof opened>> {
    opened ??= await openToAppend(path);
    if (opened.bytes < limits.maxBytes) return opened;
    await close();
    await putAside(path, now(), limits.backups);
    return (opened = await openToAppend(path));
  }

  async function write(): Promise<void> {
    while (waiting.length > 0) {
      const text = waiting.join('');
      waiting = [];
      waitingBytes = 0;
      try {
        const current = await openedFile();
        await current.file.appendFile(text);
        current.bytes += Buffer.byteLength(text);
      } catch (error) {
        // How much was written is not known.
        await close().catch(onError);
        onError(error);
      }
    }
    writing = undefined;
  }

  return {
    append(line, given) {
      if (waitingBytes > waitingBytesMax) return false;
      limits = given;
      waiting.push(`${line}\n`);
      waitingBytes += line.length;
      writing ??= write();
      return true;
    },
    async close() {
      await writing;
      await close();
    },
  };
}

async function openToAppend(path: string): Promise<{ readonly file: FileHandle; bytes: number }> {
  const file = await open(path, 'a', 0o600);
  return { file, bytes: (await file.stat()).size };
}

/** Renames `audit.log` to `audit-<time>.log`, and removes the oldest of these. */
async function putAside(path: string, nowMs: number, backups: number): Promise<void> {
  const folder = dirname(path);
  const extension = extname(path);
  const name = basename(path, extension);
  const time = new Date(nowMs).toISOString().replaceAll(':', '-').replace('Z', '');
  await rename(path, join(folder, `${name}-${time}${extension}`));
  const old = (await readdir(folder))
    .filter((file) => file.startsWith(`${name}-`) && file.endsWith(extension))
    .sort();
  for (const file of old.slice(0, Math.max(0, old.length - backups))) await rm(join(folder, file));
}
