/** Schedules suites side by side. */
import type { Suite } from './suites.ts';

interface Host {
  readonly processors: number;
  readonly memoryGiB: number;
}

/** Returns the first waiting suite that can run beside the running ones. Any suite can run alone. */
export function nextToStart(
  waiting: readonly Suite[],
  running: readonly Suite[],
  host: Host,
): Suite | undefined {
  return waiting.find((suite) => {
    if (running.length === 0) return true;
    const all = [...running, suite];
    const sum = (of: (one: Suite) => number): number => all.reduce((total, one) => total + of(one), 0);
    return (
      sum((one) => one.processors) <= host.processors &&
      sum((one) => one.memoryGiB) <= host.memoryGiB &&
      !suite.resources.some((resource) => running.some((one) => one.resources.includes(resource)))
    );
  });
}
