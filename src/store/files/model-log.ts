import { open, rename, rm, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import type { LogLine } from '../logs.ts';
import { makeFolder } from '../../kit/make-folder.ts';

/** Lines in memory are written before the timer fires when they have this many characters. */
const bufferChars = 256 * 1024;
const chunkBytes = 64 * 1024;

/** A log file up to the length that it had when it was opened. */
interface Part {
  readonly file: FileHandle;
  readonly size: number;
}

/** The log of one model. Operations on its files run one after the other. */
export class ModelLog {
  readonly #folder: string;
  readonly #bytesMax: () => number;
  readonly #onError: (error: unknown) => void;
  #buffer = '';
  #queue: Promise<void> = Promise.resolve();
  /** Size of the current file; undefined before the first write. */
  #size: number | undefined;

  constructor(options: {
    folder: string;
    model: string;
    bytesMax: () => number;
    onError: (error: unknown) => void;
  }) {
    this.#folder = join(options.folder, options.model);
    this.#bytesMax = options.bytesMax;
    this.#onError = options.onError;
  }

  append(lines: readonly LogLine[]): void {
    for (const line of lines) this.#buffer += `${JSON.stringify(line)}\n`;
    if (this.#buffer.length >= bufferChars) void this.flush();
  }

  flush(): Promise<void> {
    const text = this.#buffer;
    this.#buffer = '';
    return this.#enqueue(async () => {
      if (text !== '') await this.#write(text).catch(this.#onError);
    });
  }

  /**
   * Lines that had been appended when `replay` was called, whenever they are read: a follow of the same turn goes on
   * from there.
   */
  replay(): AsyncIterable<LogLine> {
    const parts = this.#parts();
    // Errors go to the reader; without a reader they are dropped.
    parts.catch(() => undefined);
    return replayParts(parts);
  }

  async last(n: number, filter: (line: LogLine) => boolean): Promise<LogLine[]> {
    const parts = await this.#parts();
    const found: LogLine[] = [];
    try {
      for (const part of parts.toReversed()) {
        for await (const text of linesBackwards(part)) {
          if (found.length >= n) break;
          const line = parse(text);
          if (line && filter(line)) found.push(line);
        }
      }
    } finally {
      await closeAll(parts);
    }
    return found.reverse();
  }

  remove(): Promise<void> {
    this.#buffer = '';
    return this.#enqueue(async () => {
      this.#size = undefined;
      await rm(this.#folder, { recursive: true, force: true }).catch(this.#onError);
    });
  }

  #parts(): Promise<Part[]> {
    void this.flush();
    return this.#enqueue(async () => {
      const parts: Part[] = [];
      for (const name of ['previous.log', 'current.log']) {
        const file = await open(join(this.#folder, name), 'r').catch(ignoreMissing);
        if (file) parts.push({ file, size: (await file.stat()).size });
      }
      return parts;
    });
  }

  async #write(text: string): Promise<void> {
    const current = join(this.#folder, 'current.log');
    if (this.#size !== undefined && this.#size >= this.#bytesMax()) {
      await rename(current, join(this.#folder, 'previous.log'));
      this.#size = undefined;
    }
    await makeFolder(this.#folder, 0o700);
    const file = await open(current, 'a+', 0o600);
    try {
      if (this.#size === undefined) await endHalfLine(file);
      await file.appendFile(text);
      this.#size = (await file.stat()).size;
    } finally {
      await file.close();
    }
  }

  #enqueue<T>(job: () => Promise<T>): Promise<T> {
    const result = this.#queue.then(job);
    this.#queue = result.then(
      () => undefined,
      () => undefined,
    );
    return result;
  }
}

/** Ends half a line that a crash left, so that the next line is not lost with it. */
async function endHalfLine(file: FileHandle): Promise<void> {
  const { size } = await file.stat();
  if (size === 0) return;
  const { buffer } = await file.read(Buffer.alloc(1), 0, 1, size - 1);
  if (buffer[0] !== newline) await file.appendFile('\n');
}

const newline = 0x0a;

async function* replayParts(opened: Promise<Part[]>): AsyncGenerator<LogLine> {
  const parts = await opened;
  try {
    for (const part of parts) {
      for await (const text of linesForwards(part)) {
        const line = parse(text);
        if (line) yield line;
      }
    }
  } finally {
    await closeAll(parts);
  }
}

async function* linesForwards({ file, size }: Part): AsyncGenerator<string> {
  let carry = Buffer.alloc(0);
  for (let offset = 0; offset < size;) {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(Math.min(chunkBytes, size - offset)), {
      position: offset,
    });
    if (bytesRead === 0) return;
    offset += bytesRead;
    const bytes = Buffer.concat([carry, buffer.subarray(0, bytesRead)]);
    const end = bytes.lastIndexOf(newline) + 1;
    carry = bytes.subarray(end);
    if (end > 0) yield* bytes.toString('utf8', 0, end - 1).split('\n');
  }
  if (carry.length > 0) yield carry.toString('utf8');
}

async function* linesBackwards({ file, size }: Part): AsyncGenerator<string> {
  let carry = Buffer.alloc(0);
  for (let offset = size; offset > 0;) {
    const length = Math.min(chunkBytes, offset);
    offset -= length;
    const { buffer, bytesRead } = await file.read(Buffer.alloc(length), { position: offset });
    const bytes = Buffer.concat([buffer.subarray(0, bytesRead), carry]);
    const start = offset === 0 ? 0 : bytes.indexOf(newline) + 1;
    if (offset > 0 && start === 0) {
      carry = bytes;
      continue;
    }
    carry = bytes.subarray(0, start);
    yield* bytes.toString('utf8', start).split('\n').reverse();
  }
}

function parse(text: string): LogLine | undefined {
  if (text === '') return undefined;
  try {
    return JSON.parse(text) as LogLine;
  } catch {
    // A crash leaves half a line.
    return undefined;
  }
}

function ignoreMissing(error: unknown): undefined {
  if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
}

async function closeAll(parts: readonly Part[]): Promise<void> {
  await Promise.all(parts.map((part) => part.file.close()));
}
