import { Followed, type Parts } from './parts.ts';

const magic = 0xfd2fb528;
/** Lengths of the dictionary's id and of the content's size, by their two bits of the descriptor. */
const idBytes = [0, 1, 2, 4] as const;
const sizeBytes = [0, 2, 4, 8] as const;
/** Type of a block that is one byte, repeated. */
const repeated = 1;

/** Parts of a frame and of empty ones after it (RFC 8878, 3.1.1): header, blocks, checksum. */
function* partsOfFrames(): Parts {
  for (let mayEnd = false; ; mayEnd = true) {
    const start = yield { isRead: true, length: 5, mayEnd };
    if (start.readUInt32LE(0) !== magic) throw new Error('it is not compressed by zstd');
    const descriptor = start[4]!;
    const isSingle = (descriptor & 0x20) !== 0;
    const size = sizeBytes[(descriptor >> 6) as 0 | 1 | 2 | 3] || (isSingle ? 1 : 0);
    yield { isRead: false, length: (isSingle ? 0 : 1) + idBytes[(descriptor & 3) as 0 | 1 | 2 | 3] + size };
    for (let isLast = false; !isLast;) {
      const header = (yield { isRead: true, length: 3 }).readUIntLE(0, 3);
      isLast = (header & 1) !== 0;
      // Node's decompression would leave out what another frame has.
      if (mayEnd && header >> 3 > 0) throw new Error('something follows its end');
      yield { isRead: false, length: ((header >> 1) & 3) === repeated ? 1 : header >> 3 };
    }
    yield { isRead: false, length: (descriptor & 4) !== 0 ? 4 : 0 };
  }
}

/**
 * Passes on what zstd has compressed: a frame, after which Node's compression writes another, empty one at times.
 * Errors: when a frame ends too early, also by a part of its checksum only, which Node's decompression does not notice;
 * when something else is there, such as another frame with content.
 */
export class WholeZstdFrames extends Followed {
  constructor() {
    super(partsOfFrames());
  }
}
