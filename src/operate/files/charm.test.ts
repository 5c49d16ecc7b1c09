import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { readZip } from '../../testing/read-zip.ts';
import { describeCheckout } from './describe-checkout.ts';
import { readCharm } from './read-charm.ts';
import { packCharm, zipCharm } from './zip-charm.ts';

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'grigri-charm-'))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function write(files: Record<string, string>): string {
  const charm = join(folder, 'charm');
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(charm, name)), { recursive: true });
    writeFileSync(join(charm, name), content, {
      mode: name.startsWith('hooks/') || name === 'dispatch' ? 0o755 : 0o644,
    });
  }
  return charm;
}
const good = {
  'metadata.yaml': 'name: kv\nsummary: s\ndescription: d\n',
  'hooks/install': '#!/bin/sh\n',
  revision: '7\n',
};

describe('readCharm', () => {
  test('readCharm reads a directory', async () => {
    const { kind, charm, revision } = await readCharm(write(good));
    expect({ kind, name: charm.meta.name, revision }).toEqual({ kind: 'directory', name: 'kv', revision: 7 });
  });

  test('readCharm reads a charm that has only charmcraft.yaml and a dispatch', async () => {
    const path = write({
      'charmcraft.yaml': 'name: kv\nsummary: s\ndescription: d\ntype: charm\n',
      dispatch: '#!/bin/sh\n',
    });
    expect((await readCharm(path)).charm.meta.name).toBe('kv');
  });

  test('readCharm reads an archive as it reads a directory', async () => {
    const path = write(good);
    const archive = join(folder, 'kv.charm');
    await zipCharm(path, archive);
    const [fromDirectory, fromArchive] = [await readCharm(path), await readCharm(archive)];
    expect(fromArchive).toEqual({ ...fromDirectory, kind: 'archive', path: archive });
  });

  test.each([
    [{ 'hooks/install': '' }, 'neither metadata.yaml nor charmcraft.yaml'],
    [{ 'metadata.yaml': good['metadata.yaml'] }, 'neither hooks/ nor dispatch'],
    [{ 'charmcraft.yaml': good['metadata.yaml'], 'src/charm.py': '' }, 'how it is built: charmcraft pack'],
    [{ ...good, 'metadata.yaml': 'name: [' }, 'metadata.yaml: '],
    [
      { ...good, 'metadata.yaml': 'name: NotValid\nsummary: s\ndescription: d\n' },
      '/charm: metadata: invalid charm name "NotValid"',
    ],
    [{ ...good, 'metadata.yaml': '- name: kv\n' }, '/charm: metadata: expected a map'],
    [{ ...good, 'config.yaml': 'options: []' }, '/charm: invalid config: options: expected a map'],
    [{ ...good, 'manifest.yaml': 'bases: 5' }, '/charm: '],
  ])('readCharm refuses %j', async (files, message) => {
    await expect(readCharm(write(files))).rejects.toThrow(message);
  });

  test('readCharm refuses a dispatch that is not executable, and says how to fix it', async () => {
    const path = write({ ...good, dispatch: '#!/bin/sh\n' });
    chmodSync(join(path, 'dispatch'), 0o644);
    await expect(readCharm(path)).rejects.toThrow(`dispatch is not executable (chmod +x ${path}/dispatch)`);
  });

  test('readCharm refuses a pipe as a charm, and in one', async () => {
    const pipe = join(folder, 'pipe.charm');
    execFileSync('mkfifo', [pipe]);
    await expect(readCharm(pipe)).rejects.toThrow('is not a charm: it is neither a file nor a folder');
    const path = write(good);
    rmSync(join(path, 'metadata.yaml'));
    renameSync(pipe, join(path, 'metadata.yaml'));
    await expect(readCharm(path)).rejects.toThrow('metadata.yaml is not a file');
  });

  test('readCharm keeps a serial number with a leading zero as text', async () => {
    const path = write({ ...good, 'config.yaml': 'options: {key: {type: string, default: 01182252}}' });
    expect((await readCharm(path)).charm.config['key']?.default).toBe('01182252');
  });

  test('readCharm refuses a file that is no archive, and a path that does not exist', async () => {
    writeFileSync(join(folder, 'x.charm'), 'not a zip');
    await expect(readCharm(join(folder, 'x.charm'))).rejects.toThrow(
      'is not a charm archive, and no folder of a charm',
    );
    await expect(readCharm(join(folder, 'nothing'))).rejects.toThrow('no charm was found at');
  });
});

