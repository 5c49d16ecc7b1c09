import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Outcome } from './run-script.ts';
import type { Bug } from './mutant.ts';
import type { About } from './script-for.ts';
import type { Step } from './script.ts';

export interface Order {
  readonly seed: number;
  readonly hours: number;
  readonly about?: About;
  /** Indexes of the script's steps to run; absent = all. */
  readonly only?: readonly number[] | undefined;
  /** Steps to run instead of the seed's script. */
  readonly steps?: readonly Step[];
  readonly keepTrace?: boolean;
}

/** Processor time after which a world is assumed to hang, and the interval between checks, in milliseconds. */
const hangsMs = 90_000;
/** Processor time between two looks below which a world waits for something that never comes. */
const idleMs = 200;

/**
 * Process that runs one script after another. A world that hangs is killed with its process; the next one gets a new
 * process.
 */
export class Runner implements AsyncDisposable {
  readonly #bug: Bug | undefined;
  #process: ChildProcess | undefined;

  /** Creates a runner; `bug`: the bug of its product. */
  constructor(bug?: Bug) {
    this.#bug = bug;
  }

  /** Runs one script at a time. A world that hangs counts as failed. Errors: when the process ends by itself. */
  run(order: Order): Promise<Outcome> {
    const worker = (this.#process ??= this.#fork());
    return new Promise((resolve, reject) => {
      const end = (outcome: Outcome): void => {
        clearInterval(timer);
        worker.off('message', end).off('exit', onExit);
        resolve(outcome);
      };
      const onExit = (code: number | null, signal: string | null): void => {
        this.#process = undefined;
        if (signal !== 'SIGKILL')
          reject(new Error(`the process of seed ${order.seed} ended with ${code ?? signal}`));
        end(hangs(order));
      };
      const began = processorMs(worker);
      let before = began;
      // A world on a busy host may take long: it hangs when it uses much processor time, or none.
      const timer = setInterval(() => {
        const now = processorMs(worker);
        if (now - began < hangsMs && now - before > idleMs) before = now;
        else worker.kill('SIGKILL');
      }, hangsMs);
      worker.on('message', end).on('exit', onExit);
      worker.send(order);
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const worker = this.#process;
    if (!worker) return;
    const exit = once(worker, 'exit');
    worker.kill('SIGKILL');
    await exit;
  }

  #fork(): ChildProcess {
    const args = this.#bug ? [JSON.stringify(this.#bug)] : [];
    return fork(join(import.meta.dirname, 'worker.ts'), args, {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
  }
}

/** Returns the processor time of a process; NaN where the system does not tell. */
function processorMs({ pid }: ChildProcess): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const [user, system] = stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .slice(11, 13)
      .map(Number);
    return (user! + system!) * 10;
  } catch {
    return NaN;
  }
}

function hangs({ seed }: Order): Outcome {
  return {
    seed,
    violation: { atMs: 0, phase: 'acting', sentence: 'It hangs' },
    simulatedMs: 0,
    realMs: 0,
    events: 0,
    faults: {},
    calls: {},
    commands: {},
    traceHash: '',
    trace: [],
  };
}
