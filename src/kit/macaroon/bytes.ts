/** Lengths and fields of binary formats, as protobuf's varints have them. */
import { JujuError } from '../../core/errors.ts';

/** Encodes a number below 2^31: seven bits in each byte, the lowest first. */
function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  for (; rest >= 0x80; rest >>>= 7) bytes.push((rest & 0x7f) | 0x80);
  bytes.push(rest);
  return Buffer.from(bytes);
}

/** Encodes a field as its length and its bytes. */
export function sized(bytes: Uint8Array): Buffer {
  return Buffer.concat([varint(bytes.length), bytes]);
}

/** Reads bytes one after the other. Errors: `not valid` at the end of the bytes. */
export class ByteReader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  byte(): number {
    return this.take(1)[0]!;
  }

  /** Takes a number of bytes. */
  take(count: number): Buffer {
    const end = this.#at + count;
    if (end > this.#bytes.length) throw truncated();
    const taken = this.#bytes.subarray(this.#at, end);
    this.#at = end;
    return taken;
  }

  /** Takes a field that begins with its length. */
  sized(): Buffer {
    return this.take(this.#varint());
  }

  /** Takes what is left. */
  rest(): Buffer {
    return this.take(this.#bytes.length - this.#at);
  }

  #varint(): number {
    let value = 0;
    // Four bytes are 28 bits: more than any limit on what is read.
    for (let shift = 0; shift < 28; shift += 7) {
      const byte = this.byte();
      value |= (byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
    throw new JujuError('not valid', 'a length is too large');
  }
}

function truncated(): JujuError {
  return new JujuError('not valid', 'the end is missing');
}
