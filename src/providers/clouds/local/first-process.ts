/** The first process of a machine: which one it is to be, and whether a systemd came up. */
import { existsSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../../../kit/clock.ts';
import type { Capabilities } from './capabilities.ts';
import { inotifyShortage } from './inotify.ts';
import { livingPid } from './process.ts';
import { locate } from './root-files.ts';

export const systemd = '/lib/systemd/systemd';

/** `minimal`: runs the agent, nothing else. */
export type Init = 'minimal' | 'systemd';

/** What a machine's record says of it: chosen once, for all of its starts. */
export interface FirstProcess {
  /** Absent: a plain process, or a machine of before this was recorded. */
  readonly init?: Init;
  /**
   * Of a systemd that nobody asked for. `open`: not seen up yet; `failed`: it did not come up, and is to be ended
   * (`systemd`) or has been replaced (`minimal`). Absent once it was up.
   */
  readonly trial?: 'open' | 'failed';
}

/** For a new machine that lies over `lower`; `setting` is the model's. */
export async function chooseInit(
  setting: unknown,
  lower: string,
  capabilities: Pick<Capabilities, 'cgroups'>,
): Promise<FirstProcess> {
  if (setting === 'systemd' || setting === 'minimal') return { init: setting };
  return canRunSystemd(capabilities) && (await hasSystemd(lower))
    ? { init: 'systemd', trial: 'open' }
    : { init: 'minimal' };
}

/** What a machine was started with before that was recorded: only systemd hides the units of the files below. */
export function initBefore(folder: string): FirstProcess {
  return { init: existsSync(join(folder, 'units-hidden')) ? 'systemd' : 'minimal' };
}

/** It keeps its services in a tree of cgroups of its own: without one it ends at once. */
function canRunSystemd({ cgroups }: Pick<Capabilities, 'cgroups'>): boolean {
  return cgroups !== undefined && (cgroups.version === 2 || cgroups.trees.includes('systemd'));
}

async function hasSystemd(lower: string): Promise<boolean> {
  const file = await locate(lower, systemd);
  return file !== undefined && ((await stat(file)).mode & 0o111) !== 0;
}

/** After this a systemd that is not up will not be; on a busy host it takes a second or two. */
const upWithinMs = 60_000;

/**
 * Waits until the systemd of a machine takes orders. Undefined: it does; else why not, with the last words on its
 * console and what the host lacks.
 */
export async function awaitSystemd(params: {
  readonly folder: string;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly proc?: string;
}): Promise<string | undefined> {
  const { folder, clock, signal, proc = '/proc' } = params;
  const until = clock.now() + upWithinMs;
  for (;;) {
    signal.throwIfAborted();
    const isLate = clock.now() >= until;
    const pid = await livingPid(folder, proc);
    if (pid === undefined) return await withReasons(folder, 'it ended', proc);
    if (takesOrders(`${proc}/${pid}`)) return undefined;
    if (isLate) return await withReasons(folder, `it was not up within ${upWithinMs / 1000} s`, proc);
    await clock.sleep(20, signal);
  }
}

/** The folder alone says little: systemd makes it before it finds out what it lacks. The socket comes after that. */
function takesOrders(process: string): boolean {
  const run = join(process, 'root/run/systemd');
  return existsSync(join(run, 'system')) && existsSync(join(run, 'notify'));
}

/** A systemd that lacks inotify instances ends without a word. */
async function withReasons(folder: string, what: string, proc: string): Promise<string> {
  const text = await readFile(join(folder, 'log/console.log'), 'utf8').catch(() => '');
  const lastWords = text.trim().split('\n').slice(-3).join('; ').slice(-300);
  const reasons = [lastWords, await inotifyShortage(proc)].filter(Boolean).join('; ');
  return reasons === '' ? what : `${what}: ${reasons}`;
}
