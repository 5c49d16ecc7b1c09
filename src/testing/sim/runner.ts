import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Outcome } from './run-script.ts';
import type { Step } from './script.ts';

export interface Order {
  readonly seed: number;
  readonly hours: number;
  /** Whether to generate a short script about machines. */
  readonly provisioning?: boolean;
  /** Indexes of the script's steps to run; absent = all. */
  readonly only?: readonly number[] | undefined;
  /** Steps to run instead of the seed's script. */
  readonly steps?: readonly Step[];
  readonly keepTrace?: boolean;
}

/** Real time after which a world is assumed to hang. */
const hangsMs = 90_000;

/**
 * A process that runs one script after another. A world that hangs is killed with its process; the next one gets a
 * new process.
 */
export class Runner implements AsyncDisposable {
  readonly #mutant: string | undefined;
  #process: ChildProcess | undefined;

  /** `mutant`: the bug that its product has. */
  constructor(mutant?: string) {
    this.#mutant = mutant;
  }

  /** Runs one script at a time. A world that hangs counts as failed. Errors: when the process ends by itself. */
  run(order: Order): Promise<Outcome> {
    const worker = (this.#process ??= this.#fork());
    return new Promise((resolve, reject) => {
      const end = (outcome: Outcome): void => {
        clearTimeout(timer);
        worker.off('message', end).off('exit', onExit);
        resolve(outcome);
      };
      const onExit = (code: number | null, signal: string | null): void => {
        this.#process = undefined;
        if (signal !== 'SIGKILL')
          reject(new Error(`the process of seed ${order.seed} ended with ${code ?? signal}`));
        end(hangs(order));
      };
      const timer = setTimeout(() => worker.kill('SIGKILL'), hangsMs);
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
    const args = this.#mutant === undefined ? [] : [this.#mutant];
    return fork(join(import.meta.dirname, 'worker.ts'), args, {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
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
