import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

const kernelBootId = '/proc/sys/kernel/random/boot_id';

/**
 * Changes when the machine boots: a container keeps its kernel then, but not its first process. And when a charm asked
 * for a reboot: where nothing is isolated the agent's new start is all the reboot there is. `file` counts those.
 */
export async function readBootId(file: string): Promise<string> {
  const kernel = await readFile(kernelBootId, 'utf8').catch(() => '');
  return `${kernel.trim()} ${await firstProcessStart()} ${await count(file)}`;
}

/** In the kernel's ticks since it booted; the 20th after the name, which may hold anything (proc(5)). */
async function firstProcessStart(): Promise<string> {
  const stat = await readFile('/proc/1/stat', 'utf8').catch(() => '');
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '';
}

/** Called before the agent ends for a reboot. */
export async function recordReboot(file: string): Promise<void> {
  const next = (await count(file)) + 1;
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, `${next}\n`);
}

async function count(file: string): Promise<number> {
  const text = await readFile(file, 'utf8').catch(() => '0');
  return Number(text.trim()) || 0;
}
