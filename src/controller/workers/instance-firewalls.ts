import { timeLimit, type Clock } from '../../kit/clock.ts';
import type { Environ } from '../../providers/contract/provider.ts';
import type { View } from '../transactions/tx.ts';
import { RefusedMachines } from './refused-machines.ts';
import { hasFirewall, wantedRules } from './wanted-rules.ts';

/** One that never answers must not keep the others of its model closed, or open. */
const setMs = 60_000;

/** The firewalls of a model's instances, where each has its own. */
export class InstanceFirewalls {
  readonly #clock: Clock;
  /** What was set last, by instance: a cache that may be lost. */
  readonly #set = new Map<string, string>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Sets what the machines want, as far as it is not set. Returns those for which the cloud refused it. */
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
        this.#set.delete(instance.id);
        continue;
      }
      const rules = wantedRules(view, machine);
      const text = JSON.stringify(rules);
      if (this.#set.get(instance.id) === text) continue;
      const limit = timeLimit(this.#clock, setMs, signal);
      try {
        await firewall.set(instance.id, rules, limit.signal);
        this.#set.set(instance.id, text);
      } catch (error) {
        if (signal.aborted) throw error;
        // Whether it took effect is not known; and no other machine is to wait for this one, which may be gone.
        this.#set.delete(instance.id);
        refused.add(id, error);
      } finally {
        limit.done();
      }
    }
    return refused;
  }
}
