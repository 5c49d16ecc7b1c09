import { accountFailure } from './suspension.ts';
import type { MachineRecords } from './records.ts';

/**
 * Calls of the cloud that precede any start. While they fail, no start begins, and the status of the waiting machines
 * says why, once per reason.
 */
export class CloudCalls {
  readonly #records: Pick<MachineRecords, 'say' | 'views'>;
  /** Reported reasons by machine. */
  readonly #said = new Map<string, string>();

  constructor(records: Pick<MachineRecords, 'say' | 'views'>) {
    this.#records = records;
  }

  async run<T>(ids: readonly string[], signal: AbortSignal, call: () => T): Promise<Awaited<T>> {
    try {
      const answer = await call();
      this.#said.clear();
      return answer;
    } catch (error) {
      signal.throwIfAborted();
      // Failures of the account are reported once for the model.
      if (!accountFailure(error))
        await this.#say(ids, error instanceof Error ? error.message : String(error));
      throw error;
    }
  }

  async #say(ids: readonly string[], message: string): Promise<void> {
    for (const { id, life, instanceId, unmanaged } of this.#records.views(ids)) {
      if (life !== 'alive' || instanceId !== undefined || unmanaged || this.#said.get(id) === message)
        continue;
      this.#said.set(id, message);
      await this.#records.say(id, `not requested yet: ${message}`);
    }
  }
}
