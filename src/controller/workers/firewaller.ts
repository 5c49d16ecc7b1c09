/**
 * Makes each machine's open ports what its units opened and their applications' exposure allow (domain-facts §11). Its
 * units are those in its containers too: these have no firewall of their own.
 */
import { exposedRules } from '../../core/application/exposed-rules.ts';
import type { Address, Entities, MachineDoc } from '../../core/entities.ts';
import { hostOf } from '../../core/names.ts';
import type { PortRule } from '../../providers/provider.ts';
import type { Store } from '../../store/store.ts';
import type { Services } from '../services.ts';
import { machinesOf } from '../transactions/clear.ts';
import type { View } from '../transactions/tx.ts';
import { DirtyMachines } from './dirty-machines.ts';

export function createFirewaller(needs: {
  store: Store<Entities>;
  services: Services;
  modelUuid: string;
  wake: () => void;
}): { pass: (signal: AbortSignal) => Promise<void>; stop: () => void } {
  const { store, services, modelUuid } = needs;
  /** What was set last, by instance: a cache that may be lost. */
  const set = new Map<string, string>();
  const dirty = new DirtyMachines({
    ...needs,
    concerns: {
      machine: (machine) => [hostOf(machine.id)],
      unit: (unit) => (unit.machine === undefined ? [] : [hostOf(unit.machine)]),
      *application(application, view, other) {
        // What its units say of themselves changes the application often; with many units that must cost nothing.
        if (sameJson(application.exposed, other?.exposed)) return;
        for (const unit of view.find('unit', 'application', application.name))
          if (unit.machine !== undefined) yield hostOf(unit.machine);
      },
    },
  });

  async function pass(signal: AbortSignal): Promise<void> {
    const view = store.read().in(modelUuid);
    if (!view.in('').get('model', modelUuid)) return;
    const { firewall } = services.environ(modelUuid, view);
    await dirty.take(async (ids) => {
      if (firewall.mode === 'none' || ids.length === 0) return;
      if (firewall.mode === 'global')
        return firewall.set(
          [...view.list('machine')].flatMap((machine) =>
            machine.parent === undefined ? rulesOf(view, machine) : [],
          ),
          signal,
        );
      const failed: unknown[] = [];
      for (const id of ids) {
        signal.throwIfAborted();
        const machine = view.get('machine', id);
        const instance = machine?.instance;
        if (!machine || !instance || instance.unmanaged || machine.parent !== undefined) continue;
        if (machine.life === 'dead') {
          set.delete(instance.id);
          continue;
        }
        const rules = rulesOf(view, machine);
        const text = JSON.stringify(rules);
        if (set.get(instance.id) === text) continue;
        try {
          await firewall.set(instance.id, rules, signal);
          set.set(instance.id, text);
        } catch (error) {
          // Whether it took effect is not known; and the other machines are not to wait for this one.
          set.delete(instance.id);
          failed.push(error);
        }
      }
      if (failed.length > 0) throw failed[0];
    });
  }

  return { pass, stop: () => dirty.stop() };
}

function sameJson(a: unknown, b: unknown): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b);
}

/** Each container's are for its own address: what is open for one of them is not for the others. */
function rulesOf(view: View, host: MachineDoc): PortRule[] {
  return machinesOf(view, host.id).flatMap((id) => {
    const rules = unitRules(view, id);
    if (id === host.id) return rules;
    const addresses = view.get('machine', id)?.addresses.filter(isGiven) ?? [];
    return addresses.flatMap(({ value }) => rules.map((rule) => ({ ...rule, to: value })));
  });
}

/** Not those that only its agent knows of: they are of networks within it. */
function isGiven({ type, scope, origin }: Address): boolean {
  return type !== 'hostname' && scope !== 'local-machine' && origin !== 'machine';
}

function unitRules(view: View, machine: string): PortRule[] {
  const units = [...view.find('unit', 'machine', machine)];
  return exposedRules(
    units.map(({ ports, application }) => ({
      ports,
      exposed: view.get('application', application)?.exposed ?? {},
    })),
  );
}
