/** Limits of memory, CPU and number of processes, for cgroup v1 and v2. */
import { accessSync, constants, existsSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { readdir, readFile, rmdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../../../kit/clock.ts';
import { kill } from './process.ts';
import { makeFolder, makeFolderSync } from '../../../kit/make-folder.ts';

/** Layout of the host's cgroups. `v2`: one tree; `v1`: one tree for each of the named controllers. */
export type CgroupLayout =
  | { readonly version: 2; readonly root: string }
  | { readonly version: 1; readonly root: string; readonly trees: readonly string[] };

interface Limits {
  readonly memoryMiB?: number;
  readonly cores?: number;
}

/** Limit of processes per machine: more than any charm needs, fewer than would overload a host. */
const processesMax = 16384;
const parent = 'grigri';
const controllers = '+memory +cpu +pids';

/** Finds the layout by trying it; undefined when limits cannot be set. */
export function findCgroups(root = '/sys/fs/cgroup'): CgroupLayout | undefined {
  const layout = layoutOf(root);
  if (!layout) return undefined;
  const created: string[] = [];
  try {
    for (const folder of parentFolders(layout)) {
      if (makeFolderSync(folder)) created.push(folder);
    }
    if (layout.version === 2) {
      writeFileSync(join(root, 'cgroup.subtree_control'), controllers);
      writeFileSync(join(root, parent, 'cgroup.subtree_control'), controllers);
    } else {
      accessSync(join(root, 'memory', parent, 'cgroup.procs'), constants.W_OK);
    }
    return layout;
  } catch {
    return undefined;
  } finally {
    for (const folder of created) tryRmdir(folder);
  }
}

/** Cgroups of one machine. Its processes join each of `limits`, then each of `processes`. */
export interface MachineGroups {
  readonly limits: readonly string[];
  /**
   * Leaf groups of cgroup v2, where a group with child groups must have no processes itself; they make room for
   * containers.
   */
  readonly processes: readonly string[];
}

export function machineGroups(layout: CgroupLayout, name: string): MachineGroups {
  const limits = cgroupFolders(layout, name);
  return { limits, processes: layout.version === 2 ? limits.map((folder) => join(folder, 'machine')) : [] };
}

/** Returns the folders of one machine's limits. */
export function cgroupFolders(layout: CgroupLayout, name: string): string[] {
  return parentFolders(layout).map((folder) => join(folder, name));
}

/** Creates the machine's groups and sets its limits, capped by those around it; existing groups are updated. */
export async function ensureCgroups(layout: CgroupLayout, name: string, requested: Limits): Promise<void> {
  const around = await limitsAround(layout);
  const limits = {
    ...least('memoryMiB', requested, around),
    ...least('cores', requested, around),
  };
  const { limits: outer, processes } = machineGroups(layout, name);
  for (const folder of [...outer, ...processes]) await makeFolder(folder);
  if (layout.version === 2) {
    await writeFile(join(layout.root, 'cgroup.subtree_control'), controllers);
    await writeFile(join(layout.root, parent, 'cgroup.subtree_control'), controllers);
  }
  for (const [file, value] of settings(layout, name, limits)) await writeFile(file, value);
}

/**
 * Returns the limits of all machines together, where they are below the whole host's: inside a machine, its own limits.
 */
export async function limitsAround(layout: CgroupLayout): Promise<Limits> {
  const read = async (...path: string[]): Promise<string[]> =>
    (await readFile(join(layout.root, ...path), 'utf8').catch(() => '')).trim().split(' ');
  const [bytes = ''] =
    layout.version === 2 ? await read('memory.max') : await read('memory', 'memory.limit_in_bytes');
  const [quotaUs = '', periodUs = ''] =
    layout.version === 2
      ? await read('cpu.max')
      : [...(await read('cpu', 'cpu.cfs_quota_us')), ...(await read('cpu', 'cpu.cfs_period_us'))];
  return {
    ...(Number(bytes) > 0 ? { memoryMiB: Math.floor(Number(bytes) / 1024 / 1024) } : {}),
    ...(Number(quotaUs) > 0 ? { cores: Number(quotaUs) / Number(periodUs) } : {}),
  };
}

/** Kills the remaining processes of the machine's groups and removes the groups. */
export async function removeCgroups(layout: CgroupLayout, name: string, clock: Clock): Promise<void> {
  const folders = cgroupFolders(layout, name);
  for (let attempt = 0; ; attempt++) {
    for (const folder of folders) await killAll(folder);
    const left = [];
    for (const folder of folders) if (!(await removeTree(folder))) left.push(folder);
    if (left.length === 0) break;
    // A killed process leaves its group a moment after it is gone from the process table, on a busy host seconds.
    if (attempt === 1_000) throw new Error(`cgroups stay busy: ${left.join(', ')}`);
    await clock.sleep(10);
  }
}

/** Removes the common parent groups when they contain no machine any more. */
export function removeCgroupParents(layout: CgroupLayout): void {
  for (const folder of parentFolders(layout)) tryRmdir(folder);
}

function least(key: keyof Limits, wanted: Limits, around: Limits): Limits {
  const value = wanted[key];
  return value ? { [key]: Math.min(value, around[key] ?? value) } : {};
}

function layoutOf(root: string): CgroupLayout | undefined {
  if (existsSync(join(root, 'cgroup.controllers'))) {
    const available = readFileSync(join(root, 'cgroup.controllers'), 'utf8').trim().split(' ');
    return available.includes('memory') && available.includes('cpu') && available.includes('pids')
      ? { version: 2, root }
      : undefined;
  }
  if (!existsSync(join(root, 'memory')) || !existsSync(join(root, 'cpu'))) return undefined;
  // `systemd` and `unified` set no limits, but a service manager that stops the controller kills the processes in them.
  const trees = ['memory', 'cpu', 'pids', 'freezer', 'systemd', 'unified'].filter((tree) =>
    existsSync(join(root, tree)),
  );
  return { version: 1, root, trees };
}

function parentFolders(layout: CgroupLayout): string[] {
  return layout.version === 2
    ? [join(layout.root, parent)]
    : layout.trees.map((tree) => join(layout.root, tree, parent));
}

function settings(layout: CgroupLayout, name: string, { memoryMiB, cores }: Limits): [string, string][] {
  const bytes = memoryMiB ? String(memoryMiB * 1024 * 1024) : undefined;
  const periodUs = 100_000;
  const quotaUs = cores ? cores * periodUs : undefined;
  if (layout.version === 2) {
    const folder = join(layout.root, parent, name);
    return [
      [join(folder, 'memory.max'), bytes ?? 'max'],
      [join(folder, 'cpu.max'), `${quotaUs ?? 'max'} ${periodUs}`],
      [join(folder, 'pids.max'), String(processesMax)],
    ];
  }
  const file = (tree: string, setting: string): string => join(layout.root, tree, parent, name, setting);
  const pids: [string, string][] = layout.trees.includes('pids')
    ? [[file('pids', 'pids.max'), String(processesMax)]]
    : [];
  return [
    [file('memory', 'memory.limit_in_bytes'), bytes ?? '-1'],
    [file('cpu', 'cpu.cfs_period_us'), String(periodUs)],
    [file('cpu', 'cpu.cfs_quota_us'), String(quotaUs ?? -1)],
    ...pids,
  ];
}

/** Removes a group with its child groups: those of processes, of containers, and of a systemd within the machine. */
async function removeTree(folder: string): Promise<boolean> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  for (const entry of entries) if (entry.isDirectory()) await removeTree(join(folder, entry.name));
  try {
    await rmdir(folder);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT';
  }
}

async function killAll(folder: string): Promise<void> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  for (const entry of entries) if (entry.isDirectory()) await killAll(join(folder, entry.name));
  const text = await readFile(join(folder, 'cgroup.procs'), 'utf8').catch(() => '');
  for (const pid of text.split('\n')) if (Number(pid) > 1) kill(Number(pid));
}

function tryRmdir(folder: string): void {
  try {
    rmdirSync(folder);
  } catch {
    // The group still contains machines, possibly another controller's: the last machine removes it.
  }
}