describe('zipCharm', () => {
  test('zipCharm keeps modes and links, and leaves out version control and old builds', async () => {
    const path = write({
      ...good,
      'src/lib.py': 'x',
      '.git/HEAD': 'x',
      'old.charm': 'x',
      'build/x': 'x',
      'src/__pycache__/a.pyc': 'x',
      'lib/build/y': 'y',
    });
    symlinkSync('install', join(path, 'hooks/start'));
    const archive = join(folder, 'a.zip');
    await zipCharm(path, archive);
    const entries = await readZip(archive);
    expect(
      entries.map(({ name, mode, content }) => [
        name,
        mode.toString(8),
        name === 'hooks/start' ? content : '',
      ]),
    ).toEqual([
      ['hooks/', '40755', ''],
      ['hooks/install', '100755', ''],
      ['hooks/start', '120777', 'install'],
      ['lib/', '40755', ''],
      ['lib/build/', '40755', ''],
      ['lib/build/y', '100644', ''],
      ['metadata.yaml', '100644', ''],
      ['revision', '100644', ''],
      ['src/', '40755', ''],
      ['src/lib.py', '100644', ''],
    ]);
  });

  test('zipCharm writes git’s version of the folder over the version file of the charm', async () => {
    const path = write({ ...good, version: 'by hand\n' });
    const archive = join(folder, 'a.zip');
    const versionIn = async (): Promise<string | undefined> => {
      await packCharm(path, archive);
      return (await readZip(archive)).find(({ name }) => name === 'version')?.content;
    };
    // The ceiling hides any checkout that the folder for temporary files may lie in.
    vi.stubEnv('GIT_CEILING_DIRECTORIES', folder);
    const git = (...args: string[]): string =>
      execFileSync('git', ['-C', path, '-c', 'user.name=t', '-c', 'user.email=t@t', ...args], {
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'pipe'],
      }).trim();
    expect(await versionIn()).toBe('by hand\n');
    git('init', '-q');
    expect(await versionIn()).toBe('by hand\n');
    git('add', '.');
    git('commit', '-qm', 'one');
    const commit = git('rev-parse', '--short', 'HEAD');
    expect(await versionIn()).toBe(commit);
    git('tag', '-am', 'v1', 'v1');
    writeFileSync(join(path, 'metadata.yaml'), `${readFileSync(join(path, 'metadata.yaml'), 'utf8')}\n`);
    expect(await versionIn()).toBe('v1-dirty');
    vi.unstubAllEnvs();
  });

  test('describeCheckout runs git only in a checkout: in its folders, by a link to them, or in a worktree', async () => {
    const [top, bin] = [join(folder, 'top'), join(folder, 'bin')];
    const charm = join(top, 'charms/mine');
    mkdirSync(charm, { recursive: true });
    mkdirSync(bin);
    writeFileSync(join(bin, 'git'), '#!/bin/sh\necho described\n', { mode: 0o755 });
    symlinkSync(charm, join(folder, 'link'));
    vi.stubEnv('PATH', `${bin}:${process.env['PATH']}`);
    try {
      expect(await describeCheckout(charm)).toBe('');
      mkdirSync(join(top, '.git'));
      expect(await describeCheckout(charm)).toBe('described');
      expect(await describeCheckout(join(folder, 'link'))).toBe('described');
      expect(await describeCheckout(join(folder, 'missing'))).toBe('');
      rmSync(join(top, '.git'), { recursive: true });
      writeFileSync(join(charm, '.git'), 'gitdir: elsewhere\n');
      expect(await describeCheckout(charm)).toBe('described');
    } finally {
      vi.unstubAllEnvs();
    }
  });

  test('zipCharm makes hooks executable, whatever their modes in the folder', async () => {
    const path = write(good);
    chmodSync(join(path, 'hooks/install'), 0o644);
    await zipCharm(path, join(folder, 'a.zip'));
    const entries = await readZip(join(folder, 'a.zip'));
    expect(entries.find(({ name }) => name === 'hooks/install')?.mode).toBe(0o100755);
  });

  test('zipCharm leaves out .jujuignore and the files that it names', async () => {
    const path = write({
      ...good,
      '.jujuignore': '*.md\n/tests/\n',
      'README.md': '',
      'tests/a.py': '',
      'lib/tests/a': '',
    });
    await zipCharm(path, join(folder, 'a.zip'));
    const names = (await readZip(join(folder, 'a.zip'))).map(({ name }) => name);
    expect(names).toEqual([
      'hooks/',
      'hooks/install',
      'lib/',
      'lib/tests/',
      'lib/tests/a',
      'metadata.yaml',
      'revision',
    ]);
  });

  test.each([
    ['with a charmcraft.yaml', { 'charmcraft.yaml': 'type: charm\n' }, []],
    ['without one', {}, ['prime/lib', 'stage/lib']],
  ])('folders that charmcraft builds in are left out of a charm %s', async (_, files, expected) => {
    const path = write({ ...good, ...files, 'build/lib': '', 'prime/lib': '', 'stage/lib': '' });
    await zipCharm(path, join(folder, 'a.zip'));
    const names = (await readZip(join(folder, 'a.zip'))).map(({ name }) => name);
    expect(names.filter((name) => name.endsWith('/lib'))).toEqual(expected);
  });

  test('zipCharm turns charmcraft.yaml into the files that units read, and replaces no file', async () => {
    const charmcraft =
      'name: kv\ntype: charm\nsummary: s\ndescription: d\nbase: debian@12\n' +
      'config: {options: {port: {type: int}}}\nactions: {backup: {}}\n';
    const path = write({
      'charmcraft.yaml': charmcraft,
      'actions.yaml': 'dump: {}\n',
      dispatch: '#!/bin/sh\n',
    });
    const archive = join(folder, 'kv.charm');
    await zipCharm(path, archive);
    const [fromDirectory, fromArchive] = [await readCharm(path), await readCharm(archive)];
    expect(fromArchive.charm).toEqual(fromDirectory.charm);
    expect(fromArchive.charm).toMatchObject({ config: { port: { type: 'int' } }, actions: { dump: {} } });
    expect(fromArchive.charm.bases).toHaveLength(1);
  });

  test('zipCharm makes the same archive of the same files', async () => {
    const path = write(good);
    await zipCharm(path, join(folder, 'a.zip'));
    utimesSync(join(path, 'metadata.yaml'), 1, 1);
    await zipCharm(path, join(folder, 'b.zip'));
    expect(readFileSync(join(folder, 'a.zip')).equals(readFileSync(join(folder, 'b.zip')))).toBe(true);
  });

  test.each(['/etc/passwd', '../../outside', 'a/../../..'])(
    'zipCharm refuses a link to %s',
    async (target) => {
      const path = write(good);
      symlinkSync(target, join(path, 'hooks/start'));
      await expect(zipCharm(path, join(folder, 'a.zip'))).rejects.toThrow('which is not in the charm');
    },
  );

  test('zipCharm fails when a file is removed while the charm is read, and the process goes on', async () => {
    const path = write({ ...good, 'hooks/start': '#!/bin/sh\n' });
    const zipping = zipCharm(path, join(folder, 'a.zip'));
    rmSync(path, { recursive: true });
    await expect(zipping).rejects.toThrow('ENOENT');
  });
});
