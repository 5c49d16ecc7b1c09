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

/** When a world is given up, in milliseconds. */
interface Limits {
  /** Processor time after which it hangs. */
  readonly hangsMs: number;
  /** Time between two looks at its process. */
  readonly lookMs: number;
  /** Processor time between two looks below which it waits for something that never comes. */
  readonly idleMs: number;
}

const usual: Limits = { hangsMs: 90_000, lookMs: 90_000, idleMs: 200 };

/** What is said of a world that was given up. */
const reasons = { hangs: 'It hangs', idle: 'It waits for something that never comes' };

/**
 * Process that runs one script after another. A world that hangs is killed with its process; the next one gets a new
 * process.
 */
export class Runner implements AsyncDisposable {
  readonly #bug: Bug | undefined;
  readonly #limits: Limits;
  #process: ChildProcess | undefined;

  /** Creates a runner; `bug`: the bug of its product. */
  constructor(bug?: Bug, limits: Limits = usual) {
    this.#bug = bug;
    this.#limits = limits;
  }

  /** Runs one script at a time. A world that is given up counts as failed. Errors: when the process ends otherwise. */
  run(order: Order): Promise<Outcome> {
    const worker = (this.#process ??= this.#fork());
    const { hangsMs, lookMs, idleMs } = this.#limits;
    let reason = '';
    return new Promise((resolve, reject) => {
      const end = (outcome: Outcome): void => {
        clearInterval(timer);
        worker.off('message', end).off('exit', onExit);
        resolve(outcome);
      };
      const onExit = (code: number | null, signal: string | null): void => {
        this.#process = undefined;
        // Others kill it too: the system does when memory is short.
        if (reason === '')
          reject(new Error(`the process of seed ${order.seed} ended with ${code ?? signal}`));
        end(givenUp(order, reason));
      };
      const began = processorMs(worker);
      let before = began;
      // A world on a busy host may take long: it hangs when it uses much processor time, or none.
      const timer = setInterval(() => {
        const now = processorMs(worker);
        if (now - began >= hangsMs) reason = reasons.hangs;
        else if (!(now - before > idleMs)) reason = reasons.idle;
        before = now;
        if (reason !== '') worker.kill('SIGKILL');
      }, lookMs);
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

/**
 * Whether an outcome shows that the product has a bug. A world that was given up because it used no processor time may
 * have got none from a busy host.
 */
export function showsBug({ violation }: Outcome): boolean {
  return violation !== undefined && violation.sentence !== reasons.idle;
}

function givenUp({ seed }: Order, sentence: string): Outcome {
  return {
    seed,
    violation: { atMs: 0, phase: 'acting', sentence },
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
