/** Plays forecasts in threads, so that neither their time nor their memory is the controller's. */
import { existsSync } from 'node:fs';
import { getCompileCacheDir } from 'node:module';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { defined } from '../../core/defined.ts';
import type { Forecast } from '../../core/forecast/forecast.ts';
import { JujuError } from '../../core/errors.ts';
import type { PlayForecast } from '../../controller/forecasts/forecasts.ts';
import { onAbort } from '../../kit/on-abort.ts';

/** The thread's program: beside the built controller, or its source. */
const programs = ['./forecast.mjs', '../forecast.ts'];
/** MiB of memory that a thread may use. */
const memoryMax = 1024;
/** Milliseconds that a thread has beyond the forecast's own limit, which it only sees between two steps. */
const graceMs = 10_000;

/** What a thread answers. */
export type ThreadAnswer = { readonly forecast: Forecast } | { readonly error: string };

export const playInThread: PlayForecast = (input, signal) => playFor(input.wallMs + graceMs, input, signal);

/** Plays a forecast for at most so many milliseconds of real time. */
export const playFor = (limitMs: number, ...[input, signal]: Parameters<PlayForecast>): Promise<Forecast> =>
  new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason as Error);
    const worker = new Worker(programOf(), {
      workerData: input,
      resourceLimits: { maxOldGenerationSizeMb: memoryMax },
      // It needs nothing else of the controller's environment: what the controller has compiled is the same code.
      env: compiledCode(),
      execArgv: [],
    });
    const forget = onAbort(signal, () => {
      void worker.terminate();
      reject(signal.reason as Error);
    });
    const timer = setTimeout(() => {
      void worker.terminate();
      reject(overLimit(`${limitMs / 1000} seconds`));
    }, limitMs);
    worker.once('message', (answer: ThreadAnswer) => {
      if ('forecast' in answer) resolve(answer.forecast);
      else reject(new Error(`the forecast failed: ${answer.error}`));
      void worker.terminate();
    });
    worker.once('error', (error: Error & { code?: string }) =>
      reject(error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? overLimit(`${memoryMax} MiB of memory`) : error),
    );
    worker.once('exit', () => {
      forget();
      clearTimeout(timer);
      reject(new Error('the thread of the forecast ended without an answer'));
    });
  });

function overLimit(what: string): JujuError {
  return new JujuError(
    'quota limit exceeded',
    `forecast: it needs more than ${what}: choose a shorter horizon`,
  );
}

/** Environment by which a thread finds code that was compiled before; compiling it takes longer than most forecasts. */
function compiledCode(): { NODE_COMPILE_CACHE?: string } {
  const versioned = getCompileCacheDir();
  const folder = versioned === undefined ? process.env['NODE_COMPILE_CACHE'] : dirname(versioned);
  return defined({ NODE_COMPILE_CACHE: folder });
}

function programOf(): URL {
  const urls = programs.map((path) => new URL(path, import.meta.url));
  const found = urls.find((url) => existsSync(fileURLToPath(url)));
  if (!found) throw new JujuError('not supported', 'this controller has no program for forecasts');
  return found;
}
