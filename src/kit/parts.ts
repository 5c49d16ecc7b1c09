import { Transform, type TransformCallback } from 'node:stream';

/** Bytes that come next in a format. */
interface Part {
  readonly length: number;
  /** Whether their content is wanted, as opposed to passed over. */
  readonly isRead: boolean;
  /** Whether the content may also end here. */
  readonly mayEnd?: boolean;
}

/** The parts of a format, each after the content of the one before, if it was read. */
export type Parts = Generator<Part, never, Buffer>;

/**
 * Passes on a content while it follows its format, holding no more of it than a part that is read. Errors: those of the
 * format; plain Error when the content ends early.
 */
export class Followed extends Transform {
  readonly #parts: Parts;
  #next: Part;
  #read: Buffer = Buffer.alloc(0);
  #missing: number;

  constructor(parts: Parts) {
    super();
    this.#parts = parts;
    this.#next = parts.next().value;
    this.#missing = this.#next.length;
  }

  override _transform(chunk: Buffer, _encoding: string, callback: TransformCallback): void {
    try {
      this.#follow(chunk);
      callback(null, chunk);
    } catch (error) {
      callback(error as Error);
    }
  }

  override _flush(callback: TransformCallback): void {
    const isWhole = this.#next.mayEnd && this.#missing === this.#next.length;
    callback(isWhole ? null : new Error('unexpected end of file'));
  }

  #follow(chunk: Buffer): void {
    let rest = chunk;
    while (rest.length > 0) {
      const taken = rest.subarray(0, this.#missing);
      if (this.#next.isRead) this.#read = Buffer.concat([this.#read, taken]);
      this.#missing -= taken.length;
      rest = rest.subarray(taken.length);
      if (this.#missing === 0) this.#advance();
    }
  }

  /** Goes on to the next part that has any bytes. */
  #advance(): void {
    do this.#next = this.#parts.next(this.#read).value;
    while (this.#next.length === 0);
    this.#read = Buffer.alloc(0);
    this.#missing = this.#next.length;
  }
}
