import { execFileSync } from 'node:child_process';
import {
  createReadStream,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  writeFileSync,
  renameSync,
  symlinkSync,
} from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createZstdDecompress } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { limits } from '../core/limits.ts';
import { unseal } from '../kit/sealed/sealed-stream.ts';
import { createSimulatedProvider } from '../providers/clouds/simulated/index.ts';
import { knowController, testCli, type TestCli } from '../testing/cli.ts';
import { testController, type TestController } from '../testing/controller.ts';

const passphrase = 'correct horse battery';

let cli: TestCli;
let controller: TestController;
beforeAll(async () => {
  cli = testCli();
  controller = await testController(createSimulatedProvider());
  await knowController(cli, controller);
  // As the page tells operators to make their keys.
  execFileSync('openssl', ['genpkey', '-algorithm', 'x25519', '-out', join(cli.folder, 'key.pem')]);
  execFileSync('openssl', [
    'pkey',
    '-in',
    join(cli.folder, 'key.pem'),
    '-pubout',
    '-out',
    join(cli.folder, 'pub.pem'),
  ]);
  writeFileSync(join(cli.folder, 'words'), `${passphrase}\nanother line\n`);
  await cli.run('create-backup --filename mine --passphrase-file words');
  // Logs on another disk, among which a link leads elsewhere.
  const logs = join(cli.folder, 'logs');
  renameSync(join(controller.dataDir, 'logs'), logs);
  symlinkSync(logs, join(controller.dataDir, 'logs'));
  writeFileSync(join(logs, 'noted.log'), 'a line\n');
  symlinkSync(join(cli.folder, 'words'), join(logs, 'link.log'));
});
afterAll(async () => {
  cli[Symbol.dispose]();
  await controller[Symbol.asyncDispose]();
});

type More = Parameters<TestCli['run']>[1];
async function run(line: string, more?: More): Promise<string> {
  const { code, stdout, stderr } = await cli.run(line, more);
  return `${code === 0 ? '' : `${code}: `}${stderr}${stdout}`;
}
const restored = (name: string): string[] => readdirSync(join(cli.folder, name)).sort();
const env = { GRIGRI_BACKUP_PASSPHRASE: passphrase };

const parts = ['controller.json', 'logs', 'restored.json', 'secrets.db', 'store.db'];

// Each restore is a process, so each way to seal and each to open is tried once.
test.each<[what: string, seal: string, sealMore: More, open: string, openMore: More]>([
  ['a key of openssl', '--public-key pub.pem', {}, '--private-key key.pem', {}],
  ['the environment', '--passphrase', { env }, '--passphrase-file words', {}],
  ['a prompt', '--passphrase', { input: `${passphrase}\n${passphrase}\n` }, '', { input: `${passphrase}\n` }],
])(
  'a backup that is sealed with %s has a name that says so, and is restored with what fits, with its logs',
  async (what, seal, sealMore, open, openMore) => {
    const name = what.replaceAll(' ', '-');
    const { stderr } = await cli.run(`create-backup --logs --no-download ${seal}`, sealMore);
    const path = stderr.trimEnd().split(' ').at(-1)!;
    expect(path).toMatch(/\.tar\.zst\.sealed$/);
    expect(await run(`download-backup ${path} --filename ${name}.sealed`)).toBe(`${name}.sealed\n`);
    const sealed = readFileSync(join(cli.folder, `${name}.sealed`));
    expect(sealed.subarray(0, 15).toString()).toBe('grigri sealed 1');
    expect(sealed.includes('juju-backup')).toBe(false);
    const said = await run(`restore-backup --data-dir in-${name} ${open} ${name}.sealed`, openMore);
    expect(said).toContain('The controller is as it was at');
    expect(restored(`in-${name}`)).toEqual(expect.arrayContaining(parts));
    expect(readFileSync(join(cli.folder, `in-${name}`, 'logs', 'noted.log'), 'utf8')).toBe('a line\n');
    expect(restored(`in-${name}/logs`)).not.toContain('link.log');
    expect(readFileSync(join(cli.folder, `in-${name}`, 'controller.json'), 'utf8')).toBe(
      readFileSync(join(controller.dataDir, 'controller.json'), 'utf8'),
    );
  },
);

