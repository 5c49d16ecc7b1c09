/** Limit of the kernel's inotify instances per user; a systemd with its services needs six. */
import { readdir, readFile, readlink, stat } from 'node:fs/promises';
import { join } from 'node:path';

const neededBySystemd = 6;

/**
 * Describes the use of inotify instances when too few are left for a systemd; undefined when enough are left, or the
 * limit is unknown.
 */
export async function inotifyShortage(proc = '/proc'): Promise<string | undefined> {
  const limit = await readFile(join(proc, 'sys/fs/inotify/max_user_instances'), 'utf8').catch(() => '');
  const max = Number(limit);
  if (limit === '' || Number.isNaN(max)) return undefined;
  let used = 0;
  for (const name of await readdir(proc)) if (/^\d+$/.test(name)) used += await usedBy(join(proc, name));
  if (max - used >= neededBySystemd) return undefined;
  return `${used} of ${max} inotify instances of this user are in use (sysctl fs.inotify.max_user_instances)`;
}

/** Counts the instances of a process of this user; 0 when the process ends meanwhile. */
async function usedBy(folder: string): Promise<number> {
  try {
    if ((await stat(folder)).uid !== process.getuid?.()) return 0;
    const files = await readdir(join(folder, 'fd'));
    const links = await Promise.all(files.map((fd) => readlink(join(folder, 'fd', fd)).catch(() => '')));
    return links.filter((link) => link === 'anon_inode:inotify').length;
  } catch {
    return 0;
  }
}
