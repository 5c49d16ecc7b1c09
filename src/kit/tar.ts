/**
 * Tar files of folders and regular files, as GNU tar writes them: a name of more than 100 bytes comes before in an
 * entry of its own, sizes from 8 GiB on are binary. All belongs to the user 0.
 */
import { open, type FileHandle } from 'node:fs/promises';
import { Followed, type Parts } from './parts.ts';

export interface TarSource {
  /** Name in the tar file. */
  readonly name: string;
  /** Path of a regular file, or of a folder, of which the content is not meant. */
  readonly path: string;
}

interface TarEntry {
  readonly name: string;
  readonly type: string;
  /** Bytes of the content. */
  readonly size: number;
  readonly mode: number;
  /** Seconds since 1970. */
  readonly time: number;
}

const block = 512;
const [file, folder, longName] = ['0', '5', 'L'];
const nameLength = 100;
/** Sizes of more octal digits are binary. */
const digits = 11;
const magic = 'ustar  \0';
/** Places in a header. */
const at = { mode: 100, user: 108, group: 116, size: 124, time: 136, checksum: 148, type: 156, magic: 257 };
const checksumLength = 8;

/**
 * Writes a tar file, in pieces of up to `pieceBytes` and a block. Errors: those of the operating system; plain Error
 * for a file that becomes shorter meanwhile.
 */
export async function* tarOf(
  sources: Iterable<TarSource>,
  pieceBytes: number,
): AsyncGenerator<Buffer, void, undefined> {
  for (const { name, path } of sources) {
    await using handle = await open(path);
    const stats = await handle.stat();
    const known = { mode: stats.mode & 0o777, time: Math.floor(stats.mtimeMs / 1000) };
    if (stats.isDirectory()) {
      yield headerOf({ ...known, name: `${name}/`, type: folder!, size: 0 });
    } else {
      yield headerOf({ ...known, name, type: file!, size: stats.size });
      yield* contentOf(handle, path, stats.size, pieceBytes);
    }
  }
  yield Buffer.alloc(2 * block);
}

/** The first `size` bytes of a file, and zeros up to a whole block. */
async function* contentOf(
  handle: FileHandle,
  path: string,
  size: number,
  pieceBytes: number,
): AsyncGenerator<Buffer, void, undefined> {
  const padding = wholeBlocks(size) - size;
  for (let left = size; left > 0;) {
    const wanted = Math.min(left, pieceBytes);
    const piece = Buffer.allocUnsafeSlow(wanted + padding);
    const { bytesRead } = await handle.read(piece, 0, wanted);
    if (bytesRead === 0) throw new Error(`${path} has become shorter`);
    left -= bytesRead;
    yield piece.fill(0, bytesRead).subarray(0, left > 0 ? bytesRead : bytesRead + padding);
  }
}

/** Header of an entry, after the entry of its name where that is long. */
function headerOf({ name, type, size, mode, time }: TarEntry): Buffer {
  const bytes = Buffer.from(name);
  const header = Buffer.alloc(block);
  bytes.copy(header, 0, 0, nameLength);
  const octal = (place: number, value: number, length: number): void =>
    void header.write(value.toString(8).padStart(length, '0'), place);
  octal(at.mode, mode, 7);
  octal(at.user, 0, 7);
  octal(at.group, 0, 7);
  octal(at.time, time, digits);
  if (size < 8 ** digits) octal(at.size, size, digits);
  else {
    header[at.size] = 0x80;
    header.writeBigUInt64BE(BigInt(size), at.size + 4);
  }
  header.write(type, at.type);
  header.write(magic, at.magic, 'latin1');
  octal(at.checksum, checksumOf(header), 6);
  header[at.checksum + 7] = 0x20;
  if (bytes.length <= nameLength) return header;
  const before = headerOf({
    name: '././@LongLink',
    type: longName!,
    size: bytes.length + 1,
    mode: 0,
    time: 0,
  });
  return Buffer.concat([before, bytes, Buffer.alloc(wholeBlocks(bytes.length + 1) - bytes.length), header]);
}

/** Passes on a tar file, and tells the names and sizes of its entries, except of long names, to `onEntry`. */
export class FollowedTar extends Followed {
  constructor(onEntry: (entry: { readonly name: string; readonly size: number }) => void) {
    super(partsOfTar(onEntry));
  }
}

function* partsOfTar(onEntry: (entry: { readonly name: string; readonly size: number }) => void): Parts {
  for (let long = ''; ;) {
    const header = yield { isRead: true, length: block };
    if (isZero(header)) break;
    if (Number.parseInt(text(header, at.checksum, checksumLength), 8) !== checksumOf(header))
      throw new Error('it is no tar file');
    const isLong = text(header, at.type, 1) === longName;
    const size =
      header[at.size] === 0x80
        ? Number(header.readBigUInt64BE(at.size + 4))
        : Number.parseInt(text(header, at.size, digits), 8);
    const content = yield { isRead: isLong, length: wholeBlocks(size) };
    if (!isLong) onEntry({ name: long || text(header, 0, nameLength), size });
    long = isLong ? text(content, 0, size) : '';
  }
  for (;;)
    if (!isZero(yield { isRead: true, length: block, mayEnd: true })) throw new Error('it is no tar file');
}

/** The sum of a header's bytes, in which that of the checksum counts as spaces. */
function checksumOf(header: Buffer): number {
  let sum = checksumLength * 0x20;
  for (const [place, byte] of header.entries())
    if (place < at.checksum || place >= at.checksum + checksumLength) sum += byte;
  return sum;
}

function text(bytes: Buffer, from: number, length: number): string {
  const part = bytes.toString('utf8', from, from + length);
  const end = part.indexOf('\0');
  return end < 0 ? part : part.slice(0, end);
}

function isZero(header: Buffer): boolean {
  return header.every((byte) => byte === 0);
}

function wholeBlocks(bytes: number): number {
  return Math.ceil(bytes / block) * block;
}
