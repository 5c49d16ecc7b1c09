/** Tests of kill-controller with controllers of this host that the client has not started: none survives its folder. */
import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, mkdirSync, renameSync, symlinkSync } from 'node:fs';
import { once } from 'node:events';
import { DatabaseSync } from 'node:sqlite';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createLocalProvider } from '../providers/clouds/local/index.ts';
import { testCli, type TestCli } from '../testing/cli.ts';
import { eventually } from '../testing/eventually.ts';
import { controllerArgv, startDaemon, stopDaemon } from './daemon.ts';
import { servingProcesses } from './serving-processes.ts';

let cli: TestCli;
let dataDir: string;
let child: ChildProcess | undefined;
const providers = { providers: () => Promise.resolve(new Map([['local', createLocalProvider()]])) };
const run = (line: string) => cli.run(line, providers);

beforeEach(async () => {
  cli = testCli();
  dataDir = join(cli.folder, 'data');
  const bootstrapRun = await run(`bootstrap local mine --data-dir ${dataDir} --config api-port=0`);
  expect(bootstrapRun, bootstrapRun.stderr).toMatchObject({ code: 0 });
  await stopDaemon({ dataDir });
});
afterEach(async () => {
  child?.kill('SIGKILL');
  child = undefined;
  await run('kill-controller mine --no-prompt');
  cli[Symbol.dispose]();
});

test('kill-controller keeps a folder whose store another program has open, and stops a controller started by hand before it removes the folder', async () => {
  const holder = new DatabaseSync(join(dataDir, 'store.db'));
  holder.exec('SELECT count(*) FROM sqlite_schema');
  const killed = await run('kill-controller mine --no-prompt --timeout 0s');
  expect(killed.code).toBe(1);
  expect(killed.stderr).toContain(`process ${process.pid} has the store in ${dataDir} open`);
  expect(existsSync(join(dataDir, 'store.db'))).toBe(true);
  holder.close();

  symlinkSync(dataDir, `${dataDir}-link`);
  const [program, ...programArgs] = controllerArgv();
  child = spawn(program, [...programArgs, 'run', `--data-dir=${dataDir}-link`], { stdio: 'ignore' });
  const childExit = once(child, 'exit');
  await eventually(() => expect(existsSync(join(dataDir, 'ready'))).toBe(true));
  const { code, stderr } = await run('kill-controller mine --no-prompt --timeout 0s');
  expect({ code, stderr }).toMatchObject({ code: 0 });
  await childExit;
  expect(existsSync(dataDir)).toBe(false);
});

describe('a controller whose bootstrap this client does not know', () => {
  async function knowAs(name: string): Promise<void> {
    const { store } = cli;
    const details = (await store.controllers())['mine']!;
    const account = (await store.account('mine'))!;
    expect(await run('unregister mine --no-prompt')).toMatchObject({ code: 0 });
    await store.addController(name, details, account);
  }
  const start = (): Promise<unknown> => startDaemon({ dataDir });

  test('is found while it runs, by its uuid, and killed with its process and folder', async () => {
    await start();
    await knowAs('other');
    const { code, stderr } = await run('kill-controller other --no-prompt');
    expect({ code, stderr }).toMatchObject({ code: 0 });
    expect(await servingProcesses(dataDir)).toEqual([]);
    expect(existsSync(dataDir)).toBe(false);
    expect(await cli.store.controllers()).toEqual({});
  });

  test('is found in a folder beside other controllers’, and is not taken for the controller in the folder of its name', async () => {
    const folders = join(cli.folder, '.local', 'share', 'grigri');
    const moved = join(folders, 'moved');
    mkdirSync(folders, { recursive: true });
    expect(await run('bootstrap local namesake --config api-port=0')).toMatchObject({ code: 0 });
    renameSync(dataDir, moved);
    dataDir = moved;
    try {
      await knowAs('mine');
      await cli.store.removeController('namesake');
      const details = (await cli.store.controllers())['mine']!;
      await cli.store.addController('namesake', details, { user: 'admin', password: 'x' });
      expect(await run('kill-controller namesake --no-prompt --timeout 0s')).toMatchObject({ code: 0 });
      expect(existsSync(moved)).toBe(false);
      expect(await servingProcesses(join(folders, 'namesake'))).toHaveLength(1);
    } finally {
      await stopDaemon({ dataDir: join(folders, 'namesake') });
    }
  });

  test('is started again when it has stopped, where bootstrap makes folders', async () => {
    const folders = join(cli.folder, '.local', 'share', 'grigri');
    mkdirSync(folders, { recursive: true });
    renameSync(dataDir, join(folders, 'moved'));
    dataDir = join(folders, 'moved');
    await knowAs('mine');
    expect((await run('models -c mine')).stderr).toContain(
      'Controller "mine" is not running: starting it on this host',
    );
  });
});
