import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readlinkSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { limits } from '../core/limits.ts';
import { makeZip, type ZipEntry } from '../testing/zip.ts';
import { openArchive } from './archive.ts';

let folder: string;
beforeEach(async () => (folder = await mkdtemp(join(tmpdir(), 'grigri-archive-'))));
afterEach(() => rm(folder, { recursive: true }));

const MiB = 1024 ** 2;
const deep = (levels: number): string => [...Array<string>(levels - 1).fill('d'), 'x'].join('/');
const file = (claimedSize: number): ZipEntry => ({ name: 'x', content: 'x', claimedSize });
/** An archive entry of the given size that cannot be compressed. */
const ballast = (bytes: number): ZipEntry => ({
  name: 'ballast',
  content: createHash('shake256', { outputLength: bytes }).digest(),
});
const link = (length: number): ZipEntry => ({ name: 'x', content: 'x'.repeat(length), mode: 0o120777 });

/**
 * An archive with nothing but the end of its directory, which gives the number of entries and the directory's position.
 */
function ended(entryCount: number, directoryBytes: number): Buffer {
  const end = Buffer.alloc(directoryBytes + 22);
  end.write('PK\x05\x06', directoryBytes, 'latin1');
  end.writeUInt16LE(entryCount, directoryBytes + 10);
  return end;
}

async function open(content: Buffer | readonly ZipEntry[]): Promise<number> {
  const path = join(folder, 'a.zip');
  await writeFile(path, Buffer.isBuffer(content) ? content : makeZip(content));
  const archive = await openArchive(path);
  archive.close();
  return archive.entries.size;
}

const large = limits.archiveRatio.max;

test.each<[keyof typeof limits, () => Buffer | ZipEntry[], () => Buffer | ZipEntry[]]>([
  // The limits limits.archivePath, limits.archiveDepth, limits.archiveLink and limits.archiveRatio.
  ['archivePath', () => [{ name: 'x'.repeat(1024) }], () => [{ name: 'x'.repeat(1025) }]],
  ['archiveDepth', () => [{ name: deep(64) }], () => [{ name: deep(65) }]],
  ['archiveLink', () => [link(1024)], () => [link(1025)]],
  ['archiveRatio', () => [file(16 * MiB)], () => [file(16 * MiB + 1)]],
])(
  '%s: an archive at the limit is opened, and an archive above it is refused with the limit',
  async (name, at, over) => {
    expect(await open(at())).toBe(1);
    await expect(open(over())).rejects.toThrow(limits[name].of);
  },
);

test('limits.archiveRatio counts from the size of the archive', async () => {
  const bytes = 200_000;
  expect(await open([ballast(bytes), file((large - 10) * bytes)])).toBe(2);
  await expect(open([ballast(bytes), file((large + 10) * bytes)])).rejects.toThrow(
    `exceed the limit of ${limits.archiveRatio.max}`,
  );
});

test('limits.archiveUnpacked applies to the sum of all files', async () => {
  const half = limits.archiveUnpacked.max / 2;
  const files = (last: number): ZipEntry[] => [
    ballast(11_000_000),
    { ...file(half - 11_000_000), name: 'a' },
    { ...file(last), name: 'b' },
  ];
  expect(await open(files(half))).toBe(3);
  await expect(open(files(half + 1))).rejects.toThrow(`exceed the limit of ${limits.archiveUnpacked.max}`);
}, 30_000);

test('limits.archiveEntries and limits.archiveDirectory are checked before anything is read', async () => {
  // An archive at the limits is read, and found to be no archive.
  const { archiveEntries, archiveDirectory } = limits;
  await expect(open(ended(archiveEntries.max, archiveDirectory.max - 22))).rejects.toThrow('invalid central');
  await expect(open(ended(archiveEntries.max + 1, 0))).rejects.toThrow(archiveEntries.of);
  await expect(open(ended(1, archiveDirectory.max - 21))).rejects.toThrow(archiveDirectory.of);
});

test('a refused archive leaves no open file', async () => {
  for (const content of [
    ended(limits.archiveEntries.max + 1, 0),
    [file(1)],
    [link(1025)],
    Buffer.from('no zip'),
  ]) {
    await open(content).catch(() => undefined);
    const archive = await openArchive(join(folder, 'a.zip')).catch(() => undefined);
    // The archive's declared size differs from its unpacked size.
    if (archive) await archive.read(archive.entries.get('x')!, 100).catch(() => undefined);
    archive?.close();
  }
  await expect.poll(() => openFilesIn(folder)).toEqual([]);
});

test('the cost of many deep paths is linear in their length', async () => {
  const entries = Array.from({ length: 2000 }, (_, i) => ({
    name: `${'d/'.repeat(50)}${'x'.repeat(800)}${i}`,
  }));
  const before = process.cpuUsage();
  expect(await open(entries)).toBe(2000);
  const { user, system } = process.cpuUsage(before);
  expect((user + system) / 1000).toBeLessThan(10_000);
});

function openFilesIn(dir: string): string[] {
  return readdirSync('/proc/self/fd')
    .filter((fd) => existsSync(`/proc/self/fd/${fd}`))
    .map((fd) => readlinkSync(`/proc/self/fd/${fd}`))
    .filter((target) => target.startsWith(dir));
}
