import { readFile, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { makeFolder } from '../../kit/make-folder.ts';

const kernelBootId = '/proc/sys/kernel/random/boot_id';

/**
 * Returns an id that changes when the machine boots. The start time of the first process is part of it, since a
 * container keeps its kernel. `file` counts the reboots that charms asked for: where nothing is isolated, the agent's
 * restart is the only sign of a reboot.
 */
export async function readBootId(file: string): Promise<string> {
  const kernel = await readFile(kernelBootId, 'utf8').catch(() => '');
  return `${kernel.trim()} ${await firstProcessStart()} ${await count(file)}`;
}

/**
 * Returns the start time of the first process in clock ticks since the kernel booted: the 20th field after the name,
 * which may contain anything (proc(5)).
 */
async function firstProcessStart(): Promise<string> {
  const stat = await readFile('/proc/1/stat', 'utf8').catch(() => '');
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '';
}

/** Records a reboot; must be called before the agent ends for it. */
export async function recordReboot(file: string): Promise<void> {
  const next = (await count(file)) + 1;
  await makeFolder(dirname(file));
  await writeFile(file, `${next}\n`);
}

async function count(file: string): Promise<number> {
  const text = await readFile(file, 'utf8').catch(() => '0');
  return Number(text.trim()) || 0;
}
