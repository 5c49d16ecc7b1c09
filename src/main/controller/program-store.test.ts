import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { programFileNames, type ProgramFile } from '../../core/controller/program.ts';
import { namesIn } from '../../testing/host-files.ts';
import { hasProgram, programFolder } from '../launch/controller-programs.ts';
import { ProgramStore } from './program-store.ts';

let dir: string;
let uploads: string;
let store: ProgramStore;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'grigri-programs-'));
  uploads = join(dir, 'uploads');
  mkdirSync(uploads);
  store = new ProgramStore(dir, uploads);
});
afterEach(() => rmSync(dir, { recursive: true }));

const contentOf = (name: string, version: string): string =>
  name === 'node' ? 'runtime' : `${name} ${version}`;
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
const filesOf = (version: string): ProgramFile[] =>
  programFileNames.map((name) => {
    const content = contentOf(name, version);
    return { name, sha256: sha256(content), size: content.length };
  });
/** Time of files that were made long ago, in seconds. */
const longAgo = 1_000_000_000;
const kept = (): string[] => namesIn(join(dir, 'programs')).filter((name) => name !== 'files');

/** Keeps a program that runs from another folder. */
async function keep(version: string): Promise<string> {
  const folder = mkdtempSync(join(dir, 'elsewhere-'));
  const paths = programFileNames.map((name) => join(folder, name));
  for (const [i, path] of paths.entries()) {
    writeFileSync(path, contentOf(programFileNames[i]!, version));
    utimesSync(path, longAgo, longAgo);
  }
  const files = await store.keep(paths);
  expect(files).toEqual(filesOf(version));
  rmSync(folder, { recursive: true });
  return store.buildOf(files);
}

test('a program that is kept outlives the folder that it was in', async () => {
  const build = await keep('1');
  expect(hasProgram(dir, build)).toBe(true);
  expect(namesIn(programFolder(dir, build))).toEqual([...programFileNames].sort());
  expect(readFileSync(join(programFolder(dir, build), 'agent.mjs'), 'utf8')).toBe('agent.mjs 1');
  // By its time, the runtime is known as that which machines have.
  expect(statSync(join(programFolder(dir, build), 'node')).mtimeMs).toBe(longAgo * 1000);
});

test('of another program only the files are sent that are not there, and a file is what its checksum says', async () => {
  await keep('1');
  const files = filesOf('2');
  const missing = store.missing(files);
  expect(missing).toEqual(files.filter(({ name }) => name !== 'node').map((file) => file.sha256));
  await expect(store.receive(missing[0]!, Readable.from(['something else']))).rejects.toMatchObject({
    code: 'bad request',
    message: `the file has SHA-256 ${sha256('something else')}, expected ${missing[0]}`,
  });
  expect(store.missing(files)).toEqual(missing);
  const build = store.buildOf(files);
  await expect(store.assemble(build, files)).rejects.toMatchObject({
    code: 'not found',
    message: 'file of the program "controller.mjs" not found',
  });
  expect(hasProgram(dir, build)).toBe(false);
  for (const { name, sha256: sum } of files)
    if (missing.includes(sum)) await store.receive(sum, Readable.from([contentOf(name, '2')]));
  expect(store.missing(files)).toEqual([]);
  await store.assemble(build, files);
  expect(hasProgram(dir, build)).toBe(true);
  expect(namesIn(uploads)).toEqual([]);
});

test('programs in use and the newest others are kept, and files that none of them has are removed', async () => {
  const builds: string[] = [];
  for (const [i, version] of ['1', '2', '3', '4', '5'].entries()) {
    builds.push(await keep(version));
    utimesSync(programFolder(dir, builds[i]!), i, i);
  }
  mkdirSync(`${programFolder(dir, builds[0]!)}.new`);
  const [first = '', , , fourth = '', fifth = ''] = builds;
  const wanted = filesOf('6');
  const content = contentOf('agent.mjs', '6');
  await store.receive(sha256(content), Readable.from([content]));
  await store.tidy([first, undefined], wanted);
  expect(kept()).toEqual([first, fourth, fifth].sort());
  expect(store.missing(filesOf('1'))).toEqual([]);
  expect(store.missing(filesOf('2'))).toHaveLength(programFileNames.length - 1);
  expect(store.missing(wanted)).toHaveLength(programFileNames.length - 2);
  // The next file of another client may be under way.
  await store.tidy([first], []);
  expect(store.missing(wanted)).toHaveLength(programFileNames.length - 2);
  utimesSync(join(dir, 'programs/files', sha256(content)), longAgo, longAgo);
  await store.tidy([first], wanted);
  expect(store.missing(wanted)).toHaveLength(programFileNames.length - 2);
  await store.tidy([first], []);
  expect(store.missing(wanted)).toHaveLength(programFileNames.length - 1);
});
