/** Command backups, against a controller that makes them in its archiver. */
import { generateKeyPairSync } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { createSimulatedProvider } from '../providers/clouds/simulated/index.ts';
import { knowController, testCli, type TestCli } from '../testing/cli.ts';
import { testController, type TestController } from '../testing/controller.ts';
import { eventually } from '../testing/eventually.ts';

let cli: TestCli;
let controller: TestController;
let folder: string;
beforeAll(async () => {
  cli = testCli();
  controller = await testController(createSimulatedProvider());
  folder = join(controller.dataDir, 'backups');
  await knowController(cli, controller);
  const { publicKey } = generateKeyPairSync('x25519');
  writeFileSync(join(cli.folder, 'key.pem'), publicKey.export({ format: 'pem', type: 'spki' }));
});
afterAll(async () => {
  cli[Symbol.dispose]();
  await controller[Symbol.asyncDispose]();
});
afterEach(() => cli.run('backups schedule --off'));

async function run(line: string | readonly string[], input?: string): Promise<string> {
  const { code, stdout, stderr } = await cli.run(line, input === undefined ? {} : { input });
  return `${code === 0 ? '' : `${code}: `}${stderr}${stdout}`;
}

interface Listed {
  readonly folder: string;
  readonly backups: Readonly<Record<string, { readonly sealed: boolean; readonly scheduled: boolean }>>;
}
const listed = async (): Promise<Listed> =>
  JSON.parse((await cli.run('backups --format json')).stdout) as Listed;

test('a schedule is set, shown, changed and ended, and its backup is listed, downloaded and removed', async () => {
  expect(await run('backups')).toBe(`No backups in ${folder} on the controller.\n`);
  expect(await run('backups schedule')).toBe('Backups are not made by schedule.\n');
  expect(await run('backups schedule --every 24h --keep 3 --public-key key.pem --utc')).toMatch(
    /^every: +24h\nkeeps: +the newest 3\nsealed: +for the public key \S{44}\nwith logs: +no\nnext: +\S+ \S+Z\nnewest: .*\n$/,
  );
  await eventually(async () => expect(Object.keys((await listed()).backups)).toHaveLength(1));
  const [[name, backup]] = Object.entries((await listed()).backups) as [[string, unknown]];
  expect(name).toMatch(/^juju-backup-\d{8}-\d{6}-scheduled-[0-9a-f]{8}\.tar\.zst\.sealed$/);
  expect(backup).toMatchObject({ sealed: true, scheduled: true, verified: true });
  const table = new RegExp(
    `^Backup +Made +Size +Sealed +By +Verified\n${name} .* [KM]iB +yes +schedule +yes\n$`,
  );
  expect(await run('backups list')).toMatch(table);

  const changed = await run('backups schedule --at 03:00 --keep-age 720h --keep-size 20G --logs --utc');
  expect(changed).toMatch(
    /^every: +24h at 03:00 UTC\nkeeps: +the newest 3, none older than 720h, together up to 20 GiB\nsealed: +for the public key /,
  );
  expect(changed).toMatch(/\nwith logs: +yes\nnext: +\S+ 03:00:00Z\nnewest: +20\S+ \S+Z\n$/);
  expect(await run('backups schedule --keep-age 0 --keep-size 0 --at= --utc')).toMatch(
    /^every: +24h\nkeeps: +the newest 3\n/,
  );

  expect(await run(['download-backup', name, '--filename', 'mine.sealed'])).toBe('mine.sealed\n');
  expect(existsSync(join(folder, name)), 'a download takes nothing from the schedule').toBe(true);
  expect(readFileSync(join(cli.folder, 'mine.sealed'))).toEqual(readFileSync(join(folder, name)));

  const asked = `This removes from controller ctrl:\n  ${name}\n\nContinue [y/N]? `;
  expect(await run(['backups', 'remove', name], 'n\n')).toBe(`1: ${asked}ERROR removing backups: aborted\n`);
  expect(existsSync(join(folder, name))).toBe(true);
  expect(await run(['backups', 'remove', name], 'y\n')).toBe(`${asked}removed ${name}\n`);
  expect(existsSync(join(folder, name))).toBe(false);

  const path = join(folder, name);
  expect(await run(['backups', 'remove', path, name, '--no-prompt'])).toBe(
    `1: ERROR name of a backup "${path}" not valid: expected it without its folder\n`,
  );
  expect(await run(['backups', 'remove', name, '--no-prompt'])).toBe(
    `1: ERROR backup file "${name}" not found\n`,
  );
  expect(await run('backups schedule --off')).toBe(
    'Backups are no longer made by schedule; those that were made stay.\n',
  );
  const history = await run('history -m controller');
  expect(history).toMatch(/admin .*backups: scheduled/);
});

test.each([
  ['schedule --keep 3', 'interval of backups not valid: a new schedule needs one, such as 24h'],
  ['schedule --every 1m', 'interval of backups not valid: expected 5m to 8784h, in whole minutes'],
  ['schedule --every 24h --keep 0', 'number of backups that are kept not valid'],
  ['schedule --every 24h --at 25:00', 'time of day "25:00" not valid'],
  ['schedule --every 24h --keep-size much', 'size "much" not valid: expected a number with M, G or T'],
  ['schedule --every 24h --passphrase', 'a schedule cannot seal with a passphrase'],
  [
    'schedule --every 24h --passphrase-file key.pem',
    'which the controller would have to keep: use --public-key',
  ],
  ['schedule --every 24h --off', 'cannot mix --off and other flags of the schedule'],
  ['schedule --off', 'schedule "backups" not found'],
  ['list --every 24h', '--every goes with "backups schedule" only'],
  ['list more', 'unrecognized args: ["more"]'],
  ['remove', 'expected names of backups, as "backups list" shows them'],
  ['mend', 'unknown subcommand "mend": expected list, remove or schedule'],
])('backups %s is refused', async (line, message) => {
  const { code, stderr } = await cli.run(`backups ${line}`);
  expect({ failed: code > 0, stderr }).toEqual({
    failed: true,
    stderr: expect.stringContaining(message) as string,
  });
  expect(await run('backups schedule')).toBe('Backups are not made by schedule.\n');
});
