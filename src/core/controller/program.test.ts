import { expect, test } from 'vitest';
import { limits } from '../limits.ts';
import { buildText, checkProgramFiles, programFileNames, type ProgramFile } from './program.ts';

const files = (change: (file: ProgramFile) => Partial<ProgramFile> = () => ({})): ProgramFile[] =>
  programFileNames.map((name) => {
    const file = { name, sha256: 'a'.repeat(64), size: 10 };
    return { ...file, ...change(file) };
  });

test('a program has each of its files once, with sizes below the limit', () => {
  expect(() => checkProgramFiles(files())).not.toThrow();
  expect(() => checkProgramFiles(files(() => ({ size: limits.programFile.max })))).not.toThrow();
});

test.each<[what: string, files: ProgramFile[], error: object]>([
  [
    'an unknown file',
    files(() => ({ name: '../../etc/passwd' })),
    { message: expect.stringMatching(/^file "..\/..\/etc\/passwd" is none of a program: node, /) },
  ],
  ['a missing file', files().slice(0, -1), { message: 'program without the file forecast.mjs' }],
  ['a file twice', [...files(), ...files().slice(0, 1)], { message: 'program with two files of one name' }],
  [
    'no checksum',
    files(() => ({ sha256: 'A'.repeat(64) })),
    { message: 'SHA-256 of node not valid: expected 64 hexadecimal digits' },
  ],
  ['no size', files(() => ({ size: 0.5 })), { message: 'size of node not valid: 0.5' }],
  [
    'a file above the limit',
    files(() => ({ size: limits.programFile.max + 1 })),
    { code: 'quota limit exceeded' },
  ],
])('a program with %s is refused', (_, list, error) => {
  expect(() => checkProgramFiles(list)).toThrow(expect.objectContaining(error) as Error);
});

test('a build depends on the contents of all files, and not on their order', () => {
  const text = buildText(files());
  expect(buildText(files().toReversed())).toBe(text);
  for (const changed of programFileNames)
    expect(
      buildText(files(({ name }) => (name === changed ? { sha256: 'b'.repeat(64), size: 11 } : {}))),
    ).not.toBe(text);
});
