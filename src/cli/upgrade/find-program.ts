/** Program that a controller is to be given: this client's own, or that of a folder or an archive. */
import { execFile } from 'node:child_process';
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { programFileNames } from '../../core/controller/program.ts';
import { checkLimit, limits } from '../../core/limits.ts';
import { errorText } from '../../kit/system-error.ts';
import { describe, ownNode, readProgram, type RuntimeFile } from '../bootstrap/runtime.ts';

const run = promisify(execFile);

interface FoundProgram extends AsyncDisposable {
  readonly files: readonly RuntimeFile[];
}

/**
 * Finds the program's files. `path`: a clone, its dist folder or an archive of either; '' = this client's own. A folder
 * without a runtime gets this client's. Errors: plain Error that names what is missing.
 */
export async function findProgram(path: string, arch: string, cwd: string): Promise<FoundProgram> {
  if (path === '') return { files: await readProgram(arch), [Symbol.asyncDispose]: () => Promise.resolve() };
  const place = resolve(cwd, path);
  const found = await stat(place).catch((error: unknown) => {
    throw new Error(`cannot read the program "${path}": ${errorText(error)}`);
  });
  if (found.isDirectory())
    return { files: await filesIn(place, path, arch), [Symbol.asyncDispose]: () => Promise.resolve() };
  if (!found.isFile()) throw new Error(`the program "${path}" is neither a file nor a folder`);
  checkLimit(limits.programArchive, found.size);
  const folder = await mkdtemp(join(tmpdir(), 'grigri-program-'));
  const end = (): Promise<void> => rm(folder, { recursive: true, force: true });
  try {
    await run('tar', ['-xf', place, '-C', folder, '--no-same-owner']).catch((error: unknown) => {
      const { stderr = '' } = error as { stderr?: string };
      throw new Error(`cannot unpack the program "${path}": ${stderr.trim().split('\n')[0]}`);
    });
    return { files: await filesIn(folder, path, arch), [Symbol.asyncDispose]: end };
  } catch (error) {
    await end();
    throw error;
  }
}

/** Files in the folder, its `dist`, or those of the one folder in it. `path`: what the user called it. */
async function filesIn(folder: string, path: string, arch: string): Promise<RuntimeFile[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  const inside = entries.filter((entry) => entry.isDirectory()).map(({ name }) => join(folder, name));
  const roots = [folder, ...(inside.length === 1 ? inside : [])];
  const places = roots.flatMap((root) => [root, join(root, 'dist')]);
  const [nodeName, ...names] = programFileNames;
  const place = await firstWith(places, 'controller.mjs');
  if (place === undefined)
    throw new Error(
      `no program of grigri in "${path}": expected a folder with controller.mjs, or with dist/controller.mjs`,
    );
  for (const name of names)
    if ((await firstWith([place], name)) === undefined)
      throw new Error(`the program in "${path}" has no ${name}`);
  const node = await firstWith([place], nodeName);
  return Promise.all([
    describe(nodeName, node === undefined ? await ownNode(arch) : join(node, nodeName)),
    ...names.map((name) => describe(name, join(place, name))),
  ]);
}

async function firstWith(folders: readonly string[], name: string): Promise<string | undefined> {
  for (const folder of folders)
    if ((await stat(join(folder, name)).catch(() => undefined))?.isFile()) return folder;
  return undefined;
}
