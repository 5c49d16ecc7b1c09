/** The launcher with small programs in the places of controllers, and a real database in that of the store. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
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
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { ProgramState } from '../../agent/program/state.ts';
import { chooseProgram } from './choose.ts';
import { choiceFile, programFolder } from './controller-programs.ts';
import { lockChoice } from './lock.ts';

const launcher = join(import.meta.dirname, 'controller.ts');
const old = 'a'.repeat(64);
const next = 'b'.repeat(64);
let dataDir: string;
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'grigri-launch-'));
  add(old, "console.log('old', process.argv.slice(2).join(' '));");
});
afterEach(() => rmSync(dataDir, { recursive: true }));

function add(build: string, program: string): void {
  const folder = programFolder(dataDir, build);
  mkdirSync(folder, { recursive: true });
  symlinkSync(process.execPath, join(folder, 'node'));
  writeFileSync(join(folder, 'controller.mjs'), program);
}
const write = (state: ProgramState): void => writeFileSync(choiceFile(dataDir), JSON.stringify(state));
const read = (): ProgramState => JSON.parse(readFileSync(choiceFile(dataDir), 'utf8')) as ProgramState;

async function start(command = 'run'): Promise<{ code: number | null; said: string; told: string }> {
  const child = spawn(process.execPath, [launcher, command, '--data-dir', dataDir], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [said, told] = ['', ''];
  child.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (told += chunk.toString()));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, said: said.trim(), told };
}

/** Makes the store with this format, and words in it. */
function makeStore(path: string, format: number, words: string): void {
  const db = new DatabaseSync(path);
  db.exec(`PRAGMA journal_mode = WAL; CREATE TABLE t (words TEXT); PRAGMA user_version = ${format}`);
  db.prepare('INSERT INTO t VALUES (?)').run(words);
  db.close();
}
function wordsOf(path: string): unknown {
  const db = new DatabaseSync(path);
  try {
    return {
      format: db.prepare('PRAGMA user_version').get()?.['user_version'],
      ...db.prepare('SELECT words FROM t').get(),
    };
  } finally {
    db.close();
  }
}

test('the chosen program runs with the arguments of the launcher, and the one that is tried before it', async () => {
  write({ current: old });
  expect(await start()).toMatchObject({ code: 0, said: `old run --data-dir ${dataDir}` });
  add(next, "console.log('next'); process.exit(7);");
  write({ current: old, trying: { build: next, attempt: 0, starts: 0, format: 3 } });
  expect(await start()).toMatchObject({ code: 7, said: 'next' });
  expect(read().trying?.starts).toBe(1);
  // Other commands try nothing.
  expect((await start('end')).said).toBe(`old end --data-dir ${dataDir}`);
  expect(read().trying?.starts).toBe(1);
});

const said: string[] = [];
/** Chooses in this process, with a watch that does nothing. */
const choose = (): Promise<string | undefined> =>
  chooseProgram(dataDir, { isRun: true, launcher: '/nowhere', say: (line) => void said.push(line) });

test('a program that does not come up is left after three starts, with the store as it was before', async () => {
  const store = join(dataDir, 'store.db');
  makeStore(`${store}.format-3`, 3, 'before');
  add(next, 'process.exit(7);');
  write({ current: old, trying: { build: next, attempt: 0, starts: 0, format: 3 } });
  // It has converted the store at its first start, and left it in the log.
  makeStore(store, 4, 'converted');
  for (let starts = 1; starts <= 3; starts++) {
    expect(await choose()).toBe(next);
    expect(read().trying?.starts).toBe(starts);
  }
  expect(wordsOf(store)).toEqual({ format: 4, words: 'converted' });
  expect(await choose()).toBe(old);
  expect(said.at(-1)).toContain('did not come up: it ended 3 times before it had come up');
  expect(read()).toEqual({
    current: old,
    failed: { build: next, attempt: 0, message: 'it ended 3 times before it had come up' },
  });
  expect(wordsOf(store)).toEqual({ format: 3, words: 'before' });
  expect(existsSync(`${store}.format-3`)).toBe(false);
  expect(await choose()).toBe(old);
});

test('a store that was not converted stays: a copy beside it may be of another time', async () => {
  const store = join(dataDir, 'store.db');
  makeStore(store, 3, 'present');
  makeStore(`${store}.format-3`, 3, 'of long ago');
  write({ current: old, trying: { build: next, attempt: 0, starts: 0, format: 3 } });
  expect(await choose()).toBe(old);
  expect(read().failed?.message).toBe('its files are missing');
  expect(wordsOf(store)).toEqual({ format: 3, words: 'present' });
});

test('a converted store without a copy stops the start, and nothing is written', async () => {
  makeStore(join(dataDir, 'store.db'), 4, 'converted');
  const state = { current: old, trying: { build: next, attempt: 0, starts: 3, format: 3 } };
  write(state);
  await expect(choose()).rejects.toThrow('was converted by the program that did not come up');
  expect(read()).toEqual(state);
});

test('a start beside another one neither counts nor writes', async () => {
  add(next, "console.log('next');");
  const state = { current: old, trying: { build: next, attempt: 0, starts: 1, format: 3 } };
  write(state);
  {
    using _lock = await lockChoice(dataDir);
    expect(await start()).toMatchObject({
      code: 1,
      said: '',
      told: expect.stringContaining('is in use') as string,
    });
  }
  expect(read()).toEqual(state);
  expect((await start()).said).toBe('next');
});

test('a controller whose chosen program is missing runs the installed one', async () => {
  write({ current: next });
  // The program of this source refuses a folder without a controller.
  expect((await start()).told).toMatch(/files of program b{12} are missing[^]*no controller in/);
  expect(read()).toEqual({ current: next });
});
