/** Long contents that arrive in several requests (migration.md#arrival). */
import { JujuError } from '../../core/errors.ts';
import { checkLimit, limits } from '../../core/limits.ts';

export interface Piece {
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

/** The error for a piece that leaves a gap. */
export function gap(size: number, offset: number): JujuError {
  return new JujuError('bad request', `a piece for ${offset} does not follow what is there: ${size} bytes`);
}
