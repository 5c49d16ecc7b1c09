/** Programs of controllers, as clients send them (docs/upgrades.md). */
import { notValid } from '../errors.ts';
import { checkLimit, limits } from '../limits.ts';

/** A file of a program. `sha256` in hex, `size` in bytes. */
export interface ProgramFile {
  readonly name: string;
  readonly sha256: string;
  readonly size: number;
}

/** Names of the files of a program, the runtime first. */
export const programFileNames = [
  'node',
  'controller.mjs',
  'agent.mjs',
  'launcher.mjs',
  'commands.mjs',
  'archiver.mjs',
  'forecast.mjs',
] as const;

/** Checks a list of files. Errors: `not valid`, `quota limit exceeded`. */
export function checkProgramFiles(files: readonly ProgramFile[]): void {
  for (const { name, sha256, size } of files) {
    if (!programFileNames.some((known) => known === name))
      throw notValid(`file "${name.slice(0, 100)}" is none of a program: ${programFileNames.join(', ')}`);
    if (!isSha256(sha256)) throw notValid(`SHA-256 of ${name} not valid: expected 64 hexadecimal digits`);
    if (!Number.isSafeInteger(size) || size < 1) throw notValid(`size of ${name} not valid: ${size}`);
    checkLimit(limits.programFile, size);
  }
  const names = new Set(files.map(({ name }) => name));
  const missing = programFileNames.find((name) => !names.has(name));
  if (missing !== undefined) throw notValid(`program without the file ${missing}`);
  if (names.size < files.length) throw notValid('program with two files of one name');
}

export function isSha256(text: string): boolean {
  return /^[0-9a-f]{64}$/.test(text);
}

/** Text whose SHA-256 is the program's build. A runtime counts by its size: to read it at each start takes long. */
export function buildText(files: readonly ProgramFile[]): string {
  return files
    .map(({ name, sha256, size }) => `${name} ${name === 'node' ? size : sha256}\n`)
    .toSorted()
    .join('');
}
