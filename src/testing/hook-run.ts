/** Folder with a charm, the hook tools and their socket, made anew for each test, and hooks run there. */
import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach } from 'vitest';
import { systemClock } from '../kit/clock.ts';
import { createLog, type LogRecord } from '../kit/log.ts';
import { fakeHookContext } from './hook-context.ts';
import type { HookContext } from '../hooks/context.ts';
import { installHookTools } from '../hooks/install-hook-tools.ts';
import { runHook, type HookResult, type HookRun } from '../hooks/run-hook.ts';
import { HookSocket } from '../hooks/socket.ts';

export let dir: string;
export let charmDir: string;
export let toolsDir: string;
export let socket: HookSocket;
export let records: LogRecord[];

/** Registers the creation and the removal of the folder; for the top level of a test file. */
export function prepareHooks(): void {
  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), 'hooks-'));
    charmDir = join(dir, 'charm');
    toolsDir = join(dir, 'tools');
    records = [];
    await mkdir(charmDir);
    await installHookTools({ dir: toolsDir, version: '3.6.28', arch: 'amd64' });
    socket = await HookSocket.listen({
      path: join(dir, 'run', 'agent.socket'),
      log: createLog(
        'test',
        (record) => records.push(record),
        () => 0,
      ),
    });
  });

  afterEach(async () => {
    await socket.close();
    await rm(dir, { recursive: true, force: true });
  });
}

export async function charmFile(path: string, content: string, mode = 0o755): Promise<void> {
  await mkdir(dirname(join(charmDir, path)), { recursive: true });
  await writeFile(join(charmDir, path), content);
  await chmod(join(charmDir, path), mode);
}

interface Outcome extends HookResult {
  readonly stdout: string[];
  readonly stderr: string[];
}

export async function run(
  program: HookRun['program'],
  context: HookContext = fakeHookContext(),
  more: Partial<HookRun> = {},
): Promise<Outcome> {
  const lines: { stdout: string[]; stderr: string[] } = { stdout: [], stderr: [] };
  const result = await runHook({
    context,
    charmDir,
    toolsDir,
    socket,
    program,
    processFile: join(dir, 'hook.json'),
    onOutput: (stream, line) => lines[stream].push(line),
    clock: systemClock,
    ...more,
  });
  return { ...result, ...lines };
}

/** Program of the hook `install`. */
export const install = { dispatchPath: 'hooks/install' };

/** Waits until the file has contents. */
export async function fileExists(path: string): Promise<void> {
  while (!existsSync(path) || (await readFile(path, 'utf8')) === '') await systemClock.sleep(5);
}

/** Waits until the process has ended. */
export async function untilEnded(pid: number): Promise<void> {
  for (;;) {
    const state = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
    if (state === undefined || / Z /.test(state)) return;
    await systemClock.sleep(5);
  }
}
