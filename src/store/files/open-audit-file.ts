import { appendFileSync } from 'node:fs';
import { open, readdir, rename, rm, type FileHandle } from 'node:fs/promises';
import { basename, dirname, extname, join } from 'node:path';

interface Limits {
  readonly maxBytes: number;
  readonly backups: number;
}

/** A file of lines that only grows, until it is full and another one begins. */
export interface AuditFile {
  /**
   * Adds a line, which is written with those that come within `delayMs`. Nobody waits for it. `maxBytes`: size from
   * which the file is put aside first, with the time in its name; `backups`: number of such files that are kept. False
   * when the disk is so far behind that the line is lost.
   */
  append(line: string, limits: Limits): boolean;
  /** Writes the lines that wait before it returns, for a process that ends. */
  writeNow(): void;
  /** Waits until all lines are written. A line that comes later opens the file again. */
  close(): Promise<void>;
}

/**
 * Time in milliseconds that a line waits for others: what a kill of the process may lose. To hand each line to another
 * thread at once costs a sixth of a short request, and to write it in this one may wait for the disk.
 */
const delayMs = 10;

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
  const file = new RotatedFile(path, now);
  let waiting: string[] = [];
  let waitingBytes = 0;
  let limits: Limits = { maxBytes: Infinity, backups: 0 };
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> | undefined;

  function take(): string {
    const text = waiting.join('');
    waiting = [];
    waitingBytes = 0;
    return text;
  }

  async function write(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    try {
      await file.append(take(), limits);
    } catch (error) {
      // The number of bytes that were written is not known.
      await file.close().catch(onError);
      onError(error);
    }
    writing = undefined;
    if (waiting.length > 0) writeSoon();
  }

  function writeSoon(): void {
    if (!writing) timer ??= setTimeout(() => (writing = write()), delayMs);
  }

  return {
    append(line, given) {
      if (waitingBytes > waitingBytesMax) return false;
      limits = given;
      waiting.push(`${line}\n`);
      waitingBytes += line.length;
      writeSoon();
      return true;
    },
    writeNow() {
      try {
        if (waiting.length > 0) appendFileSync(path, take(), { mode: 0o600 });
      } catch (error) {
        onError(error);
      }
    },
    async close() {
      while (writing || waiting.length > 0) await (writing ??= write());
      await file.close();
    },
  };
}

class RotatedFile {
  readonly #path: string;
  readonly #now: () => number;
  /** The open file. It stays open: to open it for each line would cost more than the line. */
  #opened: { readonly file: FileHandle; bytes: number } | undefined;

  constructor(path: string, now: () => number) {
    this.#path = path;
    this.#now = now;
  }

  async append(text: string, { maxBytes, backups }: Limits): Promise<void> {
    let current = (this.#opened ??= await openToAppend(this.#path));
    if (current.bytes >= maxBytes) {
      await this.close();
      await putAside(this.#path, this.#now(), backups);
      current = this.#opened = await openToAppend(this.#path);
    }
    await current.file.appendFile(text);
    current.bytes += Buffer.byteLength(text);
  }

  async close(): Promise<void> {
    const file = this.#opened?.file;
    this.#opened = undefined;
    await file?.close();
  }
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
