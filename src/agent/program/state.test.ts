import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  confirmedState,
  readProgramState,
  startState,
  writeProgramState,
  type ProgramState,
} from './state.ts';

const trying = (starts: number, late?: true): ProgramState => ({
  current: 'old',
  trying: { build: 'new', attempt: 2, starts, ...(late && { late }) },
});
const failed = (message: string): ProgramState => ({
  current: 'old',
  failed: { build: 'new', attempt: 2, message },
});

test.each<
  [what: string, state: ProgramState | undefined, next: ProgramState, gone?: string, before?: string]
>([
  ['a machine that has never chosen', undefined, { current: 'installed' }],
  ['no choice is to be made', { current: 'old' }, { current: 'old' }],
  ['the first start of a new program', trying(0), trying(1)],
  ['its last start', trying(2), trying(3)],
  ['one start more', trying(3), failed('it ended 3 times before it had reached the controller')],
  ['a start that took too long', trying(1, true), failed('it had not reached the controller within 120 s')],
  [
    'a program that said why it ended',
    { current: 'old', trying: { build: 'new', attempt: 2, starts: 3, problem: 'no port', format: 4 } },
    failed('it ended 3 times before it had reached the controller: no port'),
  ],
  ['a new program whose files are gone', trying(0), failed('its files are missing'), 'new'],
  ['a program whose files are gone', { current: 'old' }, { current: 'installed' }, 'old'],
  [
    'a machine of the time before the launcher',
    undefined,
    { current: 'before', trying: { build: 'installed', attempt: 0, starts: 1 } },
    '',
    'before',
  ],
  ['such a machine without the files of that time', undefined, { current: 'installed' }, 'before', 'before'],
])('%s', (_, state, next, gone, before) => {
  const exists = (build: string): boolean => build !== gone;
  expect(
    startState(state, { installed: 'installed', before, exists, aim: 'reached the controller' }),
  ).toEqual(next);
});

test('a program that has reached the controller is the present one, and its failure is forgotten', () => {
  expect(confirmedState(trying(2))).toEqual({ current: 'new' });
  expect(confirmedState({ ...failed('x'), ...trying(1) })).toEqual({ current: 'new' });
  expect(confirmedState(failed('x'))).toEqual(failed('x'));
});

test('a file that is missing or damaged is no choice', () => {
  const folder = mkdtempSync(join(tmpdir(), 'grigri-program-'));
  try {
    const file = join(folder, 'program.json');
    expect(readProgramState(file)).toBeUndefined();
    writeProgramState(file, trying(1));
    expect(readProgramState(file)).toEqual(trying(1));
    for (const text of ['', 'null', '{"current":1}', '{"cur']) {
      writeFileSync(file, text);
      expect(readProgramState(file)).toBeUndefined();
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
});
