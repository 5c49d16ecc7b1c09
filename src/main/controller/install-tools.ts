import { constants } from 'node:fs';
import { chmod, copyFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolder } from '../../kit/make-folder.ts';

/** Candidates for the agent's bundle: beside the controller's own, or in dist/ when run from source. */
const bundles = [
  join(import.meta.dirname, 'agent.mjs'),
  join(import.meta.dirname, '../../../dist/agent.mjs'),
];

/**
 * Installs `node` and `agent.mjs` into one folder of plain files, since machines see it through a mount in which links
 * would be broken. Files are replaced atomically, so that running machines keep their open files.
 */
export async function installTools(dir: string): Promise<void> {
  await makeFolder(dir, 0o755);
  for (const tool of await outdated(dir)) await copyTool(tool);
}

/** Returns the size of the tools in bytes. */
export async function toolsBytes(dir: string): Promise<number> {
  return (await outdated(dir)).reduce((sum, { size }) => sum + size, 0);
}

interface Tool {
  readonly sourcePath: string;
  readonly targetPath: string;
  readonly size: number;
}

async function outdated(dir: string): Promise<Tool[]> {
  const bundle = await firstFile(bundles);
  if (bundle === undefined) throw new Error('the agent bundle is missing: run "npm run build"');
  const tools: Tool[] = [];
  for (const [sourcePath, name] of [
    [bundle, 'agent.mjs'],
    [process.execPath, 'node'],
  ] as const) {
    const targetPath = join(dir, name);
    const [source, target] = await Promise.all([stat(sourcePath), stat(targetPath).catch(() => undefined)]);
    if (target && target.size === source.size && target.mtimeMs >= source.mtimeMs) continue;
    tools.push({ sourcePath, targetPath, size: source.size });
  }
  return tools;
}

async function firstFile(paths: readonly string[]): Promise<string | undefined> {
  for (const path of paths)
    if (
      await stat(path).then(
        (one) => one.isFile(),
        () => false,
      )
    )
      return path;
  return undefined;
}

/** Copies a file instead of linking it: a machine's changes to its own must not reach the host's. */
async function copyTool({ sourcePath, targetPath }: Tool): Promise<void> {
  const newFile = `${targetPath}.new`;
  await rm(newFile, { force: true });
  await copyFile(sourcePath, newFile, constants.COPYFILE_FICLONE);
  await chmod(newFile, 0o755);
  await rename(newFile, targetPath);
}
