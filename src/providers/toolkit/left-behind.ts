/**
 * Files that a controller leaves behind for models which other controllers of this host took over
 * (migration.md#take-over): their machines run with its tools, and on its images, until they start again.
 */
import { lstat, readdir, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { isAbsent } from './json-file.ts';

/** Names in a controller's data directory. */
const [settings, machines, kept] = ['controller.json', 'machines', new Set(['machines', 'tools'])];

/**
 * Removes a controller's data directory, except for what machines of models need that are with other controllers now:
 * these remove it with the last of the models. Returns whether something stayed.
 */
export async function removeExceptLeftBehind(dataDir: string): Promise<boolean> {
  const stays = (await linksIn(join(dataDir, machines), leadsSomewhere)).length > 0;
  for (const name of stays ? await list(dataDir) : []) if (!kept.has(name)) await remove(join(dataDir, name));
  if (!stays) await remove(dataDir);
  return stays;
}

/** Removes the link to a model's folder, and with the last link what a removed controller has left. */
export async function forgetAt(stateDir: string, modelUuid: string): Promise<void> {
  const link = join(stateDir, modelUuid);
  // Without it, the last one may have gone before an earlier attempt ended.
  if (await isLink(link)) await rm(link);
  const dataDir = dirname(stateDir);
  const names = await list(dataDir);
  const isLeftBehind =
    basename(stateDir) === machines && names.length > 0 && names.every((name) => kept.has(name));
  if (isLeftBehind && !names.includes(settings) && (await linksIn(stateDir)).length === 0)
    await remove(dataDir);
}

export async function isLink(path: string): Promise<boolean> {
  try {
    return (await lstat(path)).isSymbolicLink();
  } catch (error) {
    if (isAbsent(error)) return false;
    throw error;
  }
}

async function linksIn(
  folder: string,
  accept: (path: string) => Promise<boolean> = () => Promise.resolve(true),
): Promise<string[]> {
  const links: string[] = [];
  for (const name of await list(folder)) {
    const path = join(folder, name);
    if ((await isLink(path)) && (await accept(path))) links.push(path);
  }
  return links;
}

function leadsSomewhere(link: string): Promise<boolean> {
  return stat(link).then(
    () => true,
    () => false,
  );
}

async function list(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (isAbsent(error)) return [];
    throw error;
  }
}

function remove(path: string): Promise<void> {
  return rm(path, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
}
