/** Texts of the client's YAML files. A damaged file is never mistaken for a missing one (client-files.md#damage). */
import { readFile } from 'node:fs/promises';
import { lineOf } from '../../kit/yaml/edit.ts';

/** Error for a file with unexpected content. `at` is the path of keys to the place, as in `controllers`, `mine`. */
export class Misshapen extends Error {
  readonly keyPath: readonly string[];

  constructor(keyPath: readonly string[], problem: string) {
    super(problem);
    this.keyPath = keyPath;
  }
}

export interface FileText {
  readonly path: string;
  readonly text: string;
  /** Consequence of losing the file, for the advice; absent for files that people write. */
  readonly consequence?: string;
}

/**
 * Reads a file; undefined when it does not exist, or has only line ends, as files made by scripts may. Errors: plain
 * Error for a file without a byte, or cut off within a certificate or key, as after a crash.
 */
export async function readClientFile(path: string, consequence: string): Promise<FileText | undefined> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  const file = { path, text, consequence };
  if (text === '') throw unreadable(file, new Error('the file is empty'));
  if (/^\n+$/.test(text)) return undefined;
  const cut = openBlock(text);
  if (cut !== undefined) throw unreadable(file, new Error(`this block has no end at line ${cut}`));
  return file;
}

/**
 * Returns the result of `read`. Errors: plain Error that names the file, the line and the problem and, for the client's
 * own files, what to do.
 */
export function reading<T>(file: FileText, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw unreadable(file, error as Error);
  }
}

function unreadable({ path, text, consequence }: FileText, error: Error): Error {
  // The message is cut after its first line: further lines quote the file, which may contain secrets.
  const [, problem = '', statedLine] =
    /^(.*?)(?: at line (\d+).*)?$/.exec(error.message.split('\n', 1)[0]!) ?? [];
  const line = error instanceof Misshapen ? lineOf(text, error.keyPath) : statedLine;
  const advice =
    consequence === undefined
      ? ''
      : `\nThe file is damaged and was not changed: repair it, restore it from a backup, or move it away (${consequence}).`;
  return new Error(`cannot read ${path}${line === undefined ? '' : `, line ${line}`}: ${problem}${advice}`);
}

/** Returns the line of the first PEM block without an end. */
function openBlock(text: string): number | undefined {
  for (const { 1: name, index } of text.matchAll(/-----BEGIN ([A-Z0-9 ]{1,40})-----/g))
    if (!text.includes(`-----END ${name}-----`, index)) return text.slice(0, index).split('\n').length;
  return undefined;
}
