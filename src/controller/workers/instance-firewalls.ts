import { timeLimit, type Clock } from '../../kit/clock.ts';
import type { Environ } from '../../providers/contract/provider.ts';
import type { View } from '../transactions/tx.ts';
import { RefusedMachines } from './refused-machines.ts';
import { hasFirewall, wantedRules } from './wanted-rules.ts';

/** Timeout for one firewall: one that never answers must not keep the other machines' firewalls from being updated. */
const setMs = 60_000;

/** Firewalls of a model's instances, where each has its own. */
export class InstanceFirewalls {
  readonly #clock: Clock;
  /** Rules that were set last, by instance: a cache that may be lost. */
  readonly #rulesSet = new Map<string, string>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Sets the rules that the machines want, unless they are set already. Returns the machines for which the cloud
   * refused.
   */
  async set(
    firewall: Extract<Environ['firewall'], { mode: 'instance' }>,
    { ids, view }: { readonly ids: readonly string[]; readonly view: View },
    signal: AbortSignal,
  ): Promise<RefusedMachines> {
    const refused = new RefusedMachines();
    for (const id of ids) {
      signal.throwIfAborted();
      const machine = view.get('machine', id);
      const instance = hasFirewall(machine) ? machine.instance : undefined;
      if (!machine || !instance) continue;
      if (machine.life === 'dead') {
        this.#rulesSet.delete(instance.id);
        continue;
      }
      const rules = wantedRules(view, machine);
      const text = JSON.stringify(rules);
      if (this.#rulesSet.get(instance.id) === text) continue;
      const limit = timeLimit(this.#clock, setMs, signal);
      try {
        await firewall.set(instance.id, rules, limit.signal);
        this.#rulesSet.set(instance.id, text);
      } catch (error) {
        if (signal.aborted) throw error;
        // The outcome is unknown, and other machines must not wait for this machine, which may be gone.
        this.#rulesSet.delete(instance.id);
        refused.add(id, error);
      } finally {
        limit.done();
      }
    }
    return refused;
  }
}
