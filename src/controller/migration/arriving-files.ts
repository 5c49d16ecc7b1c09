/** Contents of charms and resources that arrive in pieces, as files until they are complete (migration.md#arrival). */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { JujuError } from '../../core/errors.ts';
import { checkLimit, limits } from '../../core/limits.ts';
import type { BlobStore } from '../../store/blobs.ts';
import { gap, type Piece } from './pieces.ts';

/** A content of an arriving model. */
export interface ArrivingContent {
  readonly model: string;
  readonly sha256: string;
}

export interface ArrivingContents {
  /**
   * Adds a piece; with the last one the content becomes a blob. Errors: `bad request` for a gap, or for a content that
   * is another one; `quota limit exceeded`.
   */
  add(of: ArrivingContent, piece: Piece, isLast: boolean): Promise<void>;
  /** Removes what is there of contents of the model that are not complete. */
  forget(model: string): Promise<void>;
}

export class ArrivingFiles implements ArrivingContents {
  readonly #folder: string;
  readonly #blobs: BlobStore;

  constructor(folder: string, blobs: BlobStore) {
    this.#folder = folder;
    this.#blobs = blobs;
  }

  async add({ model, sha256 }: ArrivingContent, piece: Piece, isLast: boolean): Promise<void> {
    const file = join(this.#folder, prefixOf(model) + sha256);
    await addToFile(file, piece);
    if (!isLast) return;
    try {
      await checkFile(file, sha256);
      await this.#blobs.keep(() => this.#blobs.adopt(file, sha256));
    } finally {
      await rm(file, { force: true });
    }
  }

  async forget(model: string): Promise<void> {
    for (const name of await readdir(this.#folder))
      if (name.startsWith(prefixOf(model))) await rm(join(this.#folder, name), { force: true });
  }
}

function prefixOf(model: string): string {
  return `arriving-${model}-`;
}

async function addToFile(path: string, { offset, data }: Piece): Promise<void> {
  checkLimit(limits.resourceFile, offset + data.length);
  const size = offset === 0 ? 0 : ((await stat(path).catch(() => undefined))?.size ?? 0);
  if (size !== offset) throw gap(size, offset);
  await using file = await open(path, offset === 0 ? 'w' : 'a', 0o600);
  await file.writeFile(data);
}

async function checkFile(path: string, sha256: string): Promise<void> {
  const hash = createHash('sha256');
  for await (const data of createReadStream(path)) hash.update(data as Buffer);
  if (hash.digest('hex') !== sha256)
    throw new JujuError('bad request', `content ${sha256}: what arrived is something else`);
}
