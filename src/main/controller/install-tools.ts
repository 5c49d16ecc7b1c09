import { constants, type Stats } from 'node:fs';
import { chmod, copyFile, link, readdir, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeName, buildOf, buildsName, launcherName, programName } from '../../agent/program/folders.ts';
import { makeFolder } from '../../kit/make-folder.ts';

/** Folders that may have the agent's parts: beside the controller's own program, or dist/ when run from source. */
const bundles = [import.meta.dirname, join(import.meta.dirname, '../../../dist')];
/** Number of earlier programs that stay beside those of models, for machines whose agents have not followed yet. */
const keptBuilds = 3;

/**
 * Installs `node`, `agent.mjs` (the launcher) and `program.mjs` into one folder of plain files, since machines see it
 * through a mount in which links would be broken. Files are replaced atomically, so that running machines keep their
 * open files; a program that is replaced stays in `builds/<build>`, and longer than others while it is one of `needed`.
 */
export async function installTools(dir: string, needed: readonly string[] = []): Promise<void> {
  await makeFolder(dir, 0o755);
  const tools = await outdated(dir);
  if (tools.some(({ name }) => name !== launcherName)) await keepBuild(dir, needed);
  for (const tool of tools) await copyTool(tool);
}

/** Returns the size of the tools in bytes. */
export async function toolsBytes(dir: string): Promise<number> {
  return (await outdated(dir)).reduce((sum, { size }) => sum + size, 0);
}

/** Build of the agent that installTools installs. */
export async function ownAgentBuild(): Promise<string> {
  return buildOf(await built('agent.mjs'));
}

interface Tool {
  readonly name: string;
  readonly sourcePath: string;
  readonly targetPath: string;
  readonly size: number;
  /** Time of the source, by which the copy is known. */
  readonly at: Date;
}

async function outdated(dir: string): Promise<Tool[]> {
  const tools: Tool[] = [];
  for (const [sourcePath, name] of [
    [process.execPath, 'node'],
    [await built('agent.mjs'), programName],
    // The launcher is the last: it needs the program.
    [await built('launcher.mjs'), launcherName],
  ] as const) {
    const targetPath = join(dir, name);
    const [source, target] = await Promise.all([stat(sourcePath), fileAt(targetPath)]);
    // Node rounds the time that it gives a file.
    if (target?.size === source.size && Math.abs(target.mtimeMs - source.mtimeMs) <= 1) continue;
    tools.push({ name, sourcePath, targetPath, size: source.size, at: source.mtime });
  }
  return tools;
}

async function built(name: string): Promise<string> {
  for (const folder of bundles) if ((await fileAt(join(folder, name)))?.isFile()) return join(folder, name);
  throw new Error(`the agent bundle ${name} is missing: run "npm run build"`);
}

function fileAt(path: string): Promise<Stats | undefined> {
  return stat(path).catch(() => undefined);
}

/**
 * Keeps the program of the folder with its runtime, as links. Machines of the time before there was a launcher run
 * `agent.mjs` itself: it is kept as theirs, to which they go back when the new one does not come up.
 */
async function keepBuild(dir: string, needed: readonly string[]): Promise<void> {
  const isOld = !(await fileAt(join(dir, programName)));
  const program = join(dir, isOld ? launcherName : programName);
  if (!(await fileAt(program)) || !(await fileAt(join(dir, 'node')))) return;
  const build = buildOf(program);
  const folder = join(dir, buildsName, build);
  const unfinished = `${folder}.new`;
  await rm(unfinished, { recursive: true, force: true });
  await makeFolder(unfinished, 0o755);
  await link(program, join(unfinished, programName));
  await link(join(dir, 'node'), join(unfinished, 'node'));
  await rm(folder, { recursive: true, force: true });
  await rename(unfinished, folder);
  if (isOld) await writeFile(join(dir, beforeName), build);
  await tidyBuilds(join(dir, buildsName), needed);
}

/** Removes the programs of a folder that are neither needed nor among the newest. */
export async function tidyBuilds(folder: string, needed: readonly string[]): Promise<void> {
  const names = (await readdir(folder)).filter((name) => !needed.includes(name));
  const builds = await Promise.all(
    names.map(async (name) => ({ path: join(folder, name), at: (await stat(join(folder, name))).mtimeMs })),
  );
  for (const { path } of builds.sort((a, b) => b.at - a.at).slice(keptBuilds))
    await rm(path, { recursive: true, force: true });
}

/** Copies a file instead of linking it: a machine's changes to its own must not reach the host's. */
async function copyTool({ sourcePath, targetPath, at }: Tool): Promise<void> {
  const newFile = `${targetPath}.new`;
  await rm(newFile, { force: true });
  await copyFile(sourcePath, newFile, constants.COPYFILE_FICLONE);
  await chmod(newFile, 0o755);
  await utimes(newFile, at, at);
  await rename(newFile, targetPath);
}
