import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Bug } from './mutant.ts';

const src = join(import.meta.dirname, '../..');

/**
 * Makes later imports load the file with the bug; the file itself is not changed. Returns a check that throws unless
 * that file was loaded since. Errors: as mutated().
 */
export function applyBug(bug: Bug): () => void {
  const source = mutated(bug);
  const target = pathToFileURL(join(src, bug.file)).href;
  let loaded = false;
  registerHooks({
    load(url, context, nextLoad) {
      const file = nextLoad(url, context);
      if (url !== target) return file;
      loaded = true;
      return { ...file, source };
    },
  });
  return () => {
    if (!loaded)
      throw new Error(`the bug in ${bug.file} was not loaded: the file is never loaded, or was before`);
  };
}

/** Returns the file's text with the bug. Errors: when the text to replace does not occur exactly once. */
export function mutated({ name, file, find, replace }: Bug): string {
  const text = readFileSync(join(src, file), 'utf8');
  const parts = text.split(find);
  if (parts.length !== 2)
    throw new Error(`mutant "${name}": what it replaces is ${parts.length - 1} times in ${file}, not once`);
  return parts.join(replace);
}
