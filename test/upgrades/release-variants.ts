/** Variants of this build's controller, as folders that `upgrade-controller --program` takes. */
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../world.ts';

/** Makes a folder with this build's dist, whose controller's text is changed. */
export function controllerVariant(folder: string, change: (text: string) => string): string {
  mkdirSync(folder, { recursive: true });
  cpSync(join(root, 'dist'), join(folder, 'dist'), { recursive: true });
  const file = join(folder, 'dist/controller.mjs');
  const before = readFileSync(file, 'utf8');
  const after = change(before);
  if (after === before) throw new Error(`the variant in ${folder} is this build`);
  writeFileSync(file, after);
  return folder;
}

/** Returns the text with `code` in the place of the one occurrence of `sought`. */
function replaced(text: string, sought: string, code: string): string {
  if (text.split(sought).length !== 2) throw new Error(`expected one "${sought}" in the controller's bundle`);
  return text.replace(sought, () => code);
}

/** A controller that converts its store to formats of its own. */
export function withNewFormats(text: string, formats = 1): string {
  const mark = '// src/store/sqlite/open-sqlite-store.ts\n';
  return replaced(
    text,
    mark,
    `${mark}for (let n = 1; n <= ${formats}; n++) schema.push('CREATE TABLE of_the_future_' + n + ' (n)');\n`,
  );
}

/** A controller that serves, and does not find itself well. */
export function unwell(text: string): string {
  return replaced(text, 'path: "/health"', 'path: "/unwell"');
}
