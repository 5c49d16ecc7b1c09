import { timeLimit, type Clock, type NextTurn } from '../../kit/clock.ts';
import type { Log } from '../../kit/log.ts';
import type { Environ } from '../../providers/contract/provider.ts';
import type { View } from '../transactions/tx.ts';
import { hasFirewall, RuleUnion, wantedRules } from './wanted-rules.ts';

/** Number of machines that are counted before other work gets a turn; the first pass counts all. */
const countedAtOnce = 200;
/** Timeout for the global firewall, which may have to be set on each of thousands of machines. */
const setAllMs = 15 * 60_000;

type Firewall = Extract<Environ['firewall'], { mode: 'global' }>;

/** The global firewall of a model's machines: it gets the rules that any of the machines wants. */
export class ModelFirewall {
  readonly #needs: { readonly clock: Clock; readonly nextTurn: NextTurn; readonly log: Log };
  readonly #union = new RuleUnion();
  /**
   * State of the firewall compared with the union of rules: unread at first, as another controller may have set
   * anything.
   */
  #state: 'unread' | 'behind' | 'done' = 'unread';

  constructor(needs: { readonly clock: Clock; readonly nextTurn: NextTurn; readonly log: Log }) {
    this.#needs = needs;
  }

  /** Counts the rules that these machines want. Only changed machines are looked at, however many there are. */
  async count(
    { ids, view }: { readonly ids: readonly string[]; readonly view: View },
    signal: AbortSignal,
  ): Promise<void> {
    for (const [n, id] of ids.entries()) {
      signal.throwIfAborted();
      if (n % countedAtOnce === countedAtOnce - 1)
        await new Promise<void>((resolve) => this.#needs.nextTurn(resolve));
      const machine = view.get('machine', id);
      const wants = hasFirewall(machine) && machine.life !== 'dead';
      if (this.#union.setRulesOf(id, wants ? wantedRules(view, machine) : []) && this.#state === 'done')
        this.#state = 'behind';
    }
  }

  /** Sets the union of rules unless it is set. False when the cloud refused it. */
  async set(firewall: Firewall, signal: AbortSignal): Promise<boolean> {
    try {
      if (this.#state === 'unread') {
        const rules = await this.#withTimeout(signal, (limited) => firewall.rules(limited));
        if (this.#union.isSame(rules)) this.#state = 'done';
      }
      if (this.#state === 'done') return true;
      await this.#withTimeout(signal, (limited) => firewall.set(this.#union.all(), limited));
      this.#state = 'done';
      return true;
    } catch (error) {
      if (signal.aborted) throw error;
      this.#needs.log.warning('cannot set the open ports of the model', { error });
      return false;
    }
  }

  async #withTimeout<T>(signal: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const limit = timeLimit(this.#needs.clock, setAllMs, signal);
    try {
      return await work(limit.signal);
    } finally {
      limit.done();
    }
  }
}
