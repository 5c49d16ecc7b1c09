/**
 * Processes of this host that serve a controller's data directory, as the kernel reports them. Only Linux is supported;
 * other systems have none.
 */
import { readdir, readFile, readlink, realpath, stat } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';

/** Returns controllers that were started for the directory under any of its names, or that have its store open. */
export async function servingProcesses(dataDir: string): Promise<number[]> {
  return filterProcesses((pid) => isServing(pid, dataDir));
}

/** Returns the data directories of all controllers that run on this host, as far as this user may see. */
export async function servedDirectories(): Promise<string[]> {
  const directories = await Promise.all((await allProcesses()).map(servedDirectory));
  return directories.filter((one) => one !== undefined);
}

export async function isServing(pid: number, dataDir: string): Promise<boolean> {
  const directory = await servedDirectory(pid);
  if (directory === undefined) return false;
  const real = await realPath(dataDir);
  return (await realPath(directory)) === real || (await hasOpen(pid, join(real, 'store.db')));
}

/** Returns processes that have the directory's store open. While there are any, it must not be removed. */
export async function storeHolders(dataDir: string): Promise<number[]> {
  const store = join(await realPath(dataDir), 'store.db');
  return filterProcesses((pid) => hasOpen(pid, store));
}

async function allProcesses(): Promise<number[]> {
  const names = await readdir('/proc').catch(() => []);
  return names.filter((name) => /^\d+$/.test(name)).map(Number);
}

async function filterProcesses(predicate: (pid: number) => Promise<boolean>): Promise<number[]> {
  const pids = await allProcesses();
  const matching = await Promise.all(pids.map(async (pid) => ((await predicate(pid)) ? [pid] : [])));
  return matching.flat();
}

/** Returns the data directory of a `controller run` process; undefined for any other process. */
async function servedDirectory(pid: number): Promise<string | undefined> {
  const argv = (await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')).split('\0').slice(0, -1);
  const program = argv.findIndex((one) => /^controller\.(?:mjs|ts)$/.test(basename(one)));
  if (program < 0) return undefined;
  const { values, positionals } = parseArgs({
    args: argv.slice(program + 1),
    allowPositionals: true,
    strict: false,
    options: { 'data-dir': { type: 'string' } },
  });
  const directory = values['data-dir'];
  if (positionals[0] !== 'run' || typeof directory !== 'string') return undefined;
  return resolve(await readlink(`/proc/${pid}/cwd`).catch(() => '/'), directory);
}

/** Returns whether a process has the file open, by device and inode, since a file may have many names. */
async function hasOpen(pid: number, path: string): Promise<boolean> {
  const file = await stat(path).catch(() => undefined);
  if (!file) return false;
  const descriptors = await readdir(`/proc/${pid}/fd`).catch(() => []);
  const matches = await Promise.all(
    descriptors.map(async (descriptor) => {
      const link = join(`/proc/${pid}/fd`, descriptor);
      if (basename(await readlink(link).catch(() => '')) !== basename(path)) return false;
      const open = await stat(link).catch(() => undefined);
      return open?.dev === file.dev && open.ino === file.ino;
    }),
  );
  return matches.includes(true);
}

const realPath = (path: string): Promise<string> => realpath(path).catch(() => resolve(path));
