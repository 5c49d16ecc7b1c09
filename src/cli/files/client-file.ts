/** The client's YAML files as texts: a damaged one is never taken for one that is not there (client-files.md#damage). */
import { readFile } from 'node:fs/promises';
import { lineOf } from '../../kit/yaml/edit.ts';

/** A file's content is not what it should be. `at`: the keys that lead to the place, as `controllers`, `mine`. */
export class Misshapen extends Error {
  readonly at: readonly string[];

  constructor(at: readonly string[], what: string) {
    super(what);
    this.at = at;
  }
}

export interface FileText {
  readonly path: string;
  readonly text: string;
  /** What the client loses with the file; absent for files that people write. */
  readonly lost?: string;
}

/**
 * Undefined when there is no such file. Errors: plain Error for one that is empty, or cut off within a certificate or key,
 * as a crash leaves them.
 */
export async function readClientFile(path: string, lost: string): Promise<FileText | undefined> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  const file = { path, text, lost };
  if (text.trim() === '') throw unreadable(file, new Error('it is empty'));
  const cut = openBlock(text);
  if (cut !== undefined) throw unreadable(file, new Error(`this block has no end at line ${cut}`));
  return file;
}

/** What `read` gives. Errors: plain Error that names the file, the line, what is wrong and, of our own files, what to do. */
export function reading<T>(file: FileText, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw unreadable(file, error as Error);
  }
}

function unreadable({ path, text, lost }: FileText, error: Error): Error {
  // A longer message shows the lines around it, which may hold secrets.
  const [, what = '', told] = /^(.*?)(?: at line (\d+).*)?$/.exec(error.message.split('\n', 1)[0]!) ?? [];
  const line = error instanceof Misshapen ? lineOf(text, error.at) : told;
  const advice =
    lost === undefined
      ? ''
      : `\nThe file is damaged and was left as it is: mend it, put it back from a copy, or move it away (${lost}).`;
  return new Error(`cannot read ${path}${line === undefined ? '' : `, line ${line}`}: ${what}${advice}`);
}

/** The line of the first PEM block that only begins. */
function openBlock(text: string): number | undefined {
  for (const { 1: name, index } of text.matchAll(/-----BEGIN ([A-Z0-9 ]{1,40})-----/g))
    if (!text.includes(`-----END ${name}-----`, index)) return text.slice(0, index).split('\n').length;
  return undefined;
}
