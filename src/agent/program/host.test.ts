/** Programs that a machine downloads from a real server. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { download } from '../../client/http.ts';
import { startApiServer, testModel } from '../../testing/api-server.ts';
import { ProgramFolders } from './folders.ts';
import { ProgramRefused, programHost } from './host.ts';
import { programFile, readProgramState, writeProgramState } from './state.ts';

const { signal } = new AbortController();
const sha256 = (content: string | Buffer): string => createHash('sha256').update(content).digest('hex');
let folder: string;
let served: { path: string; sha256: string; size: number };
let api: Awaited<ReturnType<typeof startApiServer>>;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'grigri-programs-'));
  mkdirSync(join(folder, 'agents/machine-0'), { recursive: true });
  mkdirSync(join(folder, 'set-up'));
  writeFileSync(join(folder, 'set-up/program.mjs'), 'the first');
  symlinkSync(process.execPath, join(folder, 'set-up/node'));
  api = await startApiServer({
    bundles: {
      archs: ['amd64'],
      absence: () => undefined,
      hasBuild: () => false,
      file: () => Promise.resolve(served),
    },
  });
});
afterEach(async () => {
  await api.stop();
  rmSync(folder, { recursive: true });
});

/** Has the controller serve a program. Returns its build. */
function serve(program: string): string {
  const from = mkdtempSync(join(folder, 'archive-'));
  writeFileSync(join(from, 'program.mjs'), program);
  writeFileSync(join(from, 'agent.mjs'), 'the launcher');
  writeFileSync(join(from, 'node'), `#!/bin/sh\nexec '${process.execPath}' "$@"\n`, { mode: 0o755 });
  const path = join(from, 'bundle.tar.gz');
  execFileSync('tar', ['-czf', path, '-C', from, 'node', 'agent.mjs', 'program.mjs']);
  const bytes = readFileSync(path);
  served = { path, sha256: sha256(bytes), size: bytes.length };
  return sha256(program);
}
const file = (): string => programFile(folder, 'machine-0');
const open = (build = sha256('the first')) =>
  programHost({
    build,
    folders: new ProgramFolders(join(folder, 'set-up'), folder),
    file: file(),
    download: async (build, target, stop) => {
      await download({
        addresses: [api.server.addresses[0]!],
        caCert: api.caCert,
        login: { tag: 'machine-0', password: 'none' },
        path: `/model/${testModel}/tools/3.6.28-ubuntu-amd64?build=${build}`,
        file: target,
        signal: stop,
      });
    },
  });
const builds = (): string[] => readdirSync(join(folder, 'tools/builds'));

test('a program is downloaded, checked, tried, and confirmed by the next agent; the one before stays', async () => {
  const first = open();
  const build = serve('if (process.argv[2] !== "check") process.exit(1);');
  await first.prepare(build, signal);
  expect(builds()).toEqual([build]);
  first.choose(build, 3);
  expect(readProgramState(file())).toEqual({
    current: first.build,
    trying: { build, attempt: 3, starts: 0 },
  });
  const second = open(build);
  await second.confirm();
  await second.confirm();
  expect(readProgramState(file())).toEqual({ current: build });

  for (const content of ['1', '2']) {
    const next = serve(content);
    const host = open(readProgramState(file())!.current);
    await host.prepare(next, signal);
    // What is there is not downloaded again.
    rmSync(served.path);
    await host.prepare(next, signal);
    host.choose(next, 0);
    await open(next).confirm();
  }
  expect(builds().sort()).toEqual([sha256('1'), sha256('2')].sort());
});

test('a program that does not load is refused, with its words, and not tried', async () => {
  const host = open();
  const build = serve('throw new RangeError("no such thing");');
  const refused = await host.prepare(build, signal).catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(ProgramRefused);
  expect((refused as Error).message).toBe('it cannot run on this machine: RangeError: no such thing');
  host.refuse({ build, attempt: 1, message: 'why' });
  expect(host.failure()).toEqual({ build, attempt: 1, message: 'why' });
  expect(readProgramState(file())).toMatchObject({ current: host.build });
  // Another program is tried, and the failure stays known until then.
  writeProgramState(file(), { ...readProgramState(file())!, current: host.build });
  expect(host.failure()?.build).toBe(build);
});

test('an archive with another checksum, or another program, is left', async () => {
  const host = open();
  const build = serve('1');
  const { sha256: right } = served;
  served.sha256 = 'f'.repeat(64);
  await expect(host.prepare(build, signal)).rejects.toMatchObject({ code: 'not valid' });
  served.sha256 = right;
  await expect(host.prepare(sha256('other'), signal)).rejects.toThrow(
    `the controller has another agent than ${sha256('other').slice(0, 12)} by now`,
  );
  expect(builds()).toEqual([]);
  // What a kill has left of a download does no harm.
  mkdirSync(join(folder, 'tools/builds', `${build}.new`));
  writeFileSync(join(folder, 'tools/builds', `${build}.new`, 'program.mjs'), 'half');
  await host.prepare(build, signal);
  expect(existsSync(join(folder, 'tools/builds', build, 'agent.mjs'))).toBe(true);
  expect(builds()).toEqual([build]);
});
