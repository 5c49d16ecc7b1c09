/** A machine where nothing can be isolated: a supervised process tree with a folder of its own. */
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../../kit/clock.ts';
import type { StartParams } from '../provider.ts';
import { agentCommand, machineTag } from './agent-service.ts';
import { launch } from './launch.ts';
import { kill } from './process.ts';
import { initScript, plainScript } from './scripts.ts';

/** In the environment of every process of the machine: how they are found again, also those that left the session. */
const marker = 'GRIGRI_INSTANCE';

/** Where the agent keeps its files, since `/var/lib/juju` is not the machine's own. */
export function plainDataDir(folder: string): string {
  return join(folder, 'data');
}

export async function startPlain(
  { folder, start, clock }: { folder: string; start: StartParams; clock: Clock },
  signal: AbortSignal,
): Promise<void> {
  await mkdir(join(folder, 'log'), { recursive: true });
  await writeFile(join(folder, 'machine.sh'), plainScript);
  await writeFile(join(folder, 'init.sh'), initScript);
  const logFile = join(folder, 'log', `${machineTag(start.machineId)}.log`);
  const command = agentCommand(start, start.agent.toolsDir, plainDataDir(folder));
  await launch({
    folder,
    argv: ['sh', join(folder, 'machine.sh'), 'sh', join(folder, 'init.sh'), logFile, '', ...command],
    env: { FOLDER: folder, LANG: 'C.UTF-8', HOME: process.env['HOME'] ?? folder, [marker]: folder },
    clock,
    signal,
  });
}

export function enterPlain(folder: string): string[] {
  return ['env', `--chdir=${folder}`, `${marker}=${folder}`];
}

/** Ends every process of the machine; what they start meanwhile too. */
export async function killPlain(folder: string, clock: Clock): Promise<void> {
  for (;;) {
    const pids = await markedProcesses(folder);
    if (pids.length === 0) return;
    for (const pid of pids) kill(pid);
    await clock.sleep(10);
  }
}

async function markedProcesses(folder: string): Promise<number[]> {
  const entry = `${marker}=${folder}`;
  const found: number[] = [];
  for (const name of await readdir('/proc').catch(() => [])) {
    if (!/^\d+$/.test(name) || Number(name) === process.pid) continue;
    // Other users' processes cannot be read, and are not ours.
    const environment = await readFile(`/proc/${name}/environ`, 'utf8').catch(() => '');
    if (environment.split('\0').includes(entry)) found.push(Number(name));
  }
  return found;
}
