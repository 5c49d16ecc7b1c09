/** Machines without isolation: a supervised process tree with a folder of its own. */
import { randomBytes } from 'node:crypto';
import { lstat, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Clock } from '../../../kit/clock.ts';
import type { StartParams } from '../../contract/provider.ts';
import { agentCommand, machineTag } from '../../toolkit/user-data/agent-service.ts';
import { launch } from './launch.ts';
import { kill } from './process.ts';
import { initScript, plainScript } from './scripts.ts';
import { makeFolder } from '../../../kit/make-folder.ts';

/**
 * Environment variable of every process of a machine, by which the processes are found even after they left the
 * session.
 */
const marker = 'GRIGRI_INSTANCE';

/** Returns the agent's data folder, since `/var/lib/juju` is shared with the host. */
export function plainDataDir(folder: string): string {
  return join(folder, 'data');
}

export async function startPlain(
  { folder, start, clock }: { folder: string; start: StartParams; clock: Clock },
  signal: AbortSignal,
): Promise<void> {
  await makeFolder(join(folder, 'log'));
  await writeFile(join(folder, 'machine.sh'), plainScript);
  await writeFile(join(folder, 'init.sh'), initScript);
  const logFile = join(folder, 'log', `${machineTag(start.machineId)}.log`);
  const command = [
    ...agentCommand(start.machineId, start.agent.toolsDir, plainDataDir(folder)),
    '--run-dir',
    await ensureRunDir(folder),
  ];
  await launch({
    folder,
    argv: ['sh', join(folder, 'machine.sh'), 'sh', join(folder, 'init.sh'), logFile, '', ...command],
    env: { FOLDER: folder, LANG: 'C.UTF-8', HOME: process.env['HOME'] ?? folder, [marker]: folder },
    clock,
    signal,
  });
}

/**
 * Creates a folder with a short name for the agent's sockets: their paths have at most 107 bytes, which the machine's
 * own folder may use up. The name is recorded first, so that the machine's removal finds it.
 */
async function ensureRunDir(folder: string): Promise<string> {
  const record = join(folder, 'run-dir');
  const known = await readFile(record, 'utf8').catch(() => '');
  const runDir = known || join(tmpdir(), `grigri-${randomBytes(6).toString('hex')}`);
  if (!known) await writeFile(record, runDir);
  await mkdir(runDir, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
  const { uid } = await lstat(runDir);
  if (uid !== process.getuid?.()) throw new Error(`${runDir} belongs to another user`);
  return runDir;
}

export async function removeRunDir(folder: string): Promise<void> {
  const runDir = await readFile(join(folder, 'run-dir'), 'utf8').catch(() => '');
  if (runDir) await rm(runDir, { recursive: true, force: true });
}

export function enterPlain(folder: string): string[] {
  return ['env', `--chdir=${folder}`, `${marker}=${folder}`];
}

/** Kills every process of the machine, including those started meanwhile. */
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
    // Processes of other users are unreadable and do not belong to the machine.
    const environment = await readFile(`/proc/${name}/environ`, 'utf8').catch(() => '');
    if (environment.split('\0').includes(entry)) found.push(Number(name));
  }
  return found;
}
