import { execFileSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import {
  createReadStream,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Readable, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { gzipSync, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { recipientOfPassphrase } from '../../kit/sealed/recipient.ts';
import { sealFor, type Seal } from '../../kit/sealed/sealed-stream.ts';
import { eventually } from '../../testing/eventually.ts';
import { verifyArchive, writing, type ArchiveRequest } from './archive.ts';
import { compressionOf, unpackArchive } from './unpack-archive.ts';

interface Archive {
  readonly path: string;
  readonly names: readonly string[];
  readonly seal: Seal | undefined;
}

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'grigri-archive-'))));
afterEach(() => rmSync(folder, { recursive: true }));

const databases = ['store.db', 'secrets.db'];
const inside = (name: string): string => join(folder, 'staging', 'juju-backup', name);

/** Prepares two databases with a table each, and other parts; `change` may change them before they are packed. */
function prepared(change: () => void = () => undefined): ArchiveRequest {
  for (const part of ['staging/juju-backup', 'blobs']) mkdirSync(join(folder, part), { recursive: true });
  for (const name of ['metadata.json', 'controller.json']) writeFileSync(inside(name), '{}');
  for (const name of databases) {
    using db = new DatabaseSync(join(folder, name));
    db.exec(
      `CREATE TABLE t (c TEXT) STRICT; INSERT INTO t VALUES ('${randomBytes(10_000).toString('hex')}')`,
    );
  }
  writeFileSync(join(folder, 'list'), '');
  change();
  return {
    path: join(folder, 'archive'),
    staging: join(folder, 'staging'),
    databases: databases.map((name) => join(folder, name)),
    list: join(folder, 'list'),
    blobsDir: join(folder, 'blobs'),
  };
}

/** Writes an archive of what is prepared, and reads it back. */
async function written(isSealed: boolean, change?: () => void): Promise<Archive> {
  const contents = prepared(change);
  const cheap = { N: 1024, r: 8, p: 1 };
  const seal = isSealed ? sealFor(await recipientOfPassphrase('words', cheap)) : undefined;
  const { steps, names } = await writing(contents, seal, () => undefined);
  await verifyArchive(steps, names, seal);
  return { path: contents.path, names, seal };
}

const verify = ({ path, names, seal }: Archive): Promise<string> =>
  verifyArchive([createReadStream(path)], names, seal);

test.each([false, true])('an archive that is as it was written is right: sealed %s', async (isSealed) => {
  const archive = await written(isSealed);
  const checksum = createHash('sha1').update(readFileSync(archive.path)).digest('base64');
  expect(await verify(archive)).toBe(checksum);
});

test.each([
  [false, 0.5],
  [true, 0.5],
  [false, 0.99],
  [true, 0.99],
])(
  'an archive of which the disk has changed a byte is found: sealed %s, at %d of its length',
  async (isSealed, at) => {
    const archive = await written(isSealed);
    const bytes = readFileSync(archive.path);
    bytes[Math.floor(bytes.length * at)]! ^= 1;
    writeFileSync(archive.path, bytes);
    await expect(verify(archive)).rejects.toThrow(/checksum|corruption|invalid|changed or cut off/);
  },
);

test.each(['store.db', 'secrets.db'])('an archive with a damaged %s is found', async (name) => {
  const archive = written(false, () => {
    const bytes = readFileSync(join(folder, name));
    bytes.fill(0x55, 4096, 8192);
    writeFileSync(join(folder, name), bytes);
  });
  await expect(archive).rejects.toThrow(`${name} in the backup is damaged`);
});

test('an archive that ends before its end is found, and one that is compressed by gzip is unpacked, too', async () => {
  const archive = await written(false);
  const bytes = readFileSync(archive.path);
  const to = join(folder, 'to');
  mkdirSync(to);
  const older = join(folder, 'older');
  writeFileSync(older, gzipSync(zstdDecompressSync(bytes)));
  expect([compressionOf(bytes), compressionOf(readFileSync(older)), compressionOf(Buffer.from('x'))]).toEqual(
    ['zstd', 'gzip', undefined],
  );
  await unpackArchive({ path: older }, to);
  expect(readFileSync(join(to, 'juju-backup', 'metadata.json'), 'utf8')).toBe('{}');
  // The last four bytes are the checksum of the whole.
  writeFileSync(archive.path, bytes.subarray(0, -1));
  await expect(verify(archive)).rejects.toThrow(/unexpected end of file/);
});

