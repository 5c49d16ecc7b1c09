import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Mutant } from './mutant.ts';

const src = join(import.meta.dirname, '../..');

/** Makes later imports load the file with the mutant's bug; the file itself is not changed. Errors: as mutated(). */
export function applyMutant(mutant: Mutant): void {
  const path = join(src, mutant.file);
  const source = mutated(mutant);
  const target = pathToFileURL(path).href;
  registerHooks({
    load(url, context, nextLoad) {
      const loaded = nextLoad(url, context);
      return url === target ? { ...loaded, source } : loaded;
    },
  });
}

/** Returns the file's text with the bug. Errors: when the text to replace does not occur exactly once. */
export function mutated({ name, file, find, replace }: Mutant): string {
  const text = readFileSync(join(src, file), 'utf8');
  const parts = text.split(find);
  if (parts.length !== 2)
    throw new Error(`mutant "${name}": what it replaces is ${parts.length - 1} times in ${file}, not once`);
  return parts.join(replace);
}
