/**
 * Processes and folders of machines on this host, as the host sees them; other processes may be removing them
 * meanwhile.
 */
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** Returns the pid of the controller that has this folder. Errors: when its file is missing or has none. */
export function controllerPid(controllerDir: string): number {
  const file = join(controllerDir, 'controller.pid');
  const pid = Number(readFileSync(file, 'utf8'));
  // To kill has other meanings with 0 and with negative numbers.
  if (!(pid > 0)) throw new Error(`${file} has no pid`);
  return pid;
}

/** Returns the pid of a machine's agent; `model` is a UUID, '' = any model with such a machine. */
export function agentPid(controllerDir: string, machine: string, model = ''): number | undefined {
  return namesIn('/proc')
    .map(Number)
    .find((pid) => {
      if (!(pid > 0)) return false;
      const argv = textOf(`/proc/${pid}/cmdline`).split('\0');
      if (!argv[1]?.endsWith('agent.mjs') || argv[argv.indexOf('--machine') + 1] !== machine) return false;
      // A sandbox sees parts of its folder as mounts, a plain machine has the folder in its environment.
      return ['mountinfo', 'environ'].some((file) =>
        textOf(`/proc/${pid}/${file}`).includes(`${controllerDir}/machines/${model}`),
      );
    });
}

export function parentOf(pid: number): number {
  // The name, in parentheses, may contain spaces.
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
}

/** Returns the names of a model's instances: `juju-1a2b3c-0`. */
export function instancesOf(controllerDir: string, model: string): string[] {
  return namesIn(join(controllerDir, 'machines', model)).filter((name) =>
    /^juju-[0-9a-f]{6}-\d+$/.test(name),
  );
}

/** Returns the names in a folder; [] when it does not exist. */
function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** Returns the content of a file; '' when it cannot be read. */
function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
