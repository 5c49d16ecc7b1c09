/** First process of a machine, identified by the file `pid` in the machine's folder. */
import { link, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Identity of a process that a later process with the same pid does not match. */
interface ProcessClaim {
  readonly pid: number;
  /** Start time in clock ticks since boot. */
  readonly startTime: string;
  readonly bootId: string;
}

/**
 * Reads the claim. The machine's own first process makes it with link(2), so that of two concurrent starts (one left by
 * a controller that died) exactly one continues. `none` = not claimed yet.
 */
export async function readClaim(folder: string): Promise<ProcessClaim | 'none' | 'void'> {
  let text: string;
  try {
    text = await readFile(join(folder, 'pid'), 'utf8');
  } catch {
    return 'none';
  }
  const [pid, startTime, bootId] = text.trim().split(' ');
  return pid && startTime && bootId ? { pid: Number(pid), startTime, bootId } : 'void';
}

/** Claims the folder of a machine that must not start any more. */
export async function voidClaim(folder: string): Promise<void> {
  const own = join(folder, 'pid.void');
  try {
    await writeFile(own, 'void\n');
    await link(own, join(folder, 'pid'));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'EEXIST' && code !== 'ENOENT') throw error;
  }
}

export async function dropClaim(folder: string): Promise<void> {
  await rm(join(folder, 'ready'), { force: true });
  await rm(join(folder, 'pid'), { force: true });
}

/**
 * Returns the pid of the machine's first process if that process is alive. `proc`: path of the /proc of the host that
 * started it.
 */
export async function livingPid(folder: string, proc = '/proc'): Promise<number | undefined> {
  const claim = await readClaim(folder);
  return typeof claim === 'object' && (await isAlive(claim, proc)) ? claim.pid : undefined;
}

export async function isAlive({ pid, startTime, bootId }: ProcessClaim, proc = '/proc'): Promise<boolean> {
  try {
    const [stat, boot] = await Promise.all([
      readFile(`${proc}/${pid}/stat`, 'utf8'),
      readFile(`${proc}/sys/kernel/random/boot_id`, 'utf8'),
    ]);
    // Fields are counted from the end of the second one, the program's name in parentheses, which may contain anything.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields[0] !== 'Z' && fields[0] !== 'X' && fields[19] === startTime && boot.trim() === bootId;
  } catch {
    return false;
  }
}

export function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
