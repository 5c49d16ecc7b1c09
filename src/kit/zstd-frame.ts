import { Transform, type TransformCallback } from 'node:stream';

/** Bytes that come next: whether they are read, as opposed to passed over, and how many. */
interface Next {
  readonly isRead: boolean;
  readonly length: number;
}

const magic = 0xfd2fb528;
/** Lengths of the dictionary's id and of the content's size, by their two bits of the descriptor. */
const idBytes = [0, 1, 2, 4] as const;
const sizeBytes = [0, 2, 4, 8] as const;
/** Type of a block that is one byte, repeated. */
const repeated = 1;

/** Parts of a frame (RFC 8878, 3.1.1): header, blocks, checksum. */
function* partsOfFrame(): Generator<Next, void, Buffer> {
  const start = yield { isRead: true, length: 5 };
  if (start.readUInt32LE(0) !== magic) throw new Error('it is not compressed by zstd');
  const descriptor = start[4]!;
  const isSingle = (descriptor & 0x20) !== 0;
  const size = sizeBytes[(descriptor >> 6) as 0 | 1 | 2 | 3] || (isSingle ? 1 : 0);
  yield { isRead: false, length: (isSingle ? 0 : 1) + idBytes[(descriptor & 3) as 0 | 1 | 2 | 3] + size };
  for (let isLast = false; !isLast;) {
    const header = (yield { isRead: true, length: 3 }).readUIntLE(0, 3);
    isLast = (header & 1) !== 0;
    yield { isRead: false, length: ((header >> 1) & 3) === repeated ? 1 : header >> 3 };
  }
  yield { isRead: false, length: (descriptor & 4) !== 0 ? 4 : 0 };
}

/**
 * Passes on what zstd has compressed: a frame, after which Node's compression writes another, empty one at times.
 * Errors: when a frame ends too early, also by a part of its checksum only, which Node's decompression does not notice;
 * when something else is there.
 */
export class WholeZstdFrames extends Transform {
  #parts = partsOfFrame();
  #next: Next | undefined;
  #read: Buffer = Buffer.alloc(0);
  #missing = 0;
  #isBegun = false;

  override _transform(chunk: Buffer, _encoding: string, callback: TransformCallback): void {
    try {
      this.#follow(chunk);
      callback(null, chunk);
    } catch (error) {
      callback(error as Error);
    }
  }

  override _flush(callback: TransformCallback): void {
    callback(this.#next || !this.#isBegun ? new Error('unexpected end of file') : null);
  }

  #follow(chunk: Buffer): void {
    let rest = chunk;
    while (rest.length > 0) {
      if (!this.#next) this.#begin();
      const taken = rest.subarray(0, this.#missing);
      if (this.#next?.isRead) this.#read = Buffer.concat([this.#read, taken]);
      this.#missing -= taken.length;
      rest = rest.subarray(taken.length);
      if (this.#missing === 0) this.#advance();
    }
  }

  #begin(): void {
    this.#isBegun = true;
    this.#parts = partsOfFrame();
    this.#advance();
  }

  /** Goes on to the next part that has any bytes. */
  #advance(): void {
    do this.#next = this.#parts.next(this.#read).value ?? undefined;
    while (this.#next?.length === 0);
    this.#read = Buffer.alloc(0);
    this.#missing = this.#next?.length ?? 0;
  }
}
