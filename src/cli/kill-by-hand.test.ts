/** Tests of kill-controller with a controller that was started by hand: no controller survives its folder. */
import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, symlinkSync } from 'node:fs';
import { once } from 'node:events';
import { DatabaseSync } from 'node:sqlite';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createLocalProvider } from '../providers/clouds/local/index.ts';
import { testCli, type TestCli } from '../testing/cli.ts';
import { eventually } from '../testing/eventually.ts';
import { controllerArgv, stopDaemon } from './daemon.ts';

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
