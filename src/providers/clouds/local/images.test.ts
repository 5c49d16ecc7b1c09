import { execFileSync } from 'node:child_process';
import {
  existsSync,
  lchownSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { parseBase } from '../../../core/base.ts';
import { systemClock } from '../../../kit/clock.ts';
import type { LocalImage } from '../../contract/provider.ts';
import { createImages, findImage } from './images.ts';
import { createLocks } from '../../../kit/locks.ts';
import { locate } from './root-files.ts';
import { packRoot } from '../../../testing/providers/small-root.ts';

const noble = parseBase('ubuntu@24.04');
const never = new AbortController().signal;
/** Extraction preserves owners only for root. */
const isRoot = process.getuid?.() === 0;

let folder: string;
let images: string;
let used: Set<string>;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'grigri-images-'));
  images = join(folder, 'images');
  used = new Set();
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const open = (sandboxes = true): ReturnType<typeof createImages> =>
  createImages({
    folder: images,
    sandboxes,
    usedImages: () => Promise.resolve(used),
    locks: createLocks(),
    adding: new Set(),
    clock: systemClock,
  });
const pack = (options?: Parameters<typeof packRoot>[2]): string =>
  packRoot(folder, { name: 'ubuntu', release: '24.04' }, options);
const add = (archive: string, base = noble, signal = never): Promise<LocalImage> =>
  open().add({ base, archive, progress: () => undefined }, signal);
const inside = (): string[] =>
  (existsSync(images) ? readdirSync(images, { recursive: false }) : []).map(String);

