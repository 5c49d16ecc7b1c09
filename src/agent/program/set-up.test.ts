/** A host that was set up by an earlier release, in folders of its own. */
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { buildOf, ProgramFolders } from './folders.ts';
import { renewSetUp } from './set-up.ts';

let dataDir: string;
let toolsDir: string;
let installed: string;
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'grigri-set-up-'));
  mkdirSync(join(dataDir, 'tools/3.6.28-ubuntu-amd64'), { recursive: true });
  toolsDir = join(dataDir, 'tools/machine-0');
  symlinkSync('3.6.28-ubuntu-amd64', toolsDir);
  installed = put(toolsDir, 'the first', "'the first launcher'");
  for (const path of [unit(), supervise()]) {
    mkdirSync(join(path, '..'), { recursive: true });
    writeFileSync(path, 'of an earlier release');
  }
});
afterEach(() => rmSync(dataDir, { recursive: true }));

const unit = (): string => join(dataDir, 'root/etc/systemd/system/jujud-machine-0.service');
const supervise = (): string => join(dataDir, 'init/jujud-machine-0/supervise');
const launcher = (): string => readFileSync(join(toolsDir, 'agent.mjs'), 'utf8');

/** Puts a program with its launcher into a folder. Returns its build. */
function put(folder: string, program: string, launcherText: string): string {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'program.mjs'), program);
  writeFileSync(join(folder, 'agent.mjs'), launcherText);
  writeFileSync(join(folder, 'node'), `#!/bin/sh\nexec ${process.execPath} "$@"\n`);
  chmodSync(join(folder, 'node'), 0o755);
  return buildOf(join(folder, 'program.mjs'));
}
function download(program: string, launcherText: string): string {
  const build = put(join(dataDir, 'new'), program, launcherText);
  put(join(dataDir, 'tools/builds', build), program, launcherText);
  return build;
}
const renewBy = (build: string, at = toolsDir): Promise<void> =>
  renewSetUp(
    { machineId: '0', dataDir, root: join(dataDir, 'root') },
    { build, toolsDir: at, folders: new ProgramFolders(at, dataDir) },
  );

test('a program that has come up brings its launcher and its service, and the one before takes them back', async () => {
  const text = "if (process.argv[2] !== 'check') throw new Error('not a check');";
  const next = download('the next', text);
  await renewBy(next);
  expect(launcher()).toBe(text);
  expect(readFileSync(unit(), 'utf8')).toContain(
    `ExecStart="${toolsDir}/node" "${toolsDir}/agent.mjs" "machine"`,
  );
  expect(readFileSync(supervise(), 'utf8')).toContain("The agent's supervisor");
  expect([supervise(), join(toolsDir, 'agent.mjs')].map((path) => statSync(path).mode & 0o777)).toEqual([
    0o755, 0o755,
  ]);
  await renewBy(installed);
  expect(launcher()).toBe("'the first launcher'");
  await renewBy(next);
  expect(launcher()).toBe(text);
});

test('a launcher that cannot start the program is not taken', async () => {
  const bad = download('the next', 'process.exit(1);');
  await expect(renewBy(bad)).rejects.toThrow('agent.mjs');
  expect(launcher()).toBe("'the first launcher'");
});

test('a host has only the kind of service that it had, and machines with the tools of their controller stay', async () => {
  rmSync(unit());
  const next = download('the next', '');
  await renewBy(next);
  expect(existsSync(unit())).toBe(false);
  writeFileSync(supervise(), 'of an earlier release');
  const shared = join(dataDir, 'shared');
  put(shared, 'the first', "'of the controller'");
  await renewBy(next, shared);
  expect(readFileSync(supervise(), 'utf8')).toBe('of an earlier release');
});