test('an archive is written on while what it has is read back', async () => {
  const MiB = 1024 * 1024;
  const contents = prepared(() => {
    mkdirSync(join(folder, 'blobs', 'ab'));
    writeFileSync(join(folder, 'blobs', 'ab', 'abc'), randomBytes(8 * MiB));
    writeFileSync(join(folder, 'list'), 'ab/abc\n');
  });
  const { steps } = await writing(contents, undefined, () => undefined);
  const slow = async (content: AsyncIterable<Buffer>): Promise<void> => {
    let read = 0;
    for await (const bytes of content) {
      read += bytes.length;
      if (read < 2 * MiB || read > 3 * MiB) continue;
      await eventually(() => expect(statSync(contents.path).size - read).toBeGreaterThan(MiB));
    }
  };
  await pipeline([...steps, slow] as unknown as [Readable, Writable]);
});

test('an archive without one of its parts is found', async () => {
  const archive = written(false, () => rmSync(inside('metadata.json')));
  await expect(archive).rejects.toThrow('juju-backup/metadata.json is not in the backup');
});

test('an archive whose tar file ends early, or is damaged, is found', async () => {
  const archive = await written(false, () => {
    mkdirSync(join(folder, 'blobs', 'ab'));
    for (const name of ['abc', 'abd']) writeFileSync(join(folder, 'blobs', 'ab', name), Buffer.alloc(512));
    writeFileSync(join(folder, 'list'), 'ab/abc\nab/abd\n');
  });
  const tar = zstdDecompressSync(readFileSync(archive.path));
  const store = (bytes: Buffer): void => writeFileSync(archive.path, zstdCompressSync(bytes));
  // Before the last block of the last blob, whose content is nothing but zeros, as the end of a tar file is.
  const last = tar.length - 1024 - 512;
  for (const length of [0, 100, 512, 1024, 1100, tar.length / 2, last - 1024, last - 512, last, last + 511]) {
    store(tar.subarray(0, length));
    await expect(verify(archive)).rejects.toThrow(/is not in the backup|Unexpected end of data/);
  }
  store(Buffer.concat([tar, randomBytes(512)]));
  await expect(verify(archive)).rejects.toThrow('Invalid tar header');
  const damaged = Buffer.from(tar);
  damaged[3]! ^= 1;
  store(damaged);
  await expect(verify(archive)).rejects.toThrow('Invalid tar header');
  store(tar);
  await verify(archive);
});

test('an archive has no links, pipes or contents of other folders', async () => {
  const outside = join(folder, 'outside');
  mkdirSync(outside);
  writeFileSync(join(outside, 'file'), 'not meant');
  const { path, names } = await written(false, () => {
    mkdirSync(inside('logs'));
    writeFileSync(inside('logs/machine-0.log'), 'words');
    symlinkSync(join(outside, 'file'), inside('logs/link.log'));
    symlinkSync(outside, inside('logs/folder'));
    symlinkSync('nowhere', inside('logs/nothing'));
    execFileSync('mkfifo', [inside('logs/pipe')]);
  });
  const to = join(folder, 'to');
  mkdirSync(to);
  await unpackArchive({ path }, to);
  expect(readdirSync(join(to, 'juju-backup', 'logs'))).toEqual(['machine-0.log']);
  expect(names.filter((name) => name.includes('logs'))).toEqual([
    'juju-backup/logs',
    'juju-backup/logs/machine-0.log',
  ]);
});

test('an archive of which a blob is not there is not made', async () => {
  const archive = written(true, () => writeFileSync(join(folder, 'list'), 'ab/abc\n'));
  await expect(archive).rejects.toThrow(/ENOENT: .*blobs\/ab\/abc/);
});
