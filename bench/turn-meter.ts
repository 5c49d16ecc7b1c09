/**
 * Measures the turns of this thread's event loop by wall clock and by the thread's processor time. On a shared machine
 * the wall time of a turn includes waiting for the processor, so only the processor time can be judged. Processor time
 * excludes waiting for the disk, which the wall time includes.
 */
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';

export interface Turns {
  /** Longest turn in ms. */
  readonly wallMs: number;
  readonly cpuMs: number;
  /** Processor time of the thread in all turns. */
  readonly totalCpuMs: number;
}

/** Starts measuring. The loop does not sleep meanwhile: a callback in every turn reads the clock. */
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

/** Waits until earlier work has had its effects and the thread is idle, after garbage collection. */
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
