/** Zip archives for tests, malicious ones included, written byte by byte, since libraries refuse to write those. */
import { writeFile } from 'node:fs/promises';
import { crc32, deflateRawSync } from 'node:zlib';

export interface ZipEntry {
  /** Name in the archive, valid or not. */
  readonly name: string;
  readonly content?: string | Buffer;
  /** Mode with the file type's bits; default: a regular file, 0644, or a directory when the name ends in `/`. */
  readonly mode?: number;
  /** Unpacked size that the archive claims; default: the real one. */
  readonly claimedSize?: number;
}

export function makeZip(entries: readonly ZipEntry[]): Buffer {
  const local: Buffer[] = [];
  const central: Buffer[] = [];
  let offset = 0;
  for (const { name, content = '', mode, claimedSize } of entries) {
    const bytes = Buffer.from(content);
    const packed = deflateRawSync(bytes);
    const nameBytes = Buffer.from(name);
    const sizes = Buffer.alloc(12);
    sizes.writeUInt32LE(crc32(bytes), 0);
    sizes.writeUInt32LE(packed.length, 4);
    sizes.writeUInt32LE(claimedSize ?? bytes.length, 8);
    const nameLength = u16(nameBytes.length);
    // Version 2.0, UTF-8 names, deflate, no time.
    const common = Buffer.concat([
      u16(20),
      u16(0x0800),
      u16(8),
      u16(0),
      u16(0x21),
      sizes,
      nameLength,
      u16(0),
    ]);
    const header = Buffer.concat([Buffer.from('PK\x03\x04', 'latin1'), common, nameBytes]);
    const external = Buffer.alloc(4);
    external.writeUInt32LE(((mode ?? (name.endsWith('/') ? 0o040755 : 0o100644)) << 16) >>> 0);
    const at = Buffer.alloc(4);
    at.writeUInt32LE(offset);
    // The entry is marked as made by Unix.
    central.push(
      Buffer.concat([
        Buffer.from('PK\x01\x02', 'latin1'),
        u16((3 << 8) | 20),
        common,
        Buffer.alloc(6),
        external,
        at,
        nameBytes,
      ]),
    );
    local.push(header, packed);
    offset += header.length + packed.length;
  }
  const directory = Buffer.concat(central);
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 'latin1');
  end.writeUInt16LE(entries.length, 8);
  end.writeUInt16LE(entries.length, 10);
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...local, directory, end]);
}

/** Contents of an archive: path → text, or text with a mode (`0o120777` makes a symlink to the text). */
export type ZipContent = Readonly<Record<string, string | { readonly text: string; readonly mode: number }>>;

export async function writeZip(file: string, content: ZipContent): Promise<void> {
  const entries = Object.entries(content).map(([name, value]) =>
    typeof value === 'string' ? { name, content: value } : { name, content: value.text, mode: value.mode },
  );
  await writeFile(file, makeZip(entries));
}

function u16(value: number): Buffer {
  const buffer = Buffer.alloc(2);
  buffer.writeUInt16LE(value);
  return buffer;
}
