import { appendFile, readdir, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, extname, join } from 'node:path';

/** A file of lines that only grows, until it is full and another one begins. */
export interface AuditFile {
  /**
   * Adds a line. Nobody waits for it. `maxBytes`: size from which the file is put aside first, with the time in its
   * name; `backups`: number of such files that are kept. False when the disk is so far behind that the line is lost.
   */
  append(line: string, limits: { readonly maxBytes: number; readonly backups: number }): boolean;
  /** Waits until all lines are written. */
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

  async function write(): Promise<void> {
    while (waiting.length > 0) {
      const text = waiting.join('');
      waiting = [];
      waitingBytes = 0;
      try {
        if ((await sizeOf(path)) >= limits.maxBytes) await putAside(path, now(), limits.backups);
        await appendFile(path, text, { mode: 0o600 });
      } catch (error) {
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
    close: async () => writing,
  };
}

async function sizeOf(path: string): Promise<number> {
  try {
    return (await stat(path)).size;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return 0;
    throw error;
  }
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
