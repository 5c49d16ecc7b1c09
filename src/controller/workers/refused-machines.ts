import type { Log } from '../../kit/log.ts';

const detailedMax = 5;
const namedMax = 100;

/**
 * Machines for which the cloud refused an operation in one pass of a worker. A cloud that refuses all of them is logged
 * in a few records, not in one for each machine at each attempt.
 */
export class RefusedMachines {
  readonly #machines: string[] = [];
  readonly #first: { readonly machine: string; readonly error: unknown }[] = [];

  add(machine: string, error: unknown): void {
    this.#machines.push(machine);
    if (this.#first.length < detailedMax) this.#first.push({ machine, error });
  }

  get machines(): readonly string[] {
    return this.#machines;
  }

  /** Logs the refusals. `what` says what was refused for a machine, e.g. `cannot set the open ports of a machine`. */
  log(log: Log, message: string): void {
    for (const refusal of this.#first) log.warning(message, refusal);
    const others = this.#machines.slice(this.#first.length);
    if (others.length > 0)
      log.warning(message, { others: others.length, machines: others.slice(0, namedMax).join(',') });
  }
}
