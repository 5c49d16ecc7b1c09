/**
 * What a host was set up with beside the agent's program: the launcher and its service (docs/upgrades.md).
 * The program that has come up brings its own, whether it is a later one or that from before.
 */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { writeWhole } from '../../providers/toolkit/json-file.ts';
import {
  agentCommand,
  agentServiceName,
  agentUnit,
  machineTag,
} from '../../providers/toolkit/user-data/agent-service.ts';
import { supervisor } from '../../providers/toolkit/user-data/supervisor.ts';
import { launcherName, type ProgramFolders } from './folders.ts';

const run = promisify(execFile);
/** Time in milliseconds that the check of a launcher may take. */
const checkMs = 60_000;

interface SetUp {
  readonly machineId: string;
  readonly dataDir: string;
  /** Folder of the host's own files; '' but in tests. */
  readonly root?: string;
}

/**
 * Renews the launcher and the service of a host that was set up by the installer of the agent; others have those of
 * their controller. The service runs on, and has the new files from its next start. Errors: node:fs's; those of a
 * launcher that does not start the program, which is not taken.
 */
export async function renewSetUp(
  { machineId, dataDir, root = '' }: SetUp,
  {
    build,
    toolsDir,
    folders,
  }: { readonly build: string; readonly toolsDir: string; readonly folders: ProgramFolders },
): Promise<void> {
  const tag = machineTag(machineId);
  if (toolsDir !== join(dataDir, 'tools', tag)) return;
  await renewLauncher(toolsDir, folders.find(build));
  const service = agentServiceName(machineId);
  const command = agentCommand(machineId, toolsDir, dataDir);
  const log = `/var/log/juju/${tag}.log`;
  await renew(`${dataDir}/init/${service}/supervise`, supervisor(command, log), 0o755);
  if (await renew(`${root}/etc/systemd/system/${service}.service`, agentUnit(machineId, command, log), 0o644))
    await run('systemctl', ['daemon-reload']).catch(() => undefined);
}

/** Takes the launcher of the program's folder; that of the installed program is kept for when it is chosen again. */
async function renewLauncher(toolsDir: string, folder: string | undefined): Promise<void> {
  const launcher = join(toolsDir, launcherName);
  const first = `${launcher}.installed`;
  const own = folder === toolsDir ? first : join(folder ?? '', launcherName);
  if (folder === undefined || !existsSync(own)) return;
  const [present, next] = await Promise.all([launcher, own].map((path) => readFile(path, 'utf8')));
  if (present === next) return;
  // The launcher is what goes back to another program: it has to start this one before it is trusted.
  if (own !== first)
    await run(join(folder, 'node'), [own, 'check', ...process.argv.slice(3)], { timeout: checkMs });
  if (!existsSync(first)) await writeWhole(first, present!, 0o755);
  await writeWhole(launcher, next!, 0o755);
}

/** Replaces a file of the host that has another content. False when it has this, or there is none. */
async function renew(path: string, content: string, mode: number): Promise<boolean> {
  if (!existsSync(path) || (await readFile(path, 'utf8')) === content) return false;
  await writeWhole(path, content, mode);
  return true;
}
