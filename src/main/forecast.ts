/** Thread of a forecast: plays the copy that it is given, and answers with what becomes of it. */
import { flushCompileCache } from 'node:module';
import { performance } from 'node:perf_hooks';
import { parentPort, workerData } from 'node:worker_threads';
import type { ForecastInput } from '../core/forecast/forecast.ts';
import { play } from '../forecast/play.ts';
import type { ThreadAnswer } from './controller/forecast-thread.ts';

const answer = (given: ThreadAnswer): void => parentPort?.postMessage(given);
const fail = (error: unknown): void =>
  answer({ error: error instanceof Error ? (error.stack ?? error.message) : String(error) });
// Nobody waits for what a process of the played world has begun when it is killed.
process.on('unhandledRejection', fail);
// The thread is ended with its answer, before Node would write by itself what it has compiled.
flushCompileCache();
play(workerData as ForecastInput, () => performance.now()).then((forecast) => answer({ forecast }), fail);
