import { constants } from 'node:fs';
import { chmod, copyFile, mkdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** The agent's bundle: beside the controller's own, or in dist/ when run from source. */
const bundles = [
  join(import.meta.dirname, 'agent.mjs'),
  join(import.meta.dirname, '../../../dist/agent.mjs'),
];

/**
 * Puts what machines run into one folder of plain files (machines see it through a mount, where links to elsewhere
 * lead nowhere): `node`, `agent.mjs`. Files are replaced whole, so that machines in use keep what they have open.
 */
export async function installTools(dir: string): Promise<void> {
  await mkdir(dir, { recursive: true, mode: 0o755 });
  for (const tool of await outdated(dir)) await place(tool);
}

/** The room that it takes, in bytes. */
export async function toolsBytes(dir: string): Promise<number> {
  return (await outdated(dir)).reduce((sum, { size }) => sum + size, 0);
}

interface Tool {
  readonly from: string;
  readonly to: string;
  readonly size: number;
}

async function outdated(dir: string): Promise<Tool[]> {
  const bundle = await firstFile(bundles);
  if (bundle === undefined) throw new Error('the agent bundle is missing: run "npm run build"');
  const tools: Tool[] = [];
  for (const [from, name] of [
    [bundle, 'agent.mjs'],
    [process.execPath, 'node'],
  ] as const) {
    const to = join(dir, name);
    const [source, target] = await Promise.all([stat(from), stat(to).catch(() => undefined)]);
    if (target && target.size === source.size && target.mtimeMs >= source.mtimeMs) continue;
    tools.push({ from, to, size: source.size });
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

/** A copy, never a hard link: what a machine could do to its own must not reach the host's. */
async function place({ from, to }: Tool): Promise<void> {
  const next = `${to}.new`;
  await rm(next, { force: true });
  await copyFile(from, next, constants.COPYFILE_FICLONE);
  await chmod(next, 0o755);
  await rename(next, to);
}
