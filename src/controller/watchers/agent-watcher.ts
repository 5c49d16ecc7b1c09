/**
 * Stream of one machine agent (wire/agent-records.ts): everything that concerns its machine, first whole, then as it
 * changes. The watcher keeps only which records changed, not what was sent; a record is read when it is handed out.
 */
import type { ChangeOn, Topic } from './dispatch.ts';
import { settingsId } from '../../core/settings/document.ts';
import { scopeId, type ScopeDoc } from '../../core/scope/document.ts';
import type { Entities } from '../../core/kinds.ts';
import type { RelationDoc } from '../../core/relation/document.ts';
import type { UnitDoc } from '../../core/unit/document.ts';
import { isOpen } from '../../core/task/document.ts';
import { JujuError } from '../../core/errors.ts';
import { statusId } from '../../core/status.ts';
import type { Store } from '../../store/store.ts';
import type { AgentRecord } from '../../wire/agent-records.ts';
import type { News } from '../../wire/facades/agent-watcher.ts';
import type { Watcher } from '../facade.ts';
import type { Services } from '../services.ts';
import type { View } from '../transactions/tx.ts';
import * as records from './agent-records.ts';
import { changesSpace, concernsAgents } from './concerns-agents.ts';
import { AgentSecrets } from './agent-secrets.ts';
import { isProgress } from './task-progress.ts';

/** Maximum number of records in one answer, so that frames stay bounded. */
const recordsPerAnswer = 1000;

type Subscribe = <T extends Topic>(
  topic: T,
  onFirst: () => void,
  onChange: (id: string, change: ChangeOn<T>) => void,
  space?: string,
) => void;

interface Needs {
  readonly store: Store<Entities>;
  readonly services: Pick<Services, 'dispatch' | 'sealer'>;
  readonly modelUuid: string;
  readonly machine: string;
  readonly addresses: readonly string[];
}

export function createAgentWatcher(needs: Needs): Watcher {
  return new AgentWatcher(needs);
}

class AgentWatcher implements Watcher {
  readonly #needs: Needs;
  /** Keys of records to hand out, in the order in which they changed. */
  readonly #dirty = new Set<string>();
  readonly #subscriptions = new Map<string, () => void>();
  #relations = new Set<string>();
  #applications = new Set<string>();
  /** True when the subscriptions must be computed again. */
  #stale = true;
  readonly #secrets: AgentSecrets;
  #complete = false;
  #stopped = false;
  #waiting: (() => void)[] = [];

