/** Ends a benchmark that waits forever, and reports it. */
import { isMainThread } from 'node:worker_threads';

/** Time limit in seconds; the longest benchmark takes about twenty minutes at full size. */
const deadlineS = Number(process.env['BENCH_DEADLINE_S'] ?? 3600);

/** Starts the timer. Other threads of a benchmark end with its main thread. */
export function endInTime(): void {
  if (!isMainThread) return;
  setTimeout(() => {
    console.error(`ERROR the benchmark had not ended after ${deadlineS} s`);
    process.exit(3);
  }, deadlineS * 1000).unref();
}
