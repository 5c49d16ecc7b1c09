/** Output of hooks and commands, for the results of tasks. */
import { isUtf8 } from 'node:buffer';
import { defined } from '../core/defined.ts';

/** Maximum bytes of each stream that are kept. */
const maxBytes = 4 << 20;

/** Output as in a task's result: text, or base64 where it is not UTF-8. */
export interface CapturedOutput {
  readonly stdout?: string;
  readonly stderr?: string;
  readonly 'stdout-encoding'?: 'base64';
  readonly 'stderr-encoding'?: 'base64';
}

export interface CapturedStreams {
  readonly output: CapturedOutput;
  /** Streams whose output is not whole. */
  readonly cut?: readonly ('stdout' | 'stderr')[];
}

/** Keeps the beginning of one stream. */
export class Capture {
  readonly #chunks: Buffer[] = [];
  #received = 0;
  #isAtEnd = false;

  push(chunk: Buffer): void {
    if (this.#received < maxBytes) this.#chunks.push(chunk.subarray(0, maxBytes - this.#received));
    this.#received += chunk.length;
  }

  /** Marks the stream as ended by itself; output of a stream that has not is cut. */
  end(): void {
    this.#isAtEnd = true;
  }

  /** Returns the output of the program, up to a maximum length. `isCut`: there was more. */
  captured(): { readonly bytes: Buffer; readonly isCut: boolean } {
    const isFull = this.#received > maxBytes;
    const bytes = Buffer.concat(this.#chunks);
    return { bytes: isFull ? wholeCharacters(bytes) : bytes, isCut: isFull || !this.#isAtEnd };
  }
}

export function capturedStreams(stdout: Capture, stderr: Capture): CapturedStreams {
  const [out, err] = [stdout.captured(), stderr.captured()];
  const cut = [...(out.isCut ? ['stdout' as const] : []), ...(err.isCut ? ['stderr' as const] : [])];
  return {
    output: {
      ...(out.bytes.length === 0
        ? {}
        : isUtf8(out.bytes)
          ? { stdout: out.bytes.toString() }
          : { stdout: out.bytes.toString('base64'), 'stdout-encoding': 'base64' }),
      ...(err.bytes.length === 0
        ? {}
        : isUtf8(err.bytes)
          ? { stderr: err.bytes.toString() }
          : { stderr: err.bytes.toString('base64'), 'stderr-encoding': 'base64' }),
    },
    ...defined({ cut: cut.length > 0 ? cut : undefined }),
  };
}

/** Returns the bytes of UTF-8 without a character that is cut in two at their end. */
function wholeCharacters(bytes: Buffer): Buffer {
  let end = bytes.length;
  while (end > bytes.length - 3 && (bytes[end - 1]! & 0xc0) === 0x80) end--;
  const lead = bytes[end - 1] ?? 0;
  const length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc0 ? 2 : 1;
  return end - 1 + length > bytes.length ? bytes.subarray(0, end - 1) : bytes;
}
