import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { zstdDecompressSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { send } from '../client/http.ts';
import { limits } from '../core/limits.ts';
import { createSimulatedProvider } from '../providers/clouds/simulated/index.ts';
import { knowController, testCli, type TestCli } from '../testing/cli.ts';
import { testController, type TestController } from '../testing/controller.ts';

let cli: TestCli;
let controller: TestController;
let folder: string;
beforeAll(async () => {
  cli = testCli();
  controller = await testController(createSimulatedProvider());
  folder = join(controller.dataDir, 'backups');
  await knowController(cli, controller);
  await controller.addModel('work');
  await cli.run('switch work');
});
afterAll(async () => {
  cli[Symbol.dispose]();
  await controller[Symbol.asyncDispose]();
});

async function run(line: string | readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await cli.run(line);
  return `${code === 0 ? '' : `${code}: `}${stderr}${stdout}`;
}

/** What tar says of an archive. */
function tar(archive: string, ...args: readonly string[]): string {
  return execFileSync('tar', args, { input: zstdDecompressSync(readFileSync(archive)), encoding: 'utf8' });
}

const filesOf = (archive: string): string[] => tar(archive, '-t').trimEnd().split('\n');

test('a backup is described, downloaded, and then no longer on the controller', async () => {
  const said = await run(['create-backup', '--filename', 'mine.tar.zst', 'before the change']);
  expect(said).toMatch(/^Downloaded to mine\.tar\.zst\nbackup ID: +\d{8}-\d{6}\.[0-9a-f-]{36}\n/);
  expect(said).toMatch(/\nnotes: +before the change\n$/);
  const archive = join(cli.folder, 'mine.tar.zst');
  expect(filesOf(archive)).toEqual(
    expect.arrayContaining(
      ['metadata.json', 'controller.json', 'store.db', 'secrets.db'].map((file) => `juju-backup/${file}`),
    ),
  );
  expect(statSync(archive).mode & 0o777).toBe(0o600);
  const metadata = tar(archive, '-xO', 'juju-backup/metadata.json');
  expect(JSON.parse(metadata)).toMatchObject({
    FormatVersion: 1,
    Notes: 'before the change',
    ModelUUID: controller.controllerModel,
    ControllerMachineID: '0',
    HANodes: 1,
  });
  expect(readdirSync(folder)).toEqual([]);
  expect(readdirSync(join(controller.dataDir, 'uploads'))).toEqual([]);
});

test('a backup that is not downloaded stays, and is downloaded later by its path', async () => {
  const { stderr } = await cli.run('create-backup --no-download');
  const path = /^Remote backup stored on the controller as (\S+)\n$/.exec(stderr)![1]!;
  expect(dirname(path)).toBe(folder);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(await run(['download-backup', path, '--filename', 'later.tar.zst'])).toBe('later.tar.zst\n');
  expect(filesOf(join(cli.folder, 'later.tar.zst'))).toContain('juju-backup/store.db');
  expect(existsSync(path)).toBe(false);
  expect(await run(['download-backup', path])).toBe(`1: ERROR backup file "${path}" not found\n`);
});

test('a download without a name for its file replaces none, nor what another client downloads', async () => {
  const { stderr } = await cli.run('create-backup --no-download');
  const path = stderr.trimEnd().split(' ').at(-1)!;
  const stem = basename(path, '.tar.zst');
  const others = [`${stem}.tar.zst`, `${stem}-1.tar.zst.partial`];
  for (const name of others) writeFileSync(join(cli.folder, name), 'of another');
  expect(await run(['download-backup', path])).toBe(`${stem}-2.tar.zst\n`);
  expect(filesOf(join(cli.folder, `${stem}-2.tar.zst`))).toContain('juju-backup/store.db');
  for (const name of others) expect(readFileSync(join(cli.folder, name), 'utf8')).toBe('of another');
  expect(await run(['download-backup', path])).toBe(`1: ERROR backup file "${path}" not found\n`);
  expect(readdirSync(cli.folder).filter((name) => name.startsWith(stem))).toHaveLength(3);
});

test('a backup that does not fit on the disk of the client stays, until the command that the error names has fetched it', async () => {
  const file = join(cli.folder, 'full.tar.zst');
  symlinkSync('/dev/full', `${file}.partial`);
  const said = await run('create-backup --filename full.tar.zst');
  const [name] = readdirSync(folder);
  const command = `download-backup --filename FILE -m ctrl:admin/controller ${name}`;
  expect(said.split('\n').slice(0, 2)).toEqual([
    `1: ERROR cannot write ${file}: write: no space left on device; want 1MiB`,
    `The backup is still on the controller; this downloads it: grigri ${command}`,
  ]);
  expect(readdirSync(cli.folder).filter((one) => one.startsWith('full'))).toEqual([]);
  expect(await run(command.replace('FILE', 'full.tar.zst'))).toBe('full.tar.zst\n');
  expect(filesOf(file)).toContain('juju-backup/store.db');
  expect(readdirSync(folder)).toEqual([]);
});

test('a backup stays when a client has it that does not say so, as Juju’s do not', async () => {
  const { stderr } = await cli.run('create-backup --no-download');
  const id = stderr.trimEnd().split(' ').at(-1)!;
  const path = `/model/${controller.controllerModel}/backups`;
  const options = controller.connectOptions();
  const { body } = await send(options, controller.address, {
    method: 'GET',
    path,
    text: JSON.stringify({ id }),
  });
  expect(Buffer.from(await body.arrayBuffer()).equals(readFileSync(id))).toBe(true);
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(existsSync(id)).toBe(true);
  rmSync(id);
});

test.each([
  [
    'none/mine.tar.zst',
    /^1: ERROR cannot write none\/mine\.tar\.zst: access .*\/none: no such file or directory\n$/,
  ],
  ['.', /^1: ERROR cannot write \.: is a directory\n$/],
])('a backup is neither made nor downloaded when it cannot be written to %s', async (file, refusal) => {
  const before = readdirSync(folder);
  expect(await run(['create-backup', '--filename', file])).toMatch(refusal);
  expect(readdirSync(folder)).toEqual(before);
  const { stderr } = await cli.run('create-backup --no-download');
  const path = stderr.trimEnd().split(' ').at(-1)!;
  expect(await run(['download-backup', path, '--filename', file])).toMatch(refusal);
  expect(existsSync(path)).toBe(true);
  rmSync(path);
});

test('files beside the store are in a backup', async () => {
  const { blobs } = controller.running().services;
  const [{ sha256 }, { stderr }] = await blobs.keep(async () => [
    await blobs.put(Buffer.from('a charm')),
    await cli.run('create-backup'),
  ]);
  const file = /^Downloaded to (\S+)\n$/.exec(stderr)![1]!;
  const name = `juju-backup/blobs/${sha256.slice(0, 2)}/${sha256}`;
  expect(tar(join(cli.folder, file), '-xO', name)).toBe('a charm');
});

test('backup-dir says where backups are', async () => {
  const other = join(cli.folder, 'other');
  mkdirSync(other);
  expect(await run(['model-config', '-m', 'controller', `backup-dir=${other}`])).toBe('');
  const { stderr } = await cli.run('create-backup --no-download');
  expect(stderr).toContain(`${other}/juju-backup-`);
  expect(await run(['model-config', '-m', 'controller', 'backup-dir=/nowhere/at/all'])).toBe('');
  expect(await run('create-backup')).toBe('1: ERROR backup-dir "/nowhere/at/all" is no folder\n');
  expect(await run('model-config -m controller --reset backup-dir')).toBe('');
});

test('the partial archive of a killed controller is removed by that controller’s next backup, and archives of others stay', async () => {
  mkdirSync(folder, { recursive: true });
  const { uuid } = controller.running().store.read().in('').get('controller', 'self')!;
  const [own, others] = [uuid, 'another'].map((of) => join(folder, `juju-backup-1.tar.zst.${of}.partial`));
  for (const file of [own!, others!]) writeFileSync(file, 'x');
  expect((await cli.run('create-backup')).code).toBe(0);
  expect([own!, others!].map((file) => existsSync(file))).toEqual([false, true]);
  rmSync(others!);
});

test('one backup is made at a time', async () => {
  const connection = await controller.connect(controller.controllerModel);
  const make = (): Promise<unknown> =>
    connection.call('Backups', 'Create', { notes: '', 'no-download': true });
  const results = await Promise.allSettled([make(), make()]);
  await connection.close();
  expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  const refused = results.find((one) => one.status === 'rejected');
  expect(String(refused?.reason)).toContain('a backup is being made already');
});

test.each([
  ['-m work create-backup', 'backups are only supported from the controller model'],
  ['--no-download --filename x create-backup', 'cannot mix --no-download and --filename'],
  ['download-backup', 'missing filename'],
])('%s is refused: %s', async (line, message) => {
  const words = line.split(' ');
  const [name = '', flags] = [words.at(-1), words.slice(0, -1)];
  expect(await run([name, ...flags])).toContain(`ERROR ${message}`);
});

test('the notes of a backup have a limit', async () => {
  const { max } = limits.backupNotes;
  expect(await run(['create-backup', 'x'.repeat(max + 1)])).toMatch(
    /ERROR notes of a backup: 4097 characters/,
  );
});

test.each([
  ['one', 'one', '2: ERROR --old-data-dir is the directory of --data-dir\n'],
  ['one', 'gone', '1: ERROR no directory '],
])('a restore in %s with the old directory %s is refused, and makes no directory', async (to, from, why) => {
  const [dataDir, oldDataDir] = [to, from].map((name) => join(controller.dataDir, 'restores', name));
  const said = await run(`restore-backup --data-dir ${dataDir} --old-data-dir ${oldDataDir} archive`);
  expect(said).toContain(why);
  expect(existsSync(join(controller.dataDir, 'restores'))).toBe(false);
});

test('no path leads out of the folder of backups', async () => {
  mkdirSync(folder, { recursive: true });
  symlinkSync(join(controller.dataDir, 'controller.json'), join(folder, 'juju-backup-link.tar.zst'));
  mkdirSync(join(folder, 'juju-backup-folder.tar.zst'));
  writeFileSync(join(folder, 'other.tar.zst'), 'x');
  const outside = join(controller.dataDir, 'controller.json');
  const invalid = 'not valid: expected one that "backups" lists';
  for (const [path, answer] of [
    [outside, invalid],
    [join(folder, '..', 'controller.json'), invalid],
    [`${folder}/../backups/juju-backup-1.tar.zst`, invalid],
    ['juju-backup-1.tar.zst', 'not found'],
    ['..', invalid],
    ['', invalid],
    [join(folder, 'other.tar.zst'), invalid],
    [join(folder, 'juju-backup-link.tar.zst'), 'not found'],
    [join(folder, 'juju-backup-folder.tar.zst'), 'not found'],
    [join(folder, 'juju-backup-1.tar.zst'), 'not found'],
  ] as const)
    expect(await run(['download-backup', path]), path).toBe(`1: ERROR backup file "${path}" ${answer}\n`);
  expect(readFileSync(outside, 'utf8')).toContain(controller.caCert.slice(0, 20));
});

interface Wrong {
  readonly name: string;
  readonly model?: () => string;
  readonly text?: string;
  readonly password?: string;
  readonly message: string;
}
const wrong: readonly Wrong[] = [
  { name: 'another model', model: () => work(), message: 'requested model is not the controller model' },
  { name: 'a wrong password', password: 'x', message: 'invalid entity name or password' },
  { name: 'no JSON', text: 'x', message: 'expected {"id": "<path of a backup>"}' },
  { name: 'no id', text: '{}', message: 'expected {"id": "<path of a backup>"}' },
  { name: 'a list', text: '[]', message: 'expected {"id": "<path of a backup>"}' },
  {
    name: 'a long body',
    text: JSON.stringify({ id: 'x'.repeat(limits.backupRequest.max) }),
    message: 'request for a backup: ',
  },
  { name: 'a deep body', text: '['.repeat(4000) + ']'.repeat(4000), message: 'exceed' },
];

function work(): string {
  const models = controller.running().store.read().in('').list('model');
  return [...models].find(({ name }) => name === 'work')!.uuid;
}

test.each(wrong)('a download with $name is refused', async ({ model, text, password, message }) => {
  const { addresses, caCert, login } = controller.connectOptions();
  const options = { addresses, caCert, login: { ...login, ...(password ? { password } : {}) } };
  const path = `/model/${model?.() ?? controller.controllerModel}/backups`;
  await expect(
    send(options, controller.address, { method: 'GET', path, text: text ?? '{"id":"/x"}' }),
  ).rejects.toThrow(message);
});
