/** Long contents that arrive in several requests (migration.md#arrival): texts in memory, files on the disk. */
import { createHash } from 'node:crypto';
import { open, rm, stat } from 'node:fs/promises';
import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { JujuError } from '../../core/errors.ts';
import { checkLimit, limits } from '../../core/limits.ts';

interface Piece {
  /** Place of the piece in the whole; 0 begins anew. */
  readonly offset: number;
  readonly data: Buffer;
}

/** Joins pieces of texts, by an owner's name. A part that is never completed is replaced by the owner's next one. */
export class TextPieces {
  readonly #parts = new Map<string, Buffer[]>();

  /** Adds a piece; returns the whole when it is the last. Errors: `bad request` for a gap; `quota limit exceeded`. */
  add(owner: string, { offset, data }: Piece, isLast: boolean): string | undefined {
    const parts = offset === 0 ? [] : (this.#parts.get(owner) ?? []);
    const size = parts.reduce((sum, part) => sum + part.length, 0);
    if (size !== offset) throw gap(size, offset);
    checkLimit(limits.arrivingDocuments, size + data.length);
    parts.push(data);
    this.#parts.set(owner, parts);
    if (!isLast) return undefined;
    this.#parts.delete(owner);
    return Buffer.concat(parts).toString();
  }

  forget(owner: string): void {
    this.#parts.delete(owner);
  }
}

/** Adds a piece to a file. Errors: `bad request` for a gap; `quota limit exceeded`. */
export async function addToFile(path: string, { offset, data }: Piece): Promise<void> {
  checkLimit(limits.resourceFile, offset + data.length);
  const size = offset === 0 ? 0 : ((await stat(path).catch(() => undefined))?.size ?? 0);
  if (size !== offset) throw gap(size, offset);
  await using file = await open(path, offset === 0 ? 'w' : 'a', 0o600);
  await file.writeFile(data);
}

/** Checks that the file is the content with this SHA-256, and removes it otherwise. Errors: `bad request`. */
export async function checkFile(path: string, sha256: string): Promise<void> {
  const hash = createHash('sha256');
  for await (const data of createReadStream(path)) hash.update(data as Buffer);
  if (hash.digest('hex') === sha256) return;
  await rm(path, { force: true });
  throw new JujuError('bad request', `content ${sha256}: what arrived is something else`);
}

export function fileOfArriving(folder: string, model: string, sha256: string): string {
  return join(folder, `arriving-${model}-${sha256}`);
}

function gap(size: number, offset: number): JujuError {
  return new JujuError('bad request', `a piece for ${offset} does not follow what is there: ${size} bytes`);
}
