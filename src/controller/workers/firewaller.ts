/** Makes each machine's open ports what its units opened and their applications' exposure allow (domain-facts §11). */
import { exposedRules } from '../../core/application/exposed-rules.ts';
import type { ApplicationDoc, Entities, MachineDoc, UnitDoc } from '../../core/entities.ts';
import type { PortRule } from '../../providers/provider.ts';
import type { Store } from '../../store/store.ts';
import type { Services } from '../services.ts';
import type { View } from '../transactions/tx.ts';

export function createFirewaller(needs: {
  store: Store<Entities>;
  services: Services;
  modelUuid: string;
  wake: () => void;
}): { pass: (signal: AbortSignal) => Promise<void>; stop: () => void } {
  const { store, services, modelUuid } = needs;
  /** Machines to look at; undefined = all, as after a start. */
  let dirty: Set<string> | undefined;
  /** What was set last, by instance: a cache that may be lost. */
  const set = new Map<string, string>();

  const on = (kind: string, machinesOf: (doc: never, view: View) => Iterable<string>): (() => void) =>
    services.dispatch.on(modelUuid, kind, ({ before, after }) => {
      if (!dirty) return;
      const view = store.read().in(modelUuid);
      for (const doc of [before, after])
        if (doc) for (const id of machinesOf(doc as never, view)) dirty.add(id);
      if (dirty.size > 0) needs.wake();
    });
  const ends = [
    on('machine', (machine: MachineDoc) => (machine.instance ? [machine.id] : [])),
    on('unit', (unit: UnitDoc) => (unit.machine === undefined ? [] : [unit.machine])),
    on('application', function* (application: ApplicationDoc, view) {
      for (const unit of view.find('unit', 'application', application.name))
        if (unit.machine !== undefined) yield unit.machine;
    }),
  ];

  async function pass(signal: AbortSignal): Promise<void> {
    const view = store.read().in(modelUuid);
    if (!view.in('').get('model', modelUuid)) return;
    const { firewall } = services.environ(modelUuid, view);
    const look = dirty ? [...dirty] : [...view.list('machine')].map((machine) => machine.id);
    dirty ??= new Set();
    if (firewall.mode === 'none') return void dirty.clear();
    if (firewall.mode === 'global') {
      if (look.length === 0) return;
      const all = [...view.list('machine')].flatMap((machine) => rulesOf(view, machine));
      await firewall.set(all, signal);
      for (const id of look) dirty.delete(id);
      return;
    }
    for (const id of look) {
      const machine = view.get('machine', id);
      const instance = machine?.instance;
      if (machine && instance && !instance.unmanaged && machine.life !== 'dead') {
        const rules = rulesOf(view, machine);
        const text = JSON.stringify(rules);
        if ((set.get(instance.id) ?? (dirty ? undefined : '')) !== text) {
          await firewall.set(instance.id, rules, signal);
          set.set(instance.id, text);
        }
      }
      dirty.delete(id);
    }
  }

  return { pass, stop: () => ends.forEach((end) => end()) };
}

function rulesOf(view: View, machine: MachineDoc): PortRule[] {
  const units = [...view.find('unit', 'machine', machine.id)].map((unit) => ({
    ports: unit.ports,
    exposed: view.get('application', unit.application)?.exposed ?? {},
  }));
  return exposedRules(units);
}
