import { Followed, type Parts } from './parts.ts';

const blockBytes = 512;
/** Longest extended header, in bytes: it has a name and a size. */
const extendedMax = 1024 * 1024;
/** Types of headers that tell of the entry after them, or of all: pax, pax for all, GNU's long link and long name. */
const about = ['x', 'g', 'K', 'L'];

/** Parts of a tar file (ustar, with the headers of pax and GNU): entries, then zeros. */
function* partsOfTar(onEntry: (bytes: number) => void): Parts {
  let told: number | undefined;
  for (;;) {
    const header = yield { isRead: true, length: blockBytes };
    if (isZero(header)) break;
    if (header.toString('latin1', 257, 262) !== 'ustar') throw new Error('it is no tar file');
    const size = sizeOf(header.subarray(124, 136));
    if (about.includes(String.fromCharCode(header[156]!))) {
      if (size > extendedMax) throw new Error('it is no tar file');
      const records = yield { isRead: true, length: padded(size) };
      if (header[156] === 'x'.charCodeAt(0)) told = toldSize(records.toString('utf8', 0, size));
      continue;
    }
    const bytes = told ?? size;
    told = undefined;
    onEntry(bytes);
    yield { isRead: false, length: padded(bytes) };
  }
  for (;;)
    if (!isZero(yield { isRead: true, length: blockBytes, mayEnd: true }))
      throw new Error('something follows its end');
}

function isZero(block: Buffer): boolean {
  return block.every((byte) => byte === 0);
}

function padded(bytes: number): number {
  return Math.ceil(bytes / blockBytes) * blockBytes;
}

/** The size in a header: octal digits, or a number of base 256 with the first bit set. */
function sizeOf(field: Buffer): number {
  const size =
    (field[0]! & 0x80) === 0
      ? Number.parseInt(field.toString('latin1').replace(/[\0 ].*$/s, '') || '0', 8)
      : Number(field.readBigUInt64BE(4));
  if (!Number.isSafeInteger(size)) throw new Error('it is no tar file');
  return size;
}

/** The size that records of pax tell: `20 size=9663676416` and a line feed. */
function toldSize(records: string): number | undefined {
  const digits = /^\d+ size=(\d+)$/m.exec(records)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

/**
 * Passes on a tar file, and tells the size of each entry before its content. Errors: when it ends early, also without
 * the block of zeros that ends every tar file; when something else than zeros follows, such as another tar file.
 */
export class WholeTar extends Followed {
  constructor(onEntry: (bytes: number) => void) {
    super(partsOfTar(onEntry));
  }
}
