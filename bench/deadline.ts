/** A benchmark that waits for what never comes ends here, and says so. */
import { isMainThread } from 'node:worker_threads';

/** The longest takes some twenty minutes at its full size. */
const deadlineS = Number(process.env['BENCH_DEADLINE_S'] ?? 3600);

/** Begins to count. A benchmark's other threads end with its first. */
export function endInTime(): void {
  if (!isMainThread) return;
  setTimeout(() => {
    console.error(`ERROR the benchmark had not ended after ${deadlineS} s`);
    process.exit(3);
  }, deadlineS * 1000).unref();
}
