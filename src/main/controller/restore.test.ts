import { execFileSync } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import {
  appendFileSync,
  cpSync,
  createReadStream,
  createWriteStream,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { zstdDecompressSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { defined } from '../../core/defined.ts';
import { firstNumbers } from '../../core/sequence/document.ts';
import { isHeld } from '../../core/model/restored.ts';
import { recipientOfKey } from '../../kit/sealed/recipient.ts';
import { sealFor } from '../../kit/sealed/sealed-stream.ts';
import { createSimulatedProvider } from '../../providers/clouds/simulated/index.ts';
import { eventually } from '../../testing/eventually.ts';
import { schema } from '../../store/sqlite/schema.ts';
import { testController, type TestController } from '../../testing/controller.ts';
import { restoreOffline } from './restore.ts';

let folder: string;
let controller: TestController;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'grigri-restore-'));
  controller = await testController(createSimulatedProvider());
});
afterAll(async () => {
  await controller[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

const modelsOf = (one: TestController): string[] =>
  [...one.running().store.read().in('').list('model')].map(({ name }) => name).sort();

const heldOf = (one: TestController): Record<string, boolean> =>
  Object.fromEntries(
    [...one.running().store.read().in('').list('model')].map((model) => [model.name, isHeld(model)]),
  );

async function backup(one: TestController): Promise<string> {
  const { path } = await one.running().services.backups!.create({ notes: '' });
  return path;
}

test('a restored controller is as it was when the backup was made', async () => {
  const { blobs } = controller.running().services;
  await controller.addModel('kept');
  // Nothing refers to the file: it is kept until the archive has it, and may go afterwards.
  const [{ sha256 }, archive] = await blobs.keep(async () => [
    await blobs.put(Buffer.from('content')),
    await backup(controller),
  ]);
  await controller.addModel('forgotten');
  blobs.remove(sha256, () => false);
  const numbers = readFileSync(join(controller.dataDir, 'backup-numbers.json'), 'utf8');
  const place = join(controller.dataDir, 'blobs', sha256.slice(0, 2), sha256);
  let restored: object = {};
  await controller.restart(async () => {
    expect(existsSync(place)).toBe(false);
    restored = await restoreOffline(controller.dataDir, { archive });
    expect(readFileSync(place, 'utf8')).toBe('content');
  });
  expect(restored).toMatchObject({ before: join(controller.dataDir, 'before-restore-1') });
  expect(modelsOf(controller)).toEqual(['controller', 'kept']);
  // No later backup has the ID of one that the restored store does not know.
  expect(readFileSync(join(controller.dataDir, 'backup-numbers.json'), 'utf8')).toBe(numbers);
  // What was there may have given numbers since the backup.
  expect(controller.running().store.read().in('').get('sequence', firstNumbers)?.next).toBe(2000);
  await controller.addModel('forgotten');
  expect(heldOf(controller)).toEqual({ controller: true, kept: true, forgotten: false });
  expect(existsSync(join(controller.dataDir, 'restored.json'))).toBe(false);
  expect(readdirSync(join(controller.dataDir, 'before-restore-1'))).toEqual(
    expect.arrayContaining(['controller.json', 'secrets.db', 'store.db']),
  );
  expect(readdirSync(controller.dataDir).filter((name) => name.startsWith('restore-'))).toEqual([]);
});

test('a backup that is made while models are added has those added first, without a gap', async () => {
  let isAdding = true;
  const adding = (async () => {
    for (let n = 0; isAdding; n++) await controller.addModel(`m${String(n).padStart(4, '0')}`);
  })();
  await eventually(() => expect(modelsOf(controller)).toContain('m0002'));
  const archive = await backup(controller);
  isAdding = false;
  await adding;
  const all = modelsOf(controller).filter((name) => /^m\d/.test(name));
  await controller.restart(async () => void (await restoreOffline(controller.dataDir, { archive })));
  const kept = modelsOf(controller).filter((name) => /^m\d/.test(name));
  expect(kept.length).toBeGreaterThanOrEqual(3);
  expect(kept).toEqual(all.slice(0, kept.length));
});

test('a backup is restored into an empty folder', async () => {
  const archive = await backup(controller);
  const empty = join(folder, 'new', 'host');
  const { before } = await restoreOffline(empty, { archive });
  expect(before).toBeUndefined();
  expect(readdirSync(empty).sort()).toEqual(['controller.json', 'restored.json', 'secrets.db', 'store.db']);
  expect(readFileSync(join(empty, 'controller.json'), 'utf8')).toBe(
    readFileSync(join(controller.dataDir, 'controller.json'), 'utf8'),
  );
});

test('a program that was being tried is tried no more on a restored store', async () => {
  const archive = await backup(controller);
  const place = join(folder, 'in-trial');
  const [current, build] = ['a'.repeat(64), 'b'.repeat(64)];
  mkdirSync(join(place, 'programs'), { recursive: true });
  const choice = join(place, 'programs', 'chosen.json');
  writeFileSync(
    choice,
    JSON.stringify({ current, trying: { build, attempt: 0, starts: 1, format: schema.length - 1 } }),
  );
  await restoreOffline(place, { archive });
  expect(JSON.parse(readFileSync(choice, 'utf8'))).toEqual({ current });
});

test('a controller leaves its directory for another one: its machines go along, and it starts there no more', async () => {
  const archive = await backup(controller);
  const [old, place] = [join(folder, 'left'), join(folder, 'moved-to')];
  await restoreOffline(old, { archive });
  mkdirSync(join(old, 'machines', 'model'), { recursive: true });
  writeFileSync(join(old, 'machines', 'model', 'model.json'), '{}');
  for (const name of ['backups', 'logs', 'programs', 'agents', 'tools'])
    mkdirSync(join(old, name, 'of-old'), { recursive: true });
  const files = ['audit.log', 'audit-2026.log', 'backup-numbers.json'];
  for (const name of files) writeFileSync(join(old, name), 'of old');
  mkdirSync(join(place, 'agents'), { recursive: true });
  mkdirSync(join(place, 'machines', 'another'), { recursive: true });
  const move = () => restoreOffline(place, { archive, oldDataDir: old });
  await expect(move()).rejects.toThrow('has machines already');
  expect(existsSync(join(old, 'store.db'))).toBe(true);
  rmSync(join(place, 'machines', 'another'), { recursive: true });
  // What a killed restore has moved is found moved by the next one.
  for (let n = 0; n < 2; n++) {
    await move();
    for (const one of [old, place])
      expect(readdirSync(join(one, 'machines', 'model'))).toEqual(['model.json']);
    expect(realpathSync(join(old, 'machines'))).toBe(join(place, 'machines'));
    expect(readdirSync(old).sort()).toEqual(['agents', 'machines', 'restored.json', 'tools']);
  }
  expect(readdirSync(join(place, 'before-restore-1')).sort()).toEqual([
    'controller.json',
    'secrets.db',
    'store.db',
  ]);
  expect(readdirSync(place)).toEqual(expect.arrayContaining(files));
  for (const name of ['backups', 'logs', 'programs'])
    expect(readdirSync(join(place, name))).toEqual(['of-old']);
  expect(readdirSync(join(place, 'agents'))).toEqual([]);
});

test('a controller leaves its directory only when its machines have moved, so that a move may be run again', async () => {
  const archive = await backup(controller);
  const [old, place] = [join(folder, 'not-left'), join(folder, 'moved-again-to')];
  await restoreOffline(old, { archive });
  mkdirSync(join(old, 'machines', 'model'), { recursive: true });
  mkdirSync(place);
  writeFileSync(join(place, 'machines'), 'in the way');
  await expect(restoreOffline(place, { archive, oldDataDir: old })).rejects.toThrow('ENOTDIR');
  expect(readdirSync(old)).toEqual(expect.arrayContaining(['controller.json', 'store.db']));
  rmSync(join(place, 'machines'));
  // A kill before the link leads to the machines.
  renameSync(join(old, 'machines'), join(place, 'machines'));
  await restoreOffline(place, { archive, oldDataDir: old });
  expect(readdirSync(join(old, 'machines'))).toEqual(['model']);
});

test('a controller does not move from a directory that has nothing of it, that is the same, or where it runs', async () => {
  const archive = await backup(controller);
  const place = join(folder, 'not-moved-to');
  const cases = [
    [folder, 'has neither a controller nor machines'],
    [place, 'is the directory to restore in'],
    [controller.dataDir, 'is in use: stop the controller first'],
  ] as const;
  for (const [oldDataDir, why] of cases)
    await expect(restoreOffline(place, { archive, oldDataDir }), oldDataDir).rejects.toThrow(why);
  expect(readdirSync(place)).toEqual([]);
});

test('files that a killed restore left are removed by the next restore', async () => {
  const archive = await backup(controller);
  const place = join(folder, 'again');
  mkdirSync(join(place, 'restore-killed'), { recursive: true });
  writeFileSync(join(place, 'restore-killed', 'controller.json'), 'keys');
  await restoreOffline(place, { archive });
  expect(readdirSync(place).filter((name) => name.startsWith('restore-'))).toEqual([]);
});

test('a running controller is not restored, and a backup in progress does not release the lock of its store', async () => {
  const archive = await backup(controller);
  for (const name of ['store.db', 'secrets.db'])
    expect(inOtherProcess(join(controller.dataDir, name)), name).toContain('database is locked');
  await expect(restoreOffline(controller.dataDir, { archive })).rejects.toThrow(
    'is in use: stop the controller first',
  );
});

/** The answer that another process gets when it opens the database: a process's own locks do not concern it. */
function inOtherProcess(path: string): string {
  const script = `const { DatabaseSync } = require('node:sqlite');
    try { new DatabaseSync(process.argv[1]).exec('BEGIN EXCLUSIVE'); } catch (error) { console.log(error.message); }`;
  return execFileSync(process.execPath, ['-e', script, path], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
}

/** Packs the parts of a backup again, changed, as earlier versions did. */
function changed(archive: string, name: string, change: (inside: string) => void): string {
  const work = join(folder, name);
  mkdirSync(work);
  execFileSync('tar', ['-x', '-C', work], { input: zstdDecompressSync(readFileSync(archive)) });
  change(join(work, 'juju-backup'));
  const path = join(folder, `${name}.tar.gz`);
  execFileSync('tar', ['-czf', path, '-C', work, 'juju-backup']);
  return path;
}

test('an archive that is not whole, or of another controller, changes nothing', async () => {
  const { blobs } = controller.running().services;
  const archive = await blobs.keep(async () => {
    await blobs.put(Buffer.from('a file'));
    return backup(controller);
  });
  const place = join(folder, 'place');
  await restoreOffline(place, { archive });
  const cut = join(folder, 'cut.tar.zst');
  cpSync(archive, cut);
  truncateSync(cut, 2000);
  const settings = (inside: string, values: object): void => {
    const path = join(inside, 'controller.json');
    writeFileSync(path, JSON.stringify({ ...(JSON.parse(readFileSync(path, 'utf8')) as object), ...values }));
  };
  const damage = (path: string): void => {
    const bytes = readFileSync(path);
    bytes.fill(0x55, 4096, 40_000);
    writeFileSync(path, bytes);
  };
  const joined = (name: string, ...parts: readonly Buffer[]): string => {
    writeFileSync(join(folder, name), Buffer.concat(parts));
    return join(folder, name);
  };
  const [own, gzip] = [archive, changed(archive, 'same', () => undefined)].map((path) => readFileSync(path));
  const text = join(folder, 'text');
  writeFileSync(text, 'no archive');
  const cases = [
    [cut, 'is no backup, or was cut off'],
    [text, 'it begins neither as zstd nor as gzip'],
    [joined('twice.tar.zst', own!, own!), 'something follows its end'],
    [joined('more.tar.zst', own!, Buffer.from('more bytes')), 'it is not compressed by zstd'],
    [joined('twice.tar.gz', gzip!, gzip!), 'is no backup, or was cut off'],
    [joined('more.tar.gz', gzip!, Buffer.from('more bytes')), 'is no backup, or was cut off'],
    [joined('both.tar.gz', gzip!, own!), 'is no backup, or was cut off'],
    [join(folder, 'nothing'), 'no archive at'],
    [
      changed(archive, 'other', (inside) => settings(inside, { uuid: 'another' })),
      'the backup is of controller another',
    ],
    [
      changed(archive, 'form', (inside) =>
        writeFileSync(join(inside, 'metadata.json'), '{"FormatVersion":2}'),
      ),
      'format 2',
    ],
    [changed(archive, 'empty', (inside) => rmSync(join(inside, 'metadata.json'))), 'format undefined'],
    [changed(archive, 'store', (inside) => rmSync(join(inside, 'store.db'))), 'the backup has no store.db'],
    [changed(archive, 'rows', (inside) => damage(join(inside, 'store.db'))), /damaged|malformed/],
    [
      changed(archive, 'secrets', (inside) => rmSync(join(inside, 'secrets.db'))),
      'the backup has no secrets.db',
    ],
  ] as const;
  const state = (): string => readdirSync(place, { recursive: true, encoding: 'utf8' }).sort().join('\n');
  const before = state();
  for (const [path, message] of cases)
    await expect(restoreOffline(place, { archive: path }), path).rejects.toThrow(message);
  expect(state()).toBe(before);
  const blob = changed(archive, 'blob', (inside) => {
    const files = readdirSync(join(inside, 'blobs'), { recursive: true, encoding: 'utf8' });
    appendFileSync(
      join(
        inside,
        'blobs',
        files.find((file) => file.length > 60)!,
      ),
      'x',
    );
  });
  const other = join(folder, 'other-place');
  await expect(restoreOffline(other, { archive: blob })).rejects.toThrow('in the backup is damaged');
  expect(existsSync(join(other, 'store.db'))).toBe(false);
});

test('a sealed archive that is cut off, or is for another, changes nothing', async () => {
  const keys = () =>
    generateKeyPairSync('x25519', {
      publicKeyEncoding: { format: 'pem', type: 'spki' },
      privateKeyEncoding: { format: 'pem', type: 'pkcs8' },
    });
  const [mine, other] = [keys(), keys()];
  const { sealing } = sealFor(recipientOfKey(mine.publicKey));
  const [whole, cut] = [join(folder, 'whole.sealed'), join(folder, 'cut.sealed')];
  await pipeline(createReadStream(await backup(controller)), sealing, createWriteStream(whole));
  cpSync(whole, cut);
  truncateSync(cut, 5000);
  const place = join(folder, 'sealed-place');
  for (const [archive, opener, message] of [
    [cut, { privateKey: mine.privateKey }, /^cannot open \S+: it was changed or cut off$/],
    [whole, { privateKey: other.privateKey }, /^cannot open \S+: it is sealed for another key$/],
    [whole, { passphrase: 'any words' }, /^cannot open \S+: it is sealed for a key, not with a passphrase$/],
    [whole, undefined, 'is sealed: give its passphrase or private key'],
  ] as const)
    await expect(restoreOffline(place, { archive, ...defined({ opener }) })).rejects.toThrow(message);
  expect(readdirSync(place)).toEqual([]);
  await restoreOffline(place, { archive: whole, opener: { privateKey: mine.privateKey } });
  expect(readdirSync(place)).toContain('store.db');
});
