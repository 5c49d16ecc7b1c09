import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { AfterDeath } from './after-death.ts';

let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'grigri-after-death-'));
});
afterAll(() => rm(dir, { recursive: true, force: true }));

/** Makes a folder of a run whose client knows a controller, unless `controllers` is ''. */
async function folderOf(name: string, controllers = 'controllers: {test: {}}\n'): Promise<string> {
  const folder = join(dir, name);
  await mkdir(join(folder, 'client'), { recursive: true });
  await writeFile(join(folder, 'client/controllers.yaml'), controllers);
  return folder;
}

/** Kills a process that has said that this folder is to be removed by the shell command `removal` after its death. */
async function killOwnerOf(folder: string, removal: string): Promise<void> {
  const program = `import { AfterDeath } from ${JSON.stringify(join(import.meta.dirname, 'after-death.ts'))};
const env = { ...process.env, JUJU_DATA: process.argv[1] + '/client' };
new AfterDeath(process.argv[1], ['/bin/sh', '-c', process.argv[2]], env);
setInterval(() => undefined, 1000);
console.log('ready');`;
  const owner = spawn(process.execPath, ['--input-type=module', '-e', program, folder, removal], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(owner.stdout, 'data');
  owner.kill('SIGKILL');
  await once(owner, 'exit');
}

test('the controller and its folder are removed after a kill', async () => {
  const folder = await folderOf('killed');
  const removed = join(dir, 'removed');
  await killOwnerOf(folder, `test -d "$JUJU_DATA" && touch ${removed}`);
  await expect.poll(() => existsSync(folder)).toBe(false);
  expect(existsSync(removed)).toBe(true);
});

test('a folder without a controller is removed without a command', async () => {
  const folder = await folderOf('early', '');
  const called = join(dir, 'called');
  await killOwnerOf(folder, `touch ${called}`);
  await expect.poll(() => existsSync(folder)).toBe(false);
  expect(existsSync(called)).toBe(false);
});

test('a folder whose controller cannot be removed stays', async () => {
  const folder = await folderOf('stuck');
  const tried = join(dir, 'tried');
  await killOwnerOf(folder, `touch ${tried}; exit 1`);
  await expect.poll(() => existsSync(tried)).toBe(true);
  expect(existsSync(folder)).toBe(true);
});

test('nothing is removed after a cancellation', async () => {
  const folder = await folderOf('cancelled');
  const env = { ...process.env, JUJU_DATA: join(folder, 'client') };
  const called = join(dir, 'not-called');
  const afterDeath = new AfterDeath(folder, ['touch', called], env);
  await afterDeath.cancel();
  await afterDeath.cancel();
  expect([existsSync(folder), existsSync(called)]).toEqual([true, false]);
});
