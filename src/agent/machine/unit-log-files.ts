/** Logs of units in files of their machine, where charms' authors look for them (machine-environment.md#unit-logs). */
import { appendFileSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { formatRecord, type LogRecord } from '../../kit/log.ts';
import { restrictLog } from './restrict-log.ts';

/** Size in bytes at which a log is renamed to the older file, replacing the previous older file. */
const unitLogMax = 32 * 1024 * 1024;

export class UnitLogFiles {
  readonly #dir: string;
  readonly #max: number;
  /** Sizes of files by path. */
  readonly #sizes = new Map<string, number>();

  constructor(dir: string, max = unitLogMax) {
    this.#dir = dir;
    this.#max = max;
  }

  /**
   * Appends a record to its unit's file. Returns false when the record is of no unit, or cannot be written: a full disk
   * must not end the agent.
   */
  add(entity: string, record: LogRecord): boolean {
    if (!entity.startsWith('unit-')) return false;
    const path = join(this.#dir, `${entity}.log`);
    const line = `${formatRecord(record)}\n`;
    try {
      const size = this.#sizes.get(path) ?? sizeOf(path);
      const isFull = size > 0 && size + line.length > this.#max;
      if (isFull) renameSync(path, `${path}.1`);
      appendFileSync(path, line, { mode: 0o640 });
      if (size === 0 || isFull) restrictLog(path);
      this.#sizes.set(path, (isFull ? 0 : size) + Buffer.byteLength(line));
      return true;
    } catch {
      this.#sizes.delete(path);
      return false;
    }
  }
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}
