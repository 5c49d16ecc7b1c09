import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { silentLog } from '../kit/log.ts';
import { openExecSocket, parseExec, type ExecRequest, type ExecResult } from './exec-socket.ts';
import { installExec, installHookTools } from './install-hook-tools.ts';

describe('command line of juju-exec', () => {
  const unit = { unit: 'web/0', command: 'uptime' };
  test.each<[string[], ExecRequest]>([
    [['uptime'], { unit: '', command: 'uptime' }],
    [['-u', 'web/0', 'uptime'], unit],
    [['--unit=web/0', 'uptime'], unit],
    [['web/0', 'uptime'], unit],
    [['-u', 'web/0', 'echo', 'a b'], { unit: 'web/0', command: 'echo a b' }],
    [['--no-context', 'uptime'], { command: 'uptime' }],
    [['--no-context', 'echo', 'a'], { command: 'echo a' }],
    [
      ['-u', 'web/0', '-r', 'db:7', 'relation-get'],
      { unit: 'web/0', relation: 'db:7', command: 'relation-get' },
    ],
    [
      ['-u', 'web/0', '-r', '7', '--remote-unit', 'db/0', 'relation-get'],
      { unit: 'web/0', relation: '7', remoteUnit: 'db/0', command: 'relation-get' },
    ],
    [
      ['-r', 'db:7', '--remote-app', 'db', '--force-remote-unit', 'web/0', 'relation-get'],
      {
        unit: 'web/0',
        relation: 'db:7',
        remoteApplication: 'db',
        forceRemoteUnit: true,
        command: 'relation-get',
      },
    ],
    [['--operator', 'web/0', 'uptime'], unit],
    [['--operator=false', '-u', 'web/0', 'uptime'], unit],
  ])('%j is read', (args, request) => {
    expect(parseExec(args)).toEqual(request);
  });

  test.each<[string[], string]>([
    [[], 'missing commands'],
    [['-u', 'web/0'], 'missing commands'],
    [['web/0'], 'missing commands'],
    [['-u', 'web/0', ' '], 'missing commands'],
    [['--no-context', '-u', 'web/0', 'ls'], '--no-context takes neither a unit nor a relation'],
    [['--remote-unit', 'db/0', 'ls', 'x'], 'remote unit: db/0, provided without a relation'],
    [['--remote-app', 'db', 'ls', 'x'], 'remote application: db, provided without a relation'],
    [['--color', 'ls'], 'option provided but not defined: --color'],
  ])('%j is refused: %s', (args, why) => {
    expect(() => parseExec(args)).toThrow(why);
  });
});

describe('juju-exec as a program', () => {
  const asked: ExecRequest[] = [];
  let answer: ExecResult = { code: 0, output: {} };
  let folder: string;
  let opened: AsyncDisposable;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'exec-'));
    const socket = join(folder, 'run', 's');
    await installHookTools({ dir: join(folder, 'tools'), version: '3.6.28', arch: 'amd64' });
    await installExec({ dirs: [folder], toolsDir: join(folder, 'tools'), socket });
    opened = await openExecSocket({
      path: socket,
      log: silentLog,
      run: async (request) => {
        asked.push(request);
        return answer;
      },
    });
  });
  afterAll(async () => {
    await opened[Symbol.asyncDispose]();
    await rm(folder, { recursive: true });
  });

  function run(name: string, args: readonly string[], env: Record<string, string> = {}) {
    return new Promise<{ code: number; stdout: string; stderr: string }>((resolve) => {
      const { PATH = '' } = process.env;
      execFile(join(folder, name), args, { env: { PATH, ...env } }, (error, stdout, stderr) =>
        resolve({ code: error ? Number(error.code) : 0, stdout, stderr }),
      );
    });
  }

  test('juju-exec prints what the commands print, and exits with their code', async () => {
    answer = { code: 3, output: { stdout: 'out\n', stderr: 'err\n' } };
    expect(await run('juju-exec', ['-u', 'web/0', 'some command'])).toEqual({
      code: 3,
      stdout: 'out\n',
      stderr: 'err\n',
    });
    expect(asked.at(-1)).toEqual({ unit: 'web/0', command: 'some command' });
  });

  test('juju-exec prints bytes that are not UTF-8', async () => {
    answer = { code: 0, output: { stdout: '/w==', 'stdout-encoding': 'base64' } };
    expect((await run('juju-run', ['web/0', 'x'])).stdout).toBe('\uFFFD');
  });

  test('juju-exec says why commands did not run', async () => {
    answer = { message: 'killed by SIGKILL', output: {} };
    expect(await run('juju-exec', ['x'])).toEqual({
      code: 1,
      stdout: '',
      stderr: 'ERROR killed by SIGKILL\n',
    });
    expect(await run('juju-exec', [])).toMatchObject({ code: 2, stderr: 'ERROR missing commands\n' });
  });

  test('juju-exec is refused within a hook', async () => {
    const before = asked.length;
    expect(await run('juju-exec', ['x'], { JUJU_CONTEXT_ID: 'y' })).toMatchObject({
      code: 2,
      stderr: 'ERROR juju-exec cannot be called from within a hook, have context "y"\n',
    });
    expect(asked.length).toBe(before);
  });

  test('juju-exec tells a user who may not write to its socket to use sudo', async () => {
    const other = await mkdtemp(join(folder, 'user-'));
    await installExec({ dirs: [other], toolsDir: join(folder, 'tools'), socket: join(other, 'none') });
    await writeFile(join(other, 'id'), '#!/bin/sh\necho 1000\n', { mode: 0o755 });
    const path = join(other, 'juju-exec').slice(folder.length + 1);
    const env = { PATH: `${other}:${process.env['PATH'] ?? ''}` };
    expect(await run(path, ['x'], env)).toMatchObject({
      code: 1,
      stderr: 'ERROR juju-exec needs root: sudo juju-exec …\n',
    });
  });

  test('installing juju-exec never replaces another program of that name', async () => {
    const other = await mkdtemp(join(folder, 'other-'));
    await writeFile(join(other, 'juju-exec'), '#!/bin/sh\necho of Juju\n', { mode: 0o755 });
    await installExec({ dirs: [other], toolsDir: join(folder, 'tools'), socket: join(folder, 's') });
    await rm(join(folder, 'juju-exec'));
    await installExec({ dirs: [folder], toolsDir: join(folder, 'tools'), socket: join(folder, 'run', 's') });
    const path = join(other, 'juju-exec').slice(folder.length + 1);
    expect((await run(path, [])).stdout).toBe('of Juju\n');
  });
});
