import { closeSync, existsSync, fstatSync, openSync, readSync } from 'node:fs';

/**
 * Sizes and offsets of SQLite's formats: the database's header and its page count, the log's header and those of its
 * frames.
 */
const headerBytes = 100;
const pagesAt = 28;
const logHeaderBytes = 32;
const frameHeaderBytes = 24;

/**
 * Refuses a truncated file. SQLite takes a file that ends too early for one with fewer pages, and shows what is left.
 * The header says how many there were: big-endian, page size at byte 16 (1 = 65536), pages at byte 28. A process that
 * was killed during a checkpoint leaves a file that is too short as well: its first page is written before those that
 * extend it, all of which are still in the log. Errors: a plain Error that names the file.
 */
export function refuseCutOff(path: string): void {
  const file = openSync(path, 'r');
  try {
    const { size } = fstatSync(file);
    if (size === 0) return;
    const header = bytesAt(file, 0, headerBytes);
    if (header) {
      const bytes = header.readUInt16BE(16) === 1 ? 65_536 : header.readUInt16BE(16);
      const pages = header.readUInt32BE(pagesAt);
      if (size >= bytes * pages || isInLog(`${path}-wal`, pages)) return;
    }
    throw new Error(`${path} is damaged: it is cut off after ${size} bytes. Restore a copy of its folder`);
  } finally {
    closeSync(file);
  }
}

/** Whether the log holds a first page with this page count. */
function isInLog(path: string, pages: number): boolean {
  if (!existsSync(path)) return false;
  const log = openSync(path, 'r');
  try {
    const header = bytesAt(log, 0, logHeaderBytes);
    if (!header) return false;
    const frameBytes = frameHeaderBytes + header.readUInt32BE(8);
    // Frames with another salt belong to an earlier log.
    const salt = header.subarray(16, 24);
    for (let at = logHeaderBytes; ; at += frameBytes) {
      const frame = bytesAt(log, at, frameHeaderBytes + pagesAt + 4);
      if (!frame?.subarray(8, 16).equals(salt)) return false;
      if (frame.readUInt32BE(0) === 1 && frame.readUInt32BE(frameHeaderBytes + pagesAt) === pages)
        return true;
    }
  } finally {
    closeSync(log);
  }
}

/** Reads bytes of a file; undefined when the file ends before them. */
function bytesAt(file: number, at: number, length: number): Buffer | undefined {
  const bytes = Buffer.alloc(length);
  return readSync(file, bytes, 0, length, at) === length ? bytes : undefined;
}
