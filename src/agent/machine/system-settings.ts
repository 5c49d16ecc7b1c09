import type { Log } from '../../kit/log.ts';
import { proxyVariables } from '../../providers/toolkit/user-data/index.ts';
import type { ModelRecord } from '../../wire/agent-records.ts';
import type { Mirror } from '../mirror.ts';

/**
 * Applies the machine settings of the model's configuration. Errors: what went wrong; the machine stays unchanged.
 */
export type ApplySettings = (settings: ModelRecord['system'], log: Log, signal: AbortSignal) => Promise<void>;

/** Returns the environment variables for every program that runs on behalf of a user or charm. */
export function machineEnvironment(mirror: Mirror): Record<string, string> {
  const system = mirror.model()?.system;
  return system ? proxyVariables(system.proxies) : {};
}

/** Keeps the machine's proxies and keys as the model's configuration says. */
export class SystemSettings {
  readonly #options: {
    readonly mirror: Mirror;
    readonly apply: ApplySettings | undefined;
    readonly log: Log;
  };
  #applied: string | undefined;

  constructor(options: { mirror: Mirror; apply: ApplySettings | undefined; log: Log }) {
    this.#options = options;
  }

  /** Whether hooks may begin: settings were applied once, or cannot be. */
  get settled(): boolean {
    return this.#options.apply === undefined || this.#applied !== undefined;
  }

  async pass(signal: AbortSignal): Promise<void> {
    const { mirror, apply, log } = this.#options;
    const settings = mirror.model()?.system;
    if (!mirror.complete || !settings || !apply) return;
    const text = JSON.stringify(settings);
    if (text === this.#applied) return;
    try {
      await apply(settings, log, signal);
    } catch (error) {
      signal.throwIfAborted();
      log.warning("the machine does not have the model's configuration", { why: (error as Error).message });
    }
    this.#applied = text;
  }
}
