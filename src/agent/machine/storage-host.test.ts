import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { storageHost } from './storage-host.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'grigri-storage-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

test('the table of file systems is replaced whole, with its mode, so that a machine never has half a table', async () => {
  const fstab = join(folder, 'fstab');
  const others = '# the machine\nUUID=1 / ext4 defaults 0 1\n';
  const [source, target] = [join(folder, 'data/storage/rootfs/0/0'), join(folder, 'srv')];
  writeFileSync(fstab, `${others}${source} ${target} none defaults,bind,nofail 0 0\n`, { mode: 0o640 });
  const records = join(folder, 'data/storage/mounts');
  mkdirSync(records, { recursive: true });
  writeFileSync(join(records, 'data 0'), JSON.stringify({ id: 'data/0', source, target }));
  const before = statSync(fstab);
  const host = storageHost({ dataDir: join(folder, 'data'), ownRoot: true, fstab });
  expect(await host.mounted()).toEqual(['data/0']);
  await host.forget('data/0');
  expect(readFileSync(fstab, 'utf8')).toBe(others);
  const after = statSync(fstab);
  expect(after.mode & 0o777).toBe(0o640);
  // Another file took the place of the old one.
  expect(after.ino).not.toBe(before.ino);
  expect(readdirSync(folder).sort()).toEqual(['data', 'fstab']);
  expect(await host.mounted()).toEqual([]);
});

/**
 * Runs the program as a root that has no devices and may not mount those of the kernel. The program sees the folder as
 * /mnt.
 */
function withoutDevices(folder: string, ...argv: readonly string[]) {
  const script = 'mount --bind "$1" /mnt; mount -t tmpfs none /dev; shift; exec "$@"';
  const namespaces = ['--user', '--map-root-user', '--mount'];
  return spawnSync('unshare', [...namespaces, 'sh', '-ec', script, 'sh', folder, ...argv], {
    encoding: 'utf8',
  });
}

/**
 * Tries user namespaces in a new folder: within another user's namespace the kernel binds no folder that has mounts
 * below it, and other tests mount below the folder for temporary files.
 */
function hasUserNamespaces(): boolean {
  const empty = mkdtempSync(join(tmpdir(), 'grigri-namespaces-'));
  try {
    return withoutDevices(empty, 'true').status === 0;
  } finally {
    rmSync(empty, { recursive: true });
  }
}

describe.skipIf(!hasUserNamespaces())('storage (skipped without user namespaces)', () => {
  test('a machine without loop devices says so, and lets its disk go', () => {
    const program = `
    import { storageHost } from ${JSON.stringify(join(import.meta.dirname, 'storage-host.ts'))};
    const host = storageHost({ dataDir: '/mnt', ownRoot: true });
    const its = { id: 'disk/0', type: 'block', provider: 'loop', number: '0/0', volume: '0/0', size: 1 };
    await host.make(its);
    await host.mount(its).catch((error) => console.log(error.message));
    console.log(await host.mounted());
    await host.destroy(its);
    console.log(await host.mounted());
  `;
    const { stdout } = withoutDevices(folder, process.execPath, '--input-type=module', '--eval', program);
    const [why, ...mounts] = stdout.trim().split('\n');
    expect(why).toMatch(/^this machine cannot have loop devices \(/);
    expect(mounts).toEqual(["[ 'disk/0' ]", '[]']);
    expect(readdirSync(join(folder, 'storage/loop'))).toEqual([]);
  });
});
