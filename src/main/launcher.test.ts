/** The built launcher with small programs in the places of agents. */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readProgramState, type ProgramState } from '../agent/program/state.ts';
import { startOf, watchTrial } from '../agent/program/watch.ts';
import { eventually } from '../testing/eventually.ts';
import { namesIn, textOf } from '../testing/host-files.ts';

const built = join(import.meta.dirname, '../../dist/launcher.mjs');
let folder: string;
let tools: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'grigri-launcher-'));
  tools = join(folder, 'share');
  file = join(folder, 'agents/machine-0/program.json');
  mkdirSync(join(folder, 'agents/machine-0'), { recursive: true });
  mkdirSync(tools);
  copyFileSync(built, join(tools, 'agent.mjs'));
  install(tools, saying('installed'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const saying = (name: string): string =>
  `console.log('${name}', process.argv.slice(2).join(' '), process.env.GRIGRI_CHOSEN ?? '');`;

/** Writes a program with its runtime. Returns its build. */
function install(place: string, program: string, node?: string): string {
  mkdirSync(place, { recursive: true });
  writeFileSync(join(place, 'program.mjs'), program);
  if (node === undefined) symlinkSync(process.execPath, join(place, 'node'));
  else writeFileSync(join(place, 'node'), node, { mode: 0o755 });
  return createHash('sha256').update(program).digest('hex');
}
/** Adds a program that the machine has downloaded. */
function add(program: string, node?: string): string {
  const build = createHash('sha256').update(program).digest('hex');
  return install(join(folder, 'tools/builds', build), program, node);
}
const write = (state: ProgramState): void => writeFileSync(file, JSON.stringify(state));
const read = (): ProgramState => JSON.parse(readFileSync(file, 'utf8')) as ProgramState;

async function start(): Promise<{ code: number | null; said: string }> {
  const args = [join(tools, 'agent.mjs'), 'machine', '--data-dir', folder, '--machine', '0'];
  const child = spawn(join(tools, 'node'), args, { stdio: ['ignore', 'pipe', 'ignore'] });
  let said = '';
  child.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, said: said.trim() };
}

test('a machine runs the program that it was set up with, then the one that it has chosen', async () => {
  const args = `machine --data-dir ${folder} --machine 0`;
  expect(await start()).toEqual({ code: 0, said: `installed ${args}` });
  const installed = read().current;
  const build = add(saying('another'));
  write({ current: build });
  expect((await start()).said).toBe(`another ${args}`);
  // The files of the chosen one are damaged: the machine still has an agent.
  writeFileSync(join(folder, 'tools/builds', build, 'program.mjs'), 'damaged');
  expect((await start()).said).toBe(`installed ${args}`);
  expect(read()).toEqual({ current: installed });
});

test('a program with a runtime of its own runs with it, in the same process', async () => {
  const node = `#!/bin/sh\nRUNTIME=own exec '${process.execPath}' "$@"\n`;
  write({
    current: add(`console.log(process.env.RUNTIME, process.env.GRIGRI_CHOSEN, process.argv[2]);`, node),
  });
  expect(await start()).toEqual({ code: 0, said: 'own undefined machine' });
});

test('a program that ends before it is confirmed has three starts', async () => {
  await start();
  const { current } = read();
  const build = add('process.exit(7);');
  write({ current, trying: { build, attempt: 4, starts: 0 } });
  for (let starts = 1; starts <= 3; starts++) {
    expect((await start()).code).toBe(7);
    expect(read().trying?.starts).toBe(starts);
  }
  expect((await start()).said).toContain('installed');
  const message = 'it ended 3 times before it had reached the controller';
  expect(read()).toEqual({ current, failed: { build, attempt: 4, message } });
});

test('a program that hangs is killed by its watch, and the next start goes back', async () => {
  await start();
  const { current } = read();
  const build = add('for (;;);');
  write({ current, trying: { build, attempt: 0, starts: 1 } });
  const child = spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' });
  const ended = once(child, 'exit');
  const pid = child.pid!;
  // Another process of the same number, and a program that is confirmed, are left alone.
  await watchTrial({ file, pid, start: '1', limitMs: 0 });
  expect(startOf(pid)).not.toBe('');
  const kill = process.kill.bind(process);
  let known: unknown;
  process.kill = (...args) => {
    // Whoever starts it again at once has to know.
    known = readProgramState(file)?.trying?.late;
    return kill(...args);
  };
  await watchTrial({ file, pid, start: startOf(pid), limitMs: 1 }).finally(() => (process.kill = kill));
  expect(known).toBe(true);
  expect(await ended).toEqual([null, 'SIGKILL']);
  expect((await start()).said).toContain('installed');
  expect(read().failed?.message).toBe('it had not reached the controller within 120 s');
  // Another trial of it begins anew.
  write({ current, trying: { build, attempt: 0, starts: 1 } });
  expect(readProgramState(file)?.trying).toEqual({ build, attempt: 0, starts: 1 });
});

test('the launcher sets a watch, which ends when the program is confirmed', async () => {
  await start();
  const { current } = read();
  const build = add(saying('tried'));
  write({ current, trying: { build, attempt: 0, starts: 0 } });
  const { said } = await start();
  expect(said).toContain('tried');
  // Its process is gone by now.
  const isWatched = (): boolean =>
    namesIn('/proc').some((pid) => textOf(`/proc/${pid}/cmdline`).includes(`\0watch\0${file}\0`));
  await eventually(() => expect(isWatched()).toBe(false));
});
