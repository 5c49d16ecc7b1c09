/**
 * Sets each machine's open ports to those that its units opened and their applications' exposure allows
 * (firewall.md#wanted-rules). The units in its containers count as the machine's, since containers have no firewall of
 * their own. A global firewall gets the rules that any machine wants.
 */
import type { RelationDoc } from '../../core/relation/document.ts';
import { localEnd } from '../../core/relation/ends.ts';
import { hostOf } from '../../core/names.ts';
import type { Log } from '../../kit/log.ts';
import type { View } from '../transactions/tx.ts';
import { backoffMs, type Backoff } from '../../kit/retry.ts';
import { DirtyMachines, noMachines, type Concerns } from './dirty-machines.ts';
import { InstanceFirewalls } from './instance-firewalls.ts';
import { ModelFirewall } from './model-firewall.ts';
import type { ModelWorker, WorkerNeeds } from './model-worker.ts';

const retrySet: Backoff = { firstMs: 500, maxMs: 30_000, factor: 2, jitter: 0.2 };

type Needs = WorkerNeeds<'clock' | 'dispatch' | 'environ' | 'log' | 'nextTurn' | 'random'>;

export class Firewaller implements ModelWorker {
  readonly #needs: Needs;
  readonly #log: Log;
  readonly #dirty: DirtyMachines;
  /**
   * Applications all of whose machines have to be looked at. The next pass finds these, as a request that exposes an
   * application of thousands of units waits until the workers are told.
   */
  readonly #applications = new Set<string>();
  readonly #ends: readonly (() => void)[];
  readonly #instances: InstanceFirewalls;
  readonly #model: ModelFirewall;
  /** Number of consecutive passes in which a firewall refused. */
  #failures = 0;

  constructor(needs: Needs) {
    this.#needs = needs;
    const { clock, log, nextTurn } = needs.services;
    this.#log = log.module('grigri.firewaller');
    this.#dirty = new DirtyMachines({ ...needs, concerns });
    this.#ends = this.#watchApplications();
    this.#instances = new InstanceFirewalls(clock);
    this.#model = new ModelFirewall({ clock, nextTurn, log: this.#log });
  }

  /** Updates the firewalls. Returns milliseconds until refused updates are tried again. */
  async pass(signal: AbortSignal): Promise<number | undefined> {
    const { store, services, modelUuid } = this.#needs;
    const view = store.read().in(modelUuid);
    if (!view.in('').get('model', modelUuid)) return undefined;
    const { firewall } = services.environ(modelUuid, view);
    let refused = false;
    for (const name of this.#applications) this.#dirty.add(hostsOf(view, name));
    this.#applications.clear();
    await this.#dirty.take(async (ids) => {
      if (firewall.mode === 'instance') {
        const refusals = await this.#instances.set(firewall, { ids, view }, signal);
        refusals.log(this.#log, 'cannot set the open ports of a machine');
        refused = refusals.machines.length > 0;
        this.#dirty.add(refusals.machines);
      } else if (firewall.mode === 'global') await this.#model.count({ ids, view }, signal);
    });
    if (firewall.mode === 'global') refused = !(await this.#model.set(firewall, signal));
    this.#failures = refused ? this.#failures + 1 : 0;
    return refused ? backoffMs(retrySet, this.#failures - 1, services.random) : undefined;
  }

  stop(): void {
    this.#dirty.stop();
    for (const end of this.#ends) end();
  }

  /** Watches what changes the rules of whole applications. */
  #watchApplications(): (() => void)[] {
    const { store, services, modelUuid } = this.#needs;
    const view = store.read().in(modelUuid);
    return [
      services.dispatch.on(modelUuid, 'application', ({ before, after }) => {
        // Status changes of its units change the application often; with many units they must cost nothing.
        if (!sameJson(before?.exposed, after?.exposed)) this.#lookAt((after ?? before)!.name);
      }),
      services.dispatch.on(modelUuid, 'relation', ({ before, after }) => {
        if (!sameJson(admission(before), admission(after)))
          this.#lookAt(localEnd((after ?? before)!).application);
      }),
      services.dispatch.on(modelUuid, 'subnet', ({ before, after }) => {
        if (before?.space === after?.space) return;
        const isConcerned = (space: string): boolean => space === before?.space || space === after?.space;
        for (const { name, exposed = {} } of view.list('application'))
          if (Object.values(exposed).some(({ spaces }) => spaces.some(isConcerned))) this.#lookAt(name);
      }),
      // A change of the model may let in other consumers of its offers, and others by SSH.
      services.dispatch.on('', `model ${modelUuid}`, ({ before, after }) => {
        const differs = (key: string): boolean => before?.config[key] !== after?.config[key];
        if (differs('ssh-allow')) {
          this.#dirty.addAll();
          this.#needs.wake();
        }
        if (!differs('saas-ingress-allow')) return;
        for (const relation of view.find('relation', 'remote', 'offered'))
          this.#lookAt(localEnd(relation).application);
      }),
    ];
  }

  #lookAt(application: string): void {
    this.#applications.add(application);
    this.#needs.wake();
  }
}

const concerns: Concerns = {
  // A machine with neither an instance nor an address has no rules, nor has a unit without ports: a deploy creates many
  // of both.
  machine: ({ id, instance, addresses }) => (instance || addresses.length > 0 ? [hostOf(id)] : noMachines),
  unit: ({ machine, ports }) => (machine === undefined || isEmpty(ports) ? noMachines : [hostOf(machine)]),
};

/** Value that decides whom a relation with another model lets in; undefined for other relations. */
function admission(relation: RelationDoc | undefined): unknown {
  const { offered } = relation?.remote ?? {};
  return offered && [relation!.life, relation!.suspended, offered.ingress];
}

function* hostsOf(view: View, application: string): Generator<string> {
  for (const { machine } of view.find('unit', 'application', application))
    if (machine !== undefined) yield hostOf(machine);
}

function isEmpty(ports: object): boolean {
  for (const _ in ports) return false;
  return true;
}

function sameJson(a: unknown, b: unknown): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b);
}
