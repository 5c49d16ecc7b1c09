/** Name of the program in help and hints: that by which the user called it (cli.md#program). */
import { findIn, type Registry } from './command.ts';

export const ownName = 'grigri';

/** Returns the name by which the program was called, from the path of the called file; not that of a source or bundle. */
export function calledName(path: string): string {
  const name = path.slice(path.lastIndexOf('/') + 1);
  return /^[a-z][a-z0-9_-]*$/.test(name) ? name : ownName;
}

/** Changes the program's name in the command lines of a text: `grigri models` → `juju models`. */
export function asCalled(registry: Registry, program: string, text: string): string {
  if (program === ownName) return text;
  return text.replaceAll(/\bgrigri (?=(--help|<command>|[a-z][a-z-]*))/g, (own, word: string) =>
    word.startsWith('-') || word.startsWith('<') || findIn(registry, word) ? `${program} ` : own,
  );
}
