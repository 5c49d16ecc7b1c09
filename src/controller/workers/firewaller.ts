/**
 * Makes each machine's open ports what its units opened and their applications' exposure allow
 * (firewall.md#wanted-rules). The units in its containers count as the machine's, since containers have no firewall of
 * their own. A firewall for all machines gets what any machine wants.
 */
import type { Entities } from '../../core/kinds.ts';
import type { MachineDoc } from '../../core/machine/document.ts';
import { hostOf } from '../../core/names.ts';
import { timeLimit } from '../../kit/clock.ts';
import { backoffMs, type Backoff } from '../../kit/retry.ts';
import type { Environ } from '../../providers/provider.ts';
import type { Store } from '../../store/store.ts';
import type { Services } from '../services.ts';
import type { View } from '../transactions/tx.ts';
import { DirtyMachines, none } from './dirty-machines.ts';
import { RefusedMachines } from './refused-machines.ts';
import { RuleUnion, wantedRules } from './wanted-rules.ts';

/** At first these are all machines: others have their turn in between. */
const countedAtOnce = 200;
/** One that never answers must not keep the others of its model closed, or open. */
const setMs = 60_000;
/** One for all may have to be set on each of thousands. */
const setAllMs = 15 * 60_000;
const retrySet: Backoff = { firstMs: 500, maxMs: 30_000, factor: 2, jitter: 0.2 };

type Firewall<Mode> = Extract<Environ['firewall'], { mode: Mode }>;

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
  /** Passes in a row in which a firewall refused. */
  let failures = 0;
  /** What was set last, by instance: a cache that may be lost. */
  const set = new Map<string, string>();
  const union = new RuleUnion();
  /** Whether the firewall of all has the union: unread at first, as another controller may have set anything. */
  let global: 'unread' | 'behind' | 'done' = 'unread';
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
    let refused = false;
    await dirty.take(async (ids) => {
      if (firewall.mode === 'instance') {
        const refusals = await setEach(ids, view, firewall, signal);
        refusals.log(log, 'cannot set the open ports of a machine');
        refused = refusals.machines.length > 0;
        dirty.add(refusals.machines);
      } else if (firewall.mode === 'global') await count(ids, view, signal);
    });
    if (firewall.mode === 'global') refused = !(await setGlobal(firewall, signal));
    failures = refused ? failures + 1 : 0;
    return refused ? backoffMs(retrySet, failures - 1, services.random) : undefined;
  }

  async function setEach(
    ids: readonly string[],
    view: View,
    firewall: Firewall<'instance'>,
    signal: AbortSignal,
  ): Promise<RefusedMachines> {
    const refused = new RefusedMachines();
    for (const id of ids) {
      signal.throwIfAborted();
      const machine = view.get('machine', id);
      const instance = hasFirewall(machine) ? machine.instance : undefined;
      if (!machine || !instance) continue;
      if (machine.life === 'dead') {
        set.delete(instance.id);
        continue;
      }
      const rules = wantedRules(view, machine);
      const text = JSON.stringify(rules);
      if (set.get(instance.id) === text) continue;
      try {
        await inTime(setMs, signal, (limited) => firewall.set(instance.id, rules, limited));
        set.set(instance.id, text);
      } catch (error) {
        if (signal.aborted) throw error;
        // Whether it took effect is not known; and no other machine is to wait for this one, which may be gone.
        set.delete(instance.id);
        refused.add(id, error);
      }
    }
    return refused;
  }

  /** Only what changed is looked at, however many machines there are. */
  async function count(ids: readonly string[], view: View, signal: AbortSignal): Promise<void> {
    for (const [n, id] of ids.entries()) {
      signal.throwIfAborted();
      if (n % countedAtOnce === countedAtOnce - 1)
        await new Promise<void>((resolve) => services.nextTurn(resolve));
      const machine = view.get('machine', id);
      const wants = hasFirewall(machine) && machine.life !== 'dead';
      if (union.want(id, wants ? wantedRules(view, machine) : []) && global === 'done') global = 'behind';
    }
  }

  /** False when it refused. */
  async function setGlobal(firewall: Firewall<'global'>, signal: AbortSignal): Promise<boolean> {
    try {
      if (
        global === 'unread' &&
        union.isSame(await inTime(setAllMs, signal, (limited) => firewall.rules(limited)))
      )
        global = 'done';
      if (global === 'done') return true;
      await inTime(setAllMs, signal, (limited) => firewall.set(union.all(), limited));
      global = 'done';
      return true;
    } catch (error) {
      if (signal.aborted) throw error;
      log.warning('cannot set the open ports of the model', { error });
      return false;
    }
  }

  async function inTime<T>(
    ms: number,
    signal: AbortSignal,
    work: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const limit = timeLimit(services.clock, ms, signal);
    try {
      return await work(limit.signal);
    } finally {
      limit.done();
    }
  }

  return { pass, stop: () => dirty.stop() };
}

/** A container's ports are opened at its machine; those of a machine that nobody made here are its own affair. */
function hasFirewall(machine: MachineDoc | undefined): machine is MachineDoc {
  return machine?.instance !== undefined && !machine.instance.unmanaged && machine.parent === undefined;
}

function isEmpty(ports: object): boolean {
  for (const _ in ports) return false;
  return true;
}

function sameJson(a: unknown, b: unknown): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b);
}