describe.skipIf(!isRoot)('an image', () => {
  test.each(['tar', 'tar.gz', 'tar.xz'])('An image from a %s keeps its owners', async (suffix) => {
    const archive = pack({
      suffix,
      change(root) {
        writeFileSync(join(root, 'etc/owned'), '');
        lchownSync(join(root, 'etc/owned'), 4711, 4712);
      },
    });
    const image = await add(archive);
    expect(image).toMatchObject({ base: noble, arch: process.arch === 'x64' ? 'amd64' : process.arch });
    expect(image.size).toBeGreaterThan(1_000_000);
    expect(await open().list()).toEqual([image]);
    const { id = '' } = (await findImage(images, noble)) ?? {};
    expect(lstatSync(join(images, id, 'etc/owned'))).toMatchObject({ uid: 4711, gid: 4712 });
    expect(lstatSync(join(images, id)).mode & 0o777).toBe(0o755);
    expect(await findImage(images, { ...noble, channel: '24.04/edge' })).toMatchObject({ id });
    expect(await findImage(images, parseBase('ubuntu@22.04'))).toBeUndefined();
  });

  test.each<[string, RegExp, (root: string) => void]>([
    [
      'without a shell',
      /not a root file system of ubuntu@24.04: it has no \/bin\/sh/,
      (root) => rmSync(join(root, 'bin/sh')),
    ],
    [
      'of another base',
      /its \/etc\/os-release says debian@13/,
      (root) => writeFileSync(join(root, 'etc/os-release'), 'ID=debian\nVERSION_ID="13"\n'),
    ],
    ['without a release', /has no ID and VERSION_ID/, (root) => rmSync(join(root, 'etc/os-release'))],
    [
      'of another architecture',
      /its \/bin\/sh is for riscv64, this host is/,
      (root) => {
        const header = Buffer.alloc(64);
        header.write('\x7fELF\x02\x01', 'latin1');
        header.writeUInt16LE(243, 18);
        writeFileSync(join(root, 'bin/sh'), header);
      },
    ],
    [
      'without setpriv',
      /it has no setpriv/,
      (root) => {
        for (const path of ['bin', 'usr/bin']) rmSync(join(root, path, 'setpriv'), { force: true });
      },
    ],
    [
      'without the loader of our programs',
      /which the machine agent needs/,
      (root) => {
        rmSync(join(root, 'lib64'), { recursive: true, force: true });
        rmSync(join(root, 'lib/ld-linux-aarch64.so.1'), { force: true });
      },
    ],
    [
      'without a library of our programs',
      /the machine agent does not run on it: error while loading shared libraries: libstdc\+\+\.so\.6: cannot open/,
      (root) => execFileSync('find', [root, '-name', 'libstdc++.so.6', '-delete']),
    ],
    [
      'with a broken library of our programs',
      /the machine agent does not run on it: .*libstdc\+\+\.so\.6: file too short/,
      (root) =>
        execFileSync('find', [root, '-name', 'libstdc++.so.6', '-exec', 'truncate', '-s', '0', '{}', ';']),
    ],
    [
      'whose links lead out of it',
      /has no ID and VERSION_ID/,
      (root) => {
        rmSync(join(root, 'etc/os-release'));
        symlinkSync('../../../../../../../../etc/os-release', join(root, 'etc/os-release'));
      },
    ],
  ])('An image %s is refused, and leaves nothing', async (_, message, change) => {
    await expect(add(pack({ change }))).rejects.toMatchObject({
      code: 'not valid',
      message: expect.stringMatching(message) as string,
    });
    expect(await open().list()).toEqual([]);
    expect(inside()).toEqual([]);
  });

  test('A file that is no archive is refused as an image', async () => {
    const file = join(folder, 'file.tar');
    writeFileSync(file, 'not an archive, though it is quite long'.repeat(100));
    await expect(add(file)).rejects.toMatchObject({
      code: 'not valid',
      message: expect.stringMatching(
        /tar cannot read the file as an archive: tar: This does not look like a tar/,
      ) as string,
    });
    expect(inside()).toEqual([]);
  });

  test('An image whose adding was cancelled or killed leaves nothing', async () => {
    const left = join(images, 'ubuntu@24.04', 'x.partial');
    mkdirSync(left, { recursive: true });
    writeFileSync(join(left, 'file'), '');
    await open().sweep();
    expect(inside()).toEqual([]);
    const archive = pack();
    const cancelled = new AbortController();
    const adding = add(archive, noble, cancelled.signal);
    cancelled.abort(new Error('cancelled'));
    await expect(adding).rejects.toThrow('cancelled');
    expect(inside()).toEqual([]);
  });

  test('A replaced image applies to later machines; the old one stays while machines run on it', async () => {
    await add(pack());
    const first = (await findImage(images, noble))!.id;
    used.add(first);
    await add(pack());
    const second = (await findImage(images, noble))!.id;
    expect(second).not.toBe(first);
    expect(existsSync(join(images, first, 'bin/sh'))).toBe(true);
    used.clear();
    await open().sweep();
    expect(existsSync(join(images, first))).toBe(false);
    expect(existsSync(join(images, second, 'bin/sh'))).toBe(true);
    expect(await open().list()).toHaveLength(1);
  });

  test('An image is not removed while machines run on it', async () => {
    await add(pack());
    const { id } = (await findImage(images, noble))!;
    used.add(id);
    await expect(open().remove(noble)).rejects.toThrow('machines run on ubuntu@24.04: remove them first');
    used.clear();
    await open().remove(noble);
    expect(inside()).toEqual([]);
    await expect(open().remove(noble)).rejects.toMatchObject({ code: 'not found' });
  });
});

test('A host without overlay mounts refuses images', async () => {
  await expect(
    open(false).add({ base: noble, archive: 'any', progress: () => undefined }, never),
  ).rejects.toMatchObject({
    code: 'not supported',
    message: expect.stringMatching(/plain processes/) as string,
  });
});

test('An image of a base without known packages needs an archive', async () => {
  const adding = open().add({ base: parseBase('centos@9'), progress: () => undefined }, never);
  await expect(adding).rejects.toThrow('no source of packages is known for centos@9');
  expect(inside()).toEqual([]);
});

test('Links in a root are resolved as by a process inside it', async () => {
  const root = join(folder, 'root');
  mkdirSync(join(root, 'usr/lib'), { recursive: true });
  writeFileSync(join(root, 'usr/lib/file'), '');
  symlinkSync('/usr/lib', join(root, 'lib'));
  symlinkSync('../../../usr/lib/file', join(root, 'up'));
  symlinkSync('loop', join(root, 'loop'));
  expect(await locate(root, '/lib/file')).toBe(join(root, 'usr/lib/file'));
  expect(await locate(root, 'up')).toBe(join(root, 'usr/lib/file'));
  expect(await locate(root, '/loop')).toBeUndefined();
  expect(await locate(root, '/lib/absent')).toBeUndefined();
  expect(execFileSync('ls', [root], { encoding: 'utf8' })).toContain('loop');
});
