import { accountFailure } from './suspension.ts';
import type { MachineRecords } from './records.ts';

/**
 * Calls of the cloud that come before any start. While it does not answer them nothing is begun, and that is said of the
 * machines that wait for it, once for each reason.
 */
export class CloudCalls {
  readonly #records: Pick<MachineRecords, 'say' | 'views'>;
  /** Machine → why it was said to wait. */
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
      // What is wrong with the account is said once, of the model.
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
      await this.#records.say(id, `not asked for yet: ${message}`);
    }
  }
}
