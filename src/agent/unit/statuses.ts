import type { StatusValue } from '../../hooks/context.ts';
import type { AgentApi } from '../uplink.ts';

/** Reports the statuses of the unit's agent and of its workload (status.md#agent-words). */
export class Statuses {
  readonly #unit: string;
  readonly #api: AgentApi;
  readonly #keepHere: () => Promise<void>;
  #workload: StatusValue;
  #agent = '';

  /** `keepHere` makes the machine keep the status of the workload. */
  constructor(unit: string, api: AgentApi, workload: StatusValue, keepHere: () => Promise<void>) {
    this.#unit = unit;
    this.#api = api;
    this.#workload = workload;
    this.#keepHere = keepHere;
  }

  get workload(): StatusValue {
    return this.#workload;
  }

  /** Sets the agent's status, unless it equals the status that was set last. */
  async setAgent(
    status: 'executing' | 'idle' | 'error' | 'rebooting' | 'failed',
    message: string,
    signal: AbortSignal,
    data: Record<string, unknown> = {},
  ): Promise<void> {
    const key = JSON.stringify([status, message, data]);
    if (key === this.#agent) return;
    this.#agent = key;
    try {
      const params = { kind: 'unit-agent' as const, unit: this.#unit, status, message, data };
      await this.#api.call('SetStatus', params, { signal });
    } catch (error) {
      this.#agent = '';
      throw error;
    }
  }

  /**
   * Tells the statuses again, as a controller that was restored from a backup has older ones: the workload's now, the
   * agent's when it is set next.
   */
  async tellAgain(signal: AbortSignal): Promise<void> {
    this.#agent = '';
    const { status, message } = this.#workload;
    await this.setWorkload(status, message, signal);
  }

  /**
   * Sets the status of the workload. The machine keeps it first, so that it never keeps one that is older than the
   * controller's: it would tell that after a restore.
   */
  async setWorkload(status: string, message: string, signal?: AbortSignal): Promise<void> {
    const before = this.#workload;
    this.#workload = { status, message, data: {} };
    await this.#keepHere();
    const params = { kind: 'workload' as const, unit: this.#unit, status, message };
    try {
      await this.#api.call('SetStatus', params, signal ? { signal } : {});
    } catch (error) {
      this.#workload = before;
      throw error;
    }
  }
}
