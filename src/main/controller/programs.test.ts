/** Choice of a controller's program, with scripts in the places of runtimes. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { ProgramState } from '../../agent/program/state.ts';
import { programFileNames, type ProgramFile } from '../../core/controller/program.ts';
import { choiceFile } from '../launch/controller-programs.ts';
import { setLaunched } from '../launch/launched.ts';
import { ProgramStore } from './program-store.ts';
import { ControllerPrograms } from './programs.ts';

let dataDir: string;
let programs: ControllerPrograms;
const running = 'a'.repeat(64);
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'grigri-choice-'));
  programs = new ControllerPrograms({ dataDir, uploadsDir: dataDir, onChosen: () => undefined });
  setLaunched({ launcher: '/nowhere', build: running, isTrial: false });
});
afterEach(() => {
  Reflect.deleteProperty(globalThis, Symbol.for('grigri.controller-launched'));
  rmSync(dataDir, { recursive: true });
});

/** Keeps a program whose runtime is this script. */
async function keep(script: string): Promise<ProgramFile[]> {
  const folder = join(dataDir, 'elsewhere');
  mkdirSync(folder);
  const paths = programFileNames.map((name) => join(folder, name));
  for (const [i, path] of paths.entries()) writeFileSync(path, i === 0 ? `#!/bin/sh\n${script}\n` : path);
  return new ProgramStore(dataDir, dataDir).keep(paths);
}

test.each([
  [
    'it is of a release that cannot be checked',
    "echo 'usage: controller init|run --data-dir DIR' >&2; exit 2",
  ],
  ['TypeError: no', "echo '  at x.mjs:1'  >&2; echo 'TypeError: no' >&2; echo 'Node.js v1' >&2; exit 1"],
  ['it says nothing of the formats that it knows', "echo '{}'"],
])('a program that fails its check is refused with the reason: %s', async (why, script) => {
  await expect(programs.upgrade(await keep(script))).rejects.toMatchObject({
    code: 'not valid',
    message: expect.stringContaining(`cannot run here: ${why}`) as string,
  });
});

test('a program that did not come up is forgotten when the running one is asked for', async () => {
  const files = await keep('');
  const build = new ProgramStore(dataDir, dataDir).buildOf(files);
  setLaunched({ launcher: '/nowhere', build, isTrial: false });
  const state = { current: build, failed: { build: running, attempt: 0, message: 'it ended' } };
  writeFileSync(choiceFile(dataDir), JSON.stringify(state satisfies ProgramState));
  expect(programs.failed).toMatchObject({ message: 'it ended' });
  await expect(programs.upgrade(files)).rejects.toMatchObject({ code: 'already exists' });
  expect(programs.failed).toBeUndefined();
  expect(JSON.parse(readFileSync(choiceFile(dataDir), 'utf8'))).toEqual({ current: build });
});
