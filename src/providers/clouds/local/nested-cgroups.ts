/** Limits of containers, capped by those of their machine. */
import { readFile } from 'node:fs/promises';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findCgroups, type CgroupLayout } from './cgroups.ts';
import { run } from './run.ts';
import { makeFolder } from '../../../kit/make-folder.ts';

/** Path of the machine's own part of the cgroup v2 tree; the trees of v1 must be mounted first. */
const unified = '/sys/fs/cgroup';
const own = '/run/grigri/cgroup';

/**
 * Prepares the machine's part of the host's groups for child groups. Undefined when limits cannot be set. Idempotent.
 */
export async function findNestedCgroups(): Promise<CgroupLayout | undefined> {
  try {
    if (hasLimits(unified)) return findCgroups(unified);
    await mountTrees();
    return findCgroups(own);
  } catch {
    // Missing limits are reported in each container's isolation.
    return undefined;
  }
}

/** Returns the layout as a machine on this host sees it. */
export function nestedLayout(layout: CgroupLayout): CgroupLayout {
  return { ...layout, root: layout.version === 2 ? unified : own };
}

function hasLimits(root: string): boolean {
  const file = join(root, 'cgroup.controllers');
  return existsSync(file) && readFileSync(file, 'utf8').split(/\s/).includes('memory');
}

/** Mounts the trees of v1. Trees that the host mounted together (`5:cpu,cpuacct:/`) can only be mounted together. */
async function mountTrees(): Promise<void> {
  for (const line of (await readFile('/proc/self/cgroup', 'utf8')).split('\n')) {
    const tree = line.split(':')[1] ?? '';
    const wanted = tree
      .split(',')
      .filter((name) => ['memory', 'cpu', 'pids', 'freezer', 'name=systemd'].includes(name));
    for (const name of wanted) {
      const folder = join(own, name.replace('name=', ''));
      if (existsSync(join(folder, 'cgroup.procs'))) continue;
      await makeFolder(folder);
      const options = name === tree && tree.startsWith('name=') ? `none,${tree}` : tree;
      await run(['mount', '-t', 'cgroup', '-o', options, 'cgroup', folder]);
    }
  }
}