  constructor(needs: Needs) {
    this.#needs = needs;
    this.#dirty.add('machine').add('model');
    this.#secrets = new AgentSecrets(needs.services.dispatch, needs.modelUuid, (key) => {
      this.#dirty.add(key);
      this.#wake();
    });
  }

  async next(): Promise<News> {
    for (;;) {
      if (this.#stopped) throw new JujuError('stopped', 'watcher has been stopped');
      const view = this.#needs.store.read().in(this.#needs.modelUuid);
      if (this.#stale) this.#subscribe(view);
      if (this.#dirty.size > 0) return this.#takeRecords(view);
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
  }

  stop(): void {
    this.#stopped = true;
    for (const end of this.#subscriptions.values()) end();
    this.#subscriptions.clear();
    this.#secrets.stop();
    this.#wake();
  }

  #wake(): void {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }

  #takeRecords(view: View): News {
    const records: [string, AgentRecord | null][] = [];
    for (const key of this.#dirty) {
      if (records.length === recordsPerAnswer) break;
      this.#dirty.delete(key);
      records.push([key, this.#record(view, key)]);
    }
    if (this.#dirty.size === 0) this.#complete = true;
    return { records, complete: this.#complete };
  }

  /** Present value of a record, or null when it no longer concerns this machine. */
  #record(view: View, key: string): AgentRecord | null {
    const { machine } = this.#needs;
    const [kind, id = '', second = ''] = key.split(' ');
    switch (kind) {
      case 'machine': {
        const doc = view.get('machine', machine);
        return doc ? records.machineRecord(view, doc) : null;
      }
      case 'model':
        return records.modelRecord(view, this.#needs.addresses);
      case 'unit': {
        const unit = view.get('unit', id);
        return unit?.machine === machine ? records.unitRecord(view, unit) : null;
      }
      case 'container': {
        const container = view.get('machine', id);
        return container?.parent === machine ? records.containerRecord(view, container) : null;
      }
      case 'application': {
        const application = this.#applications.has(id) ? view.get('application', id) : undefined;
        return application ? records.applicationRecord(view, application) : null;
      }
      case 'leader':
        return this.#applications.has(id) ? records.leaderRecord(view, id) : null;
      case 'relation': {
        const relation = this.#relations.has(id) ? view.get('relation', id) : undefined;
        return relation ? records.relationRecord(view, relation) : null;
      }
      case 'member': {
        const scope = this.#relations.has(id)
          ? view.get('scope', scopeId({ relation: id, unit: second }))
          : undefined;
        return scope && this.#seesMember(scope) ? records.memberRecord(view, scope) : null;
      }
      case 'app-settings': {
        const settings = this.#relations.has(id)
          ? view.get('settings', settingsId({ relation: id, owner: second }))
          : undefined;
        return settings ? { relation: Number(id), application: second, version: settings.version } : null;
      }
      case 'storage': {
        const storage = view.get('storage', id);
        return storage?.machine === machine ? records.storageRecord(storage) : null;
      }
      case 'task': {
        const task = view.get('task', id);
        if (!task || !isOpen(task)) return null;
        const { restored } = view.in('').get('model', view.space) ?? {};
        return records.taskRecord(task, (sealed) => this.#needs.services.sealer.open(sealed), restored);
      }
      case 'secret':
        return records.secretRecord(view, id, second);
      default:
        return null;
    }
  }

  /** Computes what concerns this machine now, and subscribes to exactly that. */
  #subscribe(view: View): void {
    this.#stale = false;
    const { machine, modelUuid } = this.#needs;
    const wantedTopics = new Set<string>();
    const subscribe: Subscribe = (topic, onFirst, onChange, space = modelUuid) => {
      wantedTopics.add(topic);
      if (this.#subscriptions.has(topic)) return;
      this.#subscriptions.set(
        topic,
        this.#needs.services.dispatch.on(space, topic, (change) => {
          onChange(change.id, change);
          if (this.#dirty.size > 0 || this.#stale) this.#wake();
        }),
      );
      onFirst();
    };
    subscribe(`model ${modelUuid}`, this.#mark('model'), this.#mark('model'), '');
    subscribe(`migration ${modelUuid}`, this.#mark('model'), this.#mark('model'), '');
    subscribe(`machine ${machine}`, this.#mark('machine'), this.#mark('machine'));
    subscribe(
      'subnet',
      () => undefined,
      (_, { before, after }) => {
        if (changesSpace(before, after)) this.#dirty.add('machine');
      },
    );
    this.#subscribeToTasks(view, machine, subscribe);
    this.#subscribeToStorage(view, subscribe);
    this.#subscribeToContainers(view, subscribe);
    const units = [...view.find('unit', 'machine', machine)];
    this.#subscribeToUnits(units, subscribe);
    this.#secrets.setUnits(view, units);
    for (const unit of units) this.#subscribeToTasks(view, unit.name, subscribe);
    const applications = new Set(units.map(({ application }) => application));
    const relations = new Set<string>();
    for (const name of applications) {
      this.#subscribeToApplication(name, subscribe);
      for (const relation of view.find('relation', 'application', name)) relations.add(String(relation.id));
    }
    this.#setConcerns(applications, relations);
    for (const id of relations) {
      const relation = view.get('relation', id);
      if (relation) this.#subscribeToMembers(view, relation, units, subscribe);
    }
    for (const [topic, end] of this.#subscriptions) {
      if (wantedTopics.has(topic)) continue;
      end();
      this.#subscriptions.delete(topic);
      this.#forgetSide(view, topic);
    }
  }

  #mark(key: string): () => void {
    return () => void this.#dirty.add(key);
  }

  /**
   * Sets the applications and relations that concern the machine from now on; the changed ones have to be handed out.
   */
  #setConcerns(applications: Set<string>, relations: Set<string>): void {
    for (const id of this.#relations) if (!relations.has(id)) this.#dirty.add(`relation ${id}`);
    for (const name of this.#applications)
      if (!applications.has(name)) this.#dirty.add(`application ${name}`).add(`leader ${name}`);
    for (const id of relations) if (!this.#relations.has(id)) this.#dirty.add(`relation ${id}`);
    this.#applications = applications;
    this.#relations = relations;
  }

  #subscribeToTasks(view: View, receiver: string, subscribe: Subscribe): void {
    subscribe(
      `task@receiver ${receiver}`,
      () => {
        for (const task of view.find('task', 'receiver', receiver))
          if (isOpen(task)) this.#dirty.add(`task ${task.id}`);
      },
      (id, change) => {
        if (!isProgress(change)) this.#dirty.add(`task ${id}`);
      },
    );
  }

  #subscribeToStorage(view: View, subscribe: Subscribe): void {
    const { machine } = this.#needs;
    const mark = (id: string): void => void this.#dirty.add(`storage ${id}`);
    const markAll = (): void => [...view.find('storage', 'machine', machine)].forEach(({ id }) => mark(id));
    subscribe(`storage@machine ${machine}`, markAll, mark);
  }

  #subscribeToUnits(units: readonly UnitDoc[], subscribe: Subscribe): void {
    subscribe(
      `unit@machine ${this.#needs.machine}`,
      () => {
        for (const unit of units) this.#dirty.add(`unit ${unit.name}`);
      },
      (id, { before, after }) => {
        this.#dirty.add(`unit ${id}`);
        // Only the set of units decides what else concerns the machine; status changes of a unit do not.
        if (before?.machine === after?.machine) return;
        const principal = (after ?? before)?.principal;
        if (principal !== undefined) this.#dirty.add(`unit ${principal}`);
        this.#stale = true;
      },
    );
  }

  #subscribeToApplication(name: string, subscribe: Subscribe): void {
    subscribe(`application ${name}`, this.#mark(`application ${name}`), (_, { before, after }) => {
      // Status changes of units change the application often, and must not reach all machines of its other units.
      if (concernsAgents(before, after)) this.#dirty.add(`application ${name}`);
    });
    subscribe(`lease ${name}`, this.#mark(`leader ${name}`), (_, { before, after }) => {
      // A renewed lease concerns nobody: there is one every half minute.
      if (before?.holder !== after?.holder) this.#dirty.add(`leader ${name}`);
    });
    subscribe(`leader-settings ${name}`, this.#mark(`leader ${name}`), this.#mark(`leader ${name}`));
    subscribe(
      `relation@application ${name}`,
      () => undefined,
      (id) => {
        this.#dirty.add(`relation ${id}`);
        this.#stale = true;
      },
    );
  }

  /** Subscribes to the containers on the machine, the progress of their starts, and the units that keep them. */
  #subscribeToContainers(view: View, subscribe: Subscribe): void {
    const { machine } = this.#needs;
    const containers = [...view.find('machine', 'parent', machine)];
    subscribe(
      `machine@parent ${machine}`,
      () => {
        for (const { id } of containers) this.#dirty.add(`container ${id}`);
      },
      (id, { before, after }) => {
        this.#dirty.add(`container ${id}`);
        if (!before || !after) this.#stale = true;
      },
    );
    for (const { id } of containers) {
      const markContainer = (): void => void this.#dirty.add(`container ${id}`);
      subscribe(`status ${statusId('instance', id)}`, () => undefined, markContainer);
      subscribe(
        `unit@machine ${id}`,
        () => undefined,
        (_, { before, after }) => {
          if (before?.machine !== after?.machine) markContainer();
        },
      );
    }
  }

  #seesMember({ relation, unit, application, container }: ScopeDoc): boolean {
    const side = container === '' ? application : `in ${container}`;
    return (
      this.#subscriptions.has(`scope@side ${relation} ${side}`) ||
      this.#subscriptions.has(`scope ${relation}#${unit}`)
    );
  }

  /** Forgets a side of a relation of which nothing more will be heard: another unit here may come to see it again. */
  #forgetSide(view: View, topic: string): void {
    const value = /^scope@side (.*)$/.exec(topic)?.[1];
    // A relation that is gone takes its members along.
    if (value === undefined || !this.#relations.has(value.split(' ')[0]!)) return;
    for (const { relation, unit } of view.find('scope', 'side', value))
      this.#dirty.add(`member ${relation} ${unit}`);
  }

  /**
   * Subscribes to the sides of a relation that the machine's units see, and to their own places
   * (relations.md#watched-sides).
   */
  #subscribeToMembers(
    view: View,
    relation: RelationDoc,
    units: readonly UnitDoc[],
    subscribe: Subscribe,
  ): void {
    const id = String(relation.id);
    const member = (scope: string): void =>
      void this.#dirty.add(`member ${id} ${scope.slice(scope.indexOf('#') + 1)}`);
    const side = (value: string): void =>
      subscribe(
        `scope@side ${value}`,
        () => {
          for (const scope of view.find('scope', 'side', value))
            this.#dirty.add(`member ${id} ${scope.unit}`);
        },
        member,
      );
    for (const unit of units) {
      const ownEndpoint = relation.endpoints.find((endpoint) => endpoint.application === unit.application);
      if (!ownEndpoint) continue;
      subscribe(
        `scope ${id}#${unit.name}`,
        () => {
          if (view.get('scope', scopeId({ relation: id, unit: unit.name })))
            this.#dirty.add(`member ${id} ${unit.name}`);
        },
        member,
      );
      if (ownEndpoint.scope === 'container') {
        const container = unit.principal ?? unit.name;
        side(`${id} in ${container}`);
        for (const other of units)
          if ((other.principal ?? other.name) === container)
            subscribe(`settings ${id}#${other.name}`, () => undefined, member);
      } else {
        for (const endpoint of relation.endpoints) {
          if (endpoint.application === unit.application && ownEndpoint.role !== 'peer') continue;
          side(`${id} ${endpoint.application}`);
          subscribe(
            `settings@side ${id} ${endpoint.application}`,
            () => undefined,
            (settings) => {
              const owner = settings.slice(settings.indexOf('#') + 1);
              if (owner.includes('/')) member(settings);
            },
          );
        }
      }
    }
    for (const { application } of relation.endpoints) {
      const key = `app-settings ${id} ${application}`;
      subscribe(
        `settings ${id}#${application}`,
        () => {
          if (view.get('settings', settingsId({ relation: id, owner: application }))) this.#dirty.add(key);
        },
        () => this.#dirty.add(key),
      );
    }
  }
}
