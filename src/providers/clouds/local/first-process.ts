/** Choice of a machine's first process, and the check whether a systemd came up. */
import { existsSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../../../kit/clock.ts';
import type { Capabilities } from './capabilities.ts';
import { inotifyShortage } from './inotify.ts';
import { livingPid } from './process.ts';
import { locate } from './root-files.ts';

export const systemd = '/lib/systemd/systemd';

/** `minimal` runs the agent and nothing else. */
export type Init = 'minimal' | 'systemd';

/** Members of a machine's record about its first process: chosen once for all starts. */
export interface FirstProcess {
  /** Absent for a plain process, or a machine older than this member. */
  readonly init?: Init;
  /**
   * State of a systemd that was chosen by default. `open`: not up yet; `failed`: did not come up, and is to be ended
   * (`systemd`) or has been replaced (`minimal`). Absent once systemd was up.
   */
  readonly trial?: 'open' | 'failed';
}

/** Chooses the first process of a new machine over `lower`; `setting` is the model's. */
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

/**
 * Derives the first process of a machine that has none recorded: only systemd machines hide the units of the files
 * below.
 */
export function initBefore(folder: string): FirstProcess {
  return { init: existsSync(join(folder, 'units-hidden')) ? 'systemd' : 'minimal' };
}

/** Tells whether systemd can run: it needs a cgroup tree for its services, and exits at once without one. */
function canRunSystemd({ cgroups }: Pick<Capabilities, 'cgroups'>): boolean {
  return cgroups !== undefined && (cgroups.version === 2 || cgroups.trees.includes('systemd'));
}

async function hasSystemd(lower: string): Promise<boolean> {
  const file = await locate(lower, systemd);
  return file !== undefined && ((await stat(file)).mode & 0o111) !== 0;
}

/** Time limit in milliseconds for systemd to come up, which takes a second or two on a busy host. */
const upWithinMs = 60_000;

/**
 * Waits until the systemd of a machine accepts requests. Returns undefined on success, else the reason with the last
 * lines of its console and what the host lacks.
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

/**
 * Tells whether systemd accepts requests. Its folder alone is not enough: systemd creates it before it detects what it
 * lacks, and the socket afterwards.
 */
function takesOrders(process: string): boolean {
  const run = join(process, 'root/run/systemd');
  return existsSync(join(run, 'system')) && existsSync(join(run, 'notify'));
}

/** Adds the reasons: a systemd that lacks inotify instances exits silently. */
async function withReasons(folder: string, what: string, proc: string): Promise<string> {
  const text = await readFile(join(folder, 'log/console.log'), 'utf8').catch(() => '');
  const lastWords = text.trim().split('\n').slice(-3).join('; ').slice(-300);
  const reasons = [lastWords, await inotifyShortage(proc)].filter(Boolean).join('; ');
  return reasons === '' ? what : `${what}: ${reasons}`;
}
