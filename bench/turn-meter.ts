/**
 * How long the turns of this thread's event loop are, by the wall and by the processor's time that this thread had in
 * them. On a machine that others use, a turn is as long as they leave it waiting: what the thread itself did is then
 * the only thing that can be judged. It does not hold the waiting for the disk, which the wall's figure does.
 */
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';

export interface Turns {
  /** Of the longest, in ms. */
  readonly wallMs: number;
  readonly cpuMs: number;
  /** Of the thread, over all of them. */
  readonly totalCpuMs: number;
}

/** The loop does not sleep while it is watched: a callback of every turn asks what time it is. */
export function watchTurns(): { stop(): Turns } {
  const first = cpuNow();
  let wall = performance.now();
  let cpu = first;
  let wallMs = 0;
  let cpuMs = 0;
  let next = setImmediate(turn);
  function turn(): void {
    look();
    next = setImmediate(turn);
  }
  function look(): void {
    const wallNow = performance.now();
    const now = cpuNow();
    wallMs = Math.max(wallMs, wallNow - wall);
    cpuMs = Math.max(cpuMs, now - cpu);
    wall = wallNow;
    cpu = now;
  }
  return {
    stop() {
      look();
      clearImmediate(next);
      return { wallMs, cpuMs, totalCpuMs: cpu - first };
    },
  };
}

function cpuNow(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

/** Waits until what was begun before has had its effects and the thread sleeps, with its garbage away. */
export async function settled(): Promise<void> {
  const lookMs = 100;
  for (let before = cpuNow(), quiet = 0; quiet < 3;) {
    await sleep(lookMs);
    const now = cpuNow();
    quiet = now - before < lookMs / 10 ? quiet + 1 : 0;
    before = now;
  }
  globalThis.gc?.();
}
