/** Plays forecasts in threads, so that neither their time nor their memory is the controller's. */
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import type { Forecast } from '../../core/forecast/forecast.ts';
import { JujuError } from '../../core/errors.ts';
import type { PlayForecast } from '../../controller/forecasts/forecasts.ts';
import { onAbort } from '../../kit/on-abort.ts';

/** The thread's program: beside the built controller, or its source. */
const programs = ['./forecast.mjs', '../forecast.ts'];
/** MiB of memory that a thread may use. */
const memoryMax = 1024;

/** What a thread answers. */
export type ThreadAnswer = { readonly forecast: Forecast } | { readonly error: string };

export const playInThread: PlayForecast = (input, signal) =>
  new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason as Error);
    const worker = new Worker(programOf(), {
      workerData: input,
      resourceLimits: { maxOldGenerationSizeMb: memoryMax },
      // It needs nothing of the controller's environment.
      env: {},
      execArgv: [],
    });
    const forget = onAbort(signal, () => {
      void worker.terminate();
      reject(signal.reason as Error);
    });
    worker.once('message', (answer: ThreadAnswer) => {
      if ('forecast' in answer) resolve(answer.forecast);
      else reject(new Error(`the forecast failed: ${answer.error}`));
      void worker.terminate();
    });
    worker.once('error', (error: Error & { code?: string }) =>
      reject(
        error.code === 'ERR_WORKER_OUT_OF_MEMORY'
          ? new JujuError(
              'quota limit exceeded',
              `forecast: it needs more than ${memoryMax} MiB of memory: choose a shorter horizon`,
            )
          : error,
      ),
    );
    worker.once('exit', () => {
      forget();
      reject(new Error('the thread of the forecast ended without an answer'));
    });
  });

function programOf(): URL {
  const urls = programs.map((path) => new URL(path, import.meta.url));
  const found = urls.find((url) => existsSync(fileURLToPath(url)));
  if (!found) throw new JujuError('not supported', 'this controller has no program for forecasts');
  return found;
}
