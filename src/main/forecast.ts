/** Thread of a forecast: plays the copy that it is given, and answers with what becomes of it. */
import { flushCompileCache } from 'node:module';
import { performance } from 'node:perf_hooks';
import { getHeapStatistics } from 'node:v8';
import { parentPort, workerData } from 'node:worker_threads';
import type { ForecastInput } from '../core/forecast/forecast.ts';
import { play } from '../forecast/play.ts';
import type { ThreadAnswer } from './controller/forecast-thread.ts';

const answer = (given: ThreadAnswer): void => parentPort?.postMessage(given);
const memory = (): number => {
  const { used_heap_size: used, heap_size_limit: most } = getHeapStatistics();
  return used / most;
};
const fail = (error: unknown): void =>
  answer({ error: error instanceof Error ? (error.stack ?? error.message) : String(error) });
// Nobody waits for what a process of the played world has begun when it is killed.
process.on('unhandledRejection', fail);
// The thread is ended with its answer, before Node would write by itself what it has compiled.
flushCompileCache();
play(workerData as ForecastInput, { now: () => performance.now(), memory }).then(
  (forecast) => answer({ forecast }),
  fail,
);
