import { durationSetting, numberSetting } from '../../core/controller/config.ts';
import { JujuError } from '../../core/errors.ts';
import type { Entities } from '../../core/kinds.ts';
import type { Clock } from '../../kit/clock.ts';
import type { Store } from '../../store/store.ts';

/**
 * Rate of agents' logins (controller-settings.md#agent-logins): a bucket of `agent-ratelimit-max` tokens, to which one
 * is added every `agent-ratelimit-rate`. 0 tokens: no limit.
 */
export class AgentLogins {
  readonly #store: Store<Entities>;
  readonly #clock: Clock;
  /** Number of logins that were let in and are not made up for yet, at the time `#at`. */
  #used = 0;
  #at = 0;

  constructor(store: Store<Entities>, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  /** Takes a token for an agent that has proven who it is. Errors: `try again` when there is none. */
  take(): void {
    const config = this.#store.read().in('').get('controller', 'self')?.config ?? {};
    const max = numberSetting(config, 'agent-ratelimit-max');
    if (max === 0) return;
    const rateMs = durationSetting(config, 'agent-ratelimit-rate');
    const now = this.#clock.now();
    this.#used = Math.max(0, this.#used - (now - this.#at) / rateMs);
    this.#at = now;
    if (this.#used + 1 > max)
      throw new JujuError('try again', 'too many logins of agents at a time, try again');
    this.#used++;
  }
}
