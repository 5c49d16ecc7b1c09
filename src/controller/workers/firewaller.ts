/**
 * Makes each machine's open ports what its units opened and their applications' exposure allow (domain-facts §11). Its
 * units are those in its containers too: these have no firewall of their own.
 */
import { exposedRules } from '../../core/application/exposed-rules.ts';
import type { Address, Entities, MachineDoc } from '../../core/entities.ts';
import { hostOf } from '../../core/names.ts';
import { backoffMs, type Backoff } from '../../kit/retry.ts';
import type { PortRule } from '../../providers/provider.ts';
import type { Store } from '../../store/store.ts';
import type { Services } from '../services.ts';
import { machinesOf } from '../transactions/clear.ts';
import type { View } from '../transactions/tx.ts';
import { DirtyMachines, none } from './dirty-machines.ts';

const retrySet: Backoff = { firstMs: 500, maxMs: 30_000, factor: 2, jitter: 0.2 };

export function createFirewaller(needs: {
  store: Store<Entities>;
  services: Services;
  modelUuid: string;
  wake: () => void;
}): {
  /** Returns milliseconds until those that refused are asked again. */
  pass: (signal: AbortSignal) => Promise<number | undefined>;
  stop: () => void;
} {
  const { store, services, modelUuid } = needs;
  const log = services.log.module('grigri.firewaller');
  /** Passes in a row in which an instance refused. */
  let failures = 0;
  /** What was set last, by instance: a cache that may be lost. */
  const set = new Map<string, string>();
  const dirty = new DirtyMachines({
    ...needs,
    concerns: {
      // What has neither an instance nor an address has no rules, nor has a unit without ports: a deploy makes many.
      machine: ({ id, instance, addresses }) => (instance || addresses.length > 0 ? [hostOf(id)] : none),
      unit: ({ machine, ports }) => (machine === undefined || isEmpty(ports) ? none : [hostOf(machine)]),
      *application(application, view, other) {
        // What its units say of themselves changes the application often; with many units that must cost nothing.
        if (sameJson(application.exposed, other?.exposed)) return;
        for (const unit of view.find('unit', 'application', application.name))
          if (unit.machine !== undefined) yield hostOf(unit.machine);
      },
    },
  });

  async function pass(signal: AbortSignal): Promise<number | undefined> {
    const view = store.read().in(modelUuid);
    if (!view.in('').get('model', modelUuid)) return undefined;
    const { firewall } = services.environ(modelUuid, view);
    const refused: string[] = [];
    await dirty.take(async (ids) => {
      if (firewall.mode === 'none' || ids.length === 0) return;
      if (firewall.mode === 'global')
        return firewall.set(
          [...view.list('machine')].flatMap((machine) =>
            machine.parent === undefined ? rulesOf(view, machine) : [],
          ),
          signal,
        );
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
          if (signal.aborted) throw error;
          // Whether it took effect is not known; and no other machine is to wait for this one, which may be gone.
          set.delete(instance.id);
          refused.push(id);
          log.warning('cannot set the open ports of a machine', { machine: id, error });
        }
      }
    });
    failures = refused.length > 0 ? failures + 1 : 0;
    if (failures === 0) return undefined;
    dirty.add(refused);
    return backoffMs(retrySet, failures - 1, services.random);
  }

  return { pass, stop: () => dirty.stop() };
}

function isEmpty(ports: object): boolean {
  for (const _ in ports) return false;
  return true;
}

function sameJson(a: unknown, b: unknown): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b);
}

/** Each container's are for its own address: what is open for one of them is not for the others. */
function rulesOf(view: View, host: MachineDoc): PortRule[] {
  const units = machinesOf(view, host.id).flatMap((id) => {
    const rules = unitRules(view, id);
    if (id === host.id) return rules;
    const addresses = view.get('machine', id)?.addresses.filter(isGiven) ?? [];
    return addresses.flatMap(({ value }) => rules.map((rule) => ({ ...rule, to: value })));
  });
  return host.isController && !host.instance?.unmanaged ? [...apiRules(view), ...units] : units;
}

/** Clients and agents come from anywhere. */
function apiRules(view: View): PortRule[] {
  const port = Number(view.in('').get('controller', 'self')?.config['api-port']);
  return port > 0 ? [{ fromPort: port, toPort: port, protocol: 'tcp', sourceCidrs: [] }] : [];
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
