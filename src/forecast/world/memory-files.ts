/** Blobs and logs without files: blobs and logs outlive the process, as those on a disk do. */
import { createHash } from 'node:crypto';
import type { ArrivingContent, ArrivingContents } from '../../controller/migration/arriving-files.ts';
import { gap, type Piece } from '../../controller/migration/pieces.ts';
import { BlobKeeper } from '../../store/blob-keeper.ts';
import type { BlobStore } from '../../store/blobs.ts';
import type { LogLine, LogStore } from '../../store/logs.ts';

/** Blobs in memory. Only buffers can be put: a stream needs turns of the real event loop. */
export class MemoryBlobs implements BlobStore {
  readonly #blobs = new Map<string, Buffer>();
  #keeper = this.#newKeeper();

  put(content: Buffer | NodeJS.ReadableStream, sha256?: string): Promise<{ sha256: string; size: number }> {
    if (!Buffer.isBuffer(content)) return Promise.reject(new Error('only buffers are kept in memory'));
    const actual = createHash('sha256').update(content).digest('hex');
    if (sha256 !== undefined && sha256 !== actual)
      return Promise.reject(new Error(`content has SHA-256 ${actual}, expected ${sha256}`));
    this.#blobs.set(actual, content);
    return Promise.resolve({ sha256: actual, size: content.length });
  }

  copy(): ReadonlyMap<string, Buffer> {
    return new Map(this.#blobs);
  }

  /** Adds blobs of a copy that are missing. */
  add(copy: ReadonlyMap<string, Buffer>): void {
    for (const [sha256, content] of copy) this.#blobs.set(sha256, content);
  }

  adopt(): Promise<void> {
    return Promise.reject(new Error('there are no files to adopt in memory'));
  }

  path(sha256: string): string | undefined {
    return this.#blobs.has(sha256) ? `/blobs/${sha256}` : undefined;
  }

  read(sha256: string): Promise<Buffer> {
    const blob = this.#blobs.get(sha256);
    return blob ? Promise.resolve(blob) : Promise.reject(new Error(`there is no blob ${sha256}`));
  }

  async readPart(sha256: string, offset: number, length: number): Promise<Buffer> {
    return (await this.read(sha256)).subarray(offset, offset + length);
  }

  list(): Promise<readonly string[]> {
    return Promise.resolve([...this.#blobs.keys()]);
  }

  keep<T>(fn: () => Promise<T>): Promise<T> {
    return this.#keeper.keep(fn);
  }

  remove(sha256: string, isUsed: () => boolean): boolean {
    return this.#keeper.remove(sha256, isUsed);
  }

  /** Ends the `keep` of a process that has died, which then removes nothing; its files stay. */
  restarted(): void {
    this.#keeper = this.#newKeeper();
  }

  #newKeeper(): BlobKeeper {
    const keeper: BlobKeeper = new BlobKeeper((sha256) => {
      if (keeper === this.#keeper) this.#blobs.delete(sha256);
    });
    return keeper;
  }
}

/** Contents of arriving models; what is not complete ends with the process. */
export class MemoryArriving implements ArrivingContents {
  readonly #blobs: BlobStore;
  readonly #parts = new Map<string, Buffer>();

  constructor(blobs: BlobStore) {
    this.#blobs = blobs;
  }

  async add({ model, sha256 }: ArrivingContent, { offset, data }: Piece, isLast: boolean): Promise<void> {
    const key = `${model} ${sha256}`;
    const before = offset === 0 ? Buffer.alloc(0) : (this.#parts.get(key) ?? Buffer.alloc(0));
    if (before.length !== offset) throw gap(before.length, offset);
    const whole = Buffer.concat([before, data]);
    this.#parts.set(key, whole);
    if (!isLast) return;
    this.#parts.delete(key);
    await this.#blobs.keep(() => this.#blobs.put(whole, sha256));
  }

  forget(model: string): Promise<void> {
    for (const key of this.#parts.keys()) if (key.startsWith(`${model} `)) this.#parts.delete(key);
    return Promise.resolve();
  }
}

const linesKept = 1000;

export class MemoryLogs implements LogStore {
  readonly #models = new Map<string, LogLine[]>();
  readonly #followers = new Map<string, Set<(line: LogLine) => void>>();

  append(model: string, lines: readonly LogLine[]): void {
    let kept = this.#models.get(model);
    if (!kept) this.#models.set(model, (kept = []));
    kept.push(...lines);
    if (kept.length > 2 * linesKept) kept.splice(0, kept.length - linesKept);
    for (const onLine of this.#followers.get(model) ?? []) for (const line of lines) onLine(line);
  }

  async *replay(model: string): AsyncIterable<LogLine> {
    yield* this.#models.get(model) ?? [];
  }

  last(model: string, n: number, filter: (line: LogLine) => boolean): Promise<LogLine[]> {
    const found = (this.#models.get(model) ?? []).filter(filter);
    return Promise.resolve(n > 0 ? found.slice(-n) : []);
  }

  follow(model: string, onLine: (line: LogLine) => void): () => void {
    let followers = this.#followers.get(model);
    if (!followers) this.#followers.set(model, (followers = new Set()));
    followers.add(onLine);
    return () => followers.delete(onLine);
  }

  remove(model: string): void {
    this.#models.delete(model);
  }

  close(): Promise<void> {
    this.#followers.clear();
    return Promise.resolve();
  }
}