test('a backup that is sealed with a file is opened by its first line', async () => {
  const unpacked: Buffer[] = [];
  await pipeline(
    createReadStream(join(cli.folder, 'mine')),
    unseal({ passphrase }),
    createZstdDecompress(),
    async (content: AsyncIterable<Buffer>) => {
      for await (const piece of content) unpacked.push(piece);
    },
  );
  expect(Buffer.concat(unpacked).includes('juju-backup/controller.json')).toBe(true);
});

test.each([
  ['', { env: { GRIGRI_BACKUP_PASSPHRASE: 'quite another phrase' } }, 'the passphrase is wrong'],
  ['', {}, 'no passphrase was given, nor the key'],
  ['--passphrase-file words --private-key key.pem', {}, 'specify one of --private-key and --passphrase-file'],
])('a sealed backup is not restored with %s %j: %s', async (flags, more, why) => {
  expect(await run(`restore-backup --data-dir nothing ${flags} mine`, more)).toContain(why);
  expect(restored('nothing').filter((name) => name !== 'start.lock')).toEqual([]);
});

test.each([
  ['--private-key key.pem', 'leave out --private-key to restore it nevertheless'],
  ['--passphrase-file words', 'leave out --passphrase-file to restore it nevertheless'],
])('a backup that is not sealed is not restored with %s', async (flag, why) => {
  const { stderr } = await cli.run('create-backup --filename open.tar.zst');
  expect(stderr).toBe('Downloaded to open.tar.zst\n');
  const file = join(cli.folder, 'open.tar.zst');
  expect(await run(`restore-backup --data-dir in-open ${flag} open.tar.zst`)).toBe(
    `1: ERROR ${file} is not sealed, so anybody may have read or changed it: ${why}\n`,
  );
  expect(existsSync(join(cli.folder, 'in-open'))).toBe(false);
});

test('a folder or a pipe in the place of an archive is named, and nothing is made', async () => {
  execFileSync('mkfifo', [join(cli.folder, 'pipe')]);
  mkdirSync(join(cli.folder, 'archives'));
  for (const [archive, why] of [
    ['archives', 'is a folder: name the archive in it, such as'],
    ['pipe', 'is no file: name the archive of a backup'],
  ])
    expect(await run(`restore-backup --data-dir in-none ${archive}`)).toContain(
      `1: ERROR ${join(cli.folder, archive!)} ${why}`,
    );
  expect(existsSync(join(cli.folder, 'in-none'))).toBe(false);
});

test.each([
  ['--public-key words', /words: expected an X25519 public key in PEM/],
  ['--public-key none.pem', /no such file: none\.pem/],
  ['--public-key pub.pem --passphrase', /specify one of --public-key, --passphrase and --passphrase-file/],
  ['--passphrase-file short', /a passphrase has 12 characters at least/],
  ['--passphrase-file long', /a passphrase has 1024 characters at most/],
  ['--passphrase-file huge', /huge: larger than 16384 bytes/],
])('a backup is not made with %s', async (flags, why) => {
  writeFileSync(join(cli.folder, 'short'), 'short\n');
  writeFileSync(join(cli.folder, 'long'), 'x'.repeat(limits.backupPassphrase.max + 1));
  writeFileSync(join(cli.folder, 'huge'), 'x'.repeat(limits.keyFile.max + 1));
  expect(await run(`create-backup --filename no ${flags}`)).toMatch(why);
  expect(existsSync(join(cli.folder, 'no'))).toBe(false);
});

test('the controller refuses a recipient that nothing can be sealed for, and one that is too long', async () => {
  const connection = await controller.connect(controller.controllerModel);
  const create = (recipient: object): Promise<unknown> =>
    connection.call('Backups', 'Create', { notes: '', 'no-download': true, recipient });
  await expect(create({ publicKey: 'AAAA' })).rejects.toThrow('recipient of the backup not valid');
  await expect(create({ publicKey: 'A'.repeat(limits.backupRecipient.max) })).rejects.toMatchObject({
    code: 'quota limit exceeded',
  });
  await connection.close();
});
