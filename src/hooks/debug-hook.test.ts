/** Tests of debugged hooks, with a tmux of their own whose windows read what the test has written for them. */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { systemClock } from '../kit/clock.ts';
import { silentLog } from '../kit/log.ts';
import { eventually } from '../testing/eventually.ts';
import { fakeHookContext } from '../testing/hook-context.ts';
import { debugFile, findDebugSession } from './debug-session.ts';
import { installHookTools } from './install-hook-tools.ts';
import { runHook, type HookResult, type HookRun } from './run-hook.ts';
import { HookSocket } from './socket.ts';

let dir: string;
let socket: HookSocket;
const charm = (): string => join(dir, 'charm');
const state = (name: string): string => join(dir, 'state', name);
const seen = (name: string): string => readFileSync(state(name), 'utf8');

beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'debug-'));
  mkdirSync(join(dir, 'state'));
  mkdirSync(join(charm(), 'hooks'), { recursive: true });
  await installHookTools({ dir: join(dir, 'tools'), version: '3.6.28', arch: 'amd64' });
  socket = await HookSocket.listen({ path: join(dir, 'run/agent.socket'), log: silentLog });
  program(
    'tools/flock',
    `[ "$1" != -n ] || [ ! -e ${state('held')} ] || case "$2" in *-exit) [ -e ${state('gone')} ];; *) exit 1;; esac`,
  );
  program(
    'tools/tmux',
    `cd ${join(dir, 'state')}
echo "$@" >>calls
case $1 in
  has-session) [ "$3" = =web/0 ] && [ -e session ] ;;
  new-window) for last do :; done; echo @7
    # A parent that does not wait for the window leaves a zombie of it.
    (setsid bash -c "$last" <input >>output 2>&1 & echo $! >pid; [ ! -e zombies ] || exec sleep 60) >/dev/null 2>&1 &
    echo $! >parent ;;
  kill-window) echo "$3" >closed; kill -9 -- "$(cat parent)" "-$(cat pid)" 2>/dev/null ;;
esac`,
  );
  writeFileSync(state('input'), '');
  for (const name of ['session', 'held']) writeFileSync(state(name), '');
});
afterEach(async () => {
  await socket.close();
  rmSync(dir, { recursive: true });
});

function program(path: string, text: string): void {
  writeFileSync(join(dir, path), `#!/bin/bash\n${text}\n`, { mode: 0o755 });
}

async function run(
  debug: { readonly at?: string },
  more: Partial<HookRun> = {},
): Promise<HookResult & { said: string }> {
  let said = '';
  const result = await runHook({
    context: fakeHookContext({ event: { name: 'install' } }),
    charmDir: charm(),
    toolsDir: join(dir, 'tools'),
    socket,
    program: { dispatchPath: 'hooks/install' },
    processFile: join(dir, 'hook.json'),
    onOutput: (_, line) => (said += `${line}\n`),
    clock: systemClock,
    debug,
    ...more,
  });
  return { ...result, said };
}

describe('debug-hooks', () => {
  test.each([
    ['exit', 'done', 0],
    ['exit 7', 'failed', 7],
  ])('the exit code of the window is that of the hook: %s', async (input, kind, code) => {
    program('charm/hooks/install', `touch ${state('ran')}`);
    writeFileSync(state('input'), `pwd; echo "$JUJU_HOOK_NAME"; is-leader; ${input}\n`);
    expect(await run({}, { timeoutMs: 1 })).toMatchObject({ kind, code });
    // The window has the hook's folder, environment and tools, and nothing has run by itself.
    expect(seen('output').split('\n').slice(0, 3)).toEqual([charm(), 'install', 'False']);
    expect(existsSync(state('ran'))).toBe(false);
    expect(seen('closed')).toBe('@7\n');
    expect(seen('calls')).toContain('new-window -P -F #{window_id} -t =web/0: -n install');
  });

  test('a hook that the charm does not have has a window as well', async () => {
    expect(await run({})).toMatchObject({ kind: 'done' });
  });

  test.each(['session', 'gone'])('a hook fails when its session goes (%s)', async (how) => {
    writeFileSync(state('input'), 'sleep 60\n');
    const result = run({});
    await eventually(() => expect(existsSync(state('output'))).toBe(true));
    if (how === 'gone') writeFileSync(state('gone'), '');
    else rmSync(state('session'));
    expect(await result).toMatchObject({
      kind: 'failed',
      code: 1,
      said: 'the debug session of web/0 ended before install had an exit code\n',
    });
  });

  test.each([
    ['exit 7', 7, ''],
    ['kill -9 $PPID', 1, 'the debug session of web/0 ended before install had an exit code\n'],
  ])('a window that its server has not waited for has ended: %s', async (input, code, said) => {
    writeFileSync(state('zombies'), '');
    writeFileSync(state('input'), `${input}\n`);
    expect(await run({})).toMatchObject({ kind: 'failed', code, said });
  });

  test('a hook that is killed takes its window with it', async () => {
    writeFileSync(state('input'), 'sleep 60\n');
    const abort = new AbortController();
    const result = run({}, { signal: abort.signal });
    await eventually(() => expect(existsSync(state('output'))).toBe(true));
    abort.abort(new Error('stopped'));
    await expect(result).rejects.toThrow('stopped');
    expect(seen('closed')).toBe('@7\n');
  });
});

describe('debug-code', () => {
  test('the hook runs in the window, and is told where to stop', async () => {
    program('charm/dispatch', 'echo "$JUJU_DISPATCH_PATH at $JUJU_DEBUG_AT"; exit 3');
    expect(await run({ at: 'hook' })).toMatchObject({ kind: 'failed', code: 3 });
    expect(seen('output')).toBe('hooks/install at hook\ninstall ended with exit code 3\n');
  });
  test('a hook that the charm does not have is "missing", as without debug-code', async () => {
    expect(await run({ at: 'all' })).toMatchObject({ kind: 'missing' });
    expect(existsSync(state('calls'))).toBe(false);
  });
});

describe('a session', () => {
  const find = async (text: string, ...names: string[]): Promise<unknown> => {
    const file = join(dir, 'wishes');
    if (!existsSync(file)) writeFileSync(file, text);
    return findDebugSession({ unit: 'web/0', names, toolsDir: join(dir, 'tools'), file });
  };

  test.each([
    ['hooks: [install, db-relation-joined]\n', {}],
    ['hooks: []\n', {}],
    ['{}', {}],
    ['hooks: ["*"]\ndebug-at: all\n', { at: 'all' }],
    ['hooks: [start]\n', undefined],
    ['hooks: install\n', undefined],
    ['[', undefined],
    ['', undefined],
    [`# ${'x'.repeat(70_000)}\nhooks: []`, undefined],
  ])('with %s catches install: %j', async (text, session) => {
    expect(await find(text, 'install')).toEqual(session);
  });
  test.each(['session', 'held'])('without %s catches nothing', async (name) => {
    rmSync(state(name));
    expect(await find('hooks: []', 'install')).toBeUndefined();
  });
  test('catches nothing by a link that somebody has put there', async () => {
    writeFileSync(join(dir, 'target'), 'hooks: []');
    symlinkSync(join(dir, 'target'), join(dir, 'wishes'));
    expect(await find('', 'install')).toBeUndefined();
  });
  test('is in /tmp, and in the folder of a machine that is a set of processes', () => {
    expect(debugFile('my-app/12', undefined)).toBe('/tmp/juju-unit-my-app-12-debug-hooks');
    expect(debugFile('web/0', '/data/i')).toBe('/data/i/juju-unit-web-0-debug-hooks');
  });
});
