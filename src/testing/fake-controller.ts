/**
 * Controller that machine agents need, in memory: facades MachineAgent and AgentWatcher over the Connection interface,
 * with connections that can be cut. Tests set up its state and read what agents did.
 */
import type { Connection } from '../client/connection.ts';
import type { Endpoint, ConfigValue } from '../core/charm/metadata.ts';
import { JujuError } from '../core/errors.ts';
import { unitApplication } from '../core/names.ts';
import type { Clock } from '../kit/clock.ts';
import { fakeMachineAgent, type FakeMethods } from './fake-machine-agent.ts';
import type {
  AgentRecord,
  ApplicationRecord,
  ContainerRecord,
  MachineRecord,
  ModelRecord,
  StorageRecord,
  TaskRecord,
  UnitRecord,
} from '../wire/agent-records.ts';
import type { News } from '../wire/facades/agent-watcher.ts';
import type { HookCommit, MachineAgentMethods } from '../wire/facades/machine-agent.ts';
import { noProxies, plainSettings } from '../providers/contract/start.ts';

type Life = UnitRecord['life'];
interface FakeUnit extends UnitRecord {
  saved: unknown;
  lastHook: string;
  charmState: Record<string, string>;
}
interface FakeRelation {
  id: number;
  life: Life;
  suspended: boolean;
  endpoints: (Endpoint & { application: string })[];
  /** Units in scope, by their names. */
  scopes: Map<string, { departing: boolean; container: string }>;
  settings: Map<string, { values: Record<string, string>; version: number }>;
}

export class FakeController {
  readonly units = new Map<string, FakeUnit>();
  readonly applications = new Map<string, ApplicationRecord>();
  readonly relations = new Map<number, FakeRelation>();
  readonly containers = new Map<string, ContainerRecord>();
  readonly storages = new Map<string, StorageRecord>();
  readonly tasks = new Map<string, TaskRecord>();
  readonly finished: MachineAgentMethods['FinishTask']['params'][] = [];
  /** Progress messages: `1: half way`. */
  readonly progress: string[] = [];
  /** Commits, each once, in the order in which they were applied. */
  readonly commits: HookCommit[] = [];
  /** Units whose agents have told their state after a restore, and reports of units that the model does not know. */
  readonly kept: string[] = [];
  readonly unknownUnits: string[][] = [];
  /** Reports of units that have ended since the backup. */
  readonly endedUnits: string[][] = [];
  /** Statuses: `workload web/0: active ready`. */
  readonly statuses: string[] = [];
  readonly logged: MachineAgentMethods['Log']['params']['records'] = [];
  machine: MachineRecord | undefined = { life: 'alive', addresses: [], availabilityZone: 'z1' };
  model: ModelRecord = {
    name: 'test',
    uuid: 'model-uuid',
    life: 'alive',
    updateStatusIntervalMs: 0,
    hookTimeoutMs: 0,
    retryHooks: true,
    loggingConfig: '<root>=DEBUG',
    proxies: noProxies,
    system: { ...plainSettings, authorizedKeys: [] },
    controllerAddresses: ['10.0.0.1:17070'],
    egressSubnets: [],
    provisioning: { parallelMax: 4, harvest: 'destroyed' },
  };
  /** Called before each call is carried out, which waits for a promise; may throw. */
  onCall: (method: string, params: unknown) => Promise<void> | void = () => undefined;
  /** Called after a call was carried out, before its answer, so that tests can lose answers. */
  afterCall: (method: string, params: unknown) => void = () => undefined;
  readonly clock: Clock;
  readonly leases = new Map<string, { holder: string; until: number }>();
  readonly leaderSettings = new Map<string, { values: Record<string, string>; version: number }>();
  readonly #watchers = new Set<{ view: Map<string, string>; wake: () => void }>();
  readonly #connections = new Set<{ drop: (why: Error) => void }>();
  #listeners = new Set<() => void>();
  #nextUnit = new Map<string, number>();

  constructor(clock: Clock) {
    this.clock = clock;
  }

  addApplication(name: string, more: Partial<ApplicationRecord> = {}): void {
    this.applications.set(name, {
      life: 'alive',
      charmUrl: `local:${name}-0`,
      charmSha256: '0'.repeat(64),
      charmName: name,
      charmModifiedVersion: 0,
      forceCharm: false,
      subordinate: false,
      config: {},
      configOptions: {},
      trust: false,
      exposed: false,
      endpoints: {},
      extraBindings: [],
      bindings: { '': 'alpha' },
      actions: {},
      ...more,
    });
    this.changed();
  }

  addUnit(application: string, principal = ''): string {
    const number = this.#nextUnit.get(application) ?? 0;
    this.#nextUnit.set(application, number + 1);
    const name = `${application}/${number}`;
    this.units.set(name, {
      life: 'alive',
      application,
      principal,
      subordinates: [],
      base: { name: 'ubuntu', channel: '24.04/stable' },
      charmUrl: '',
      resolved: '',
      deployed: false,
      ports: {},
      saved: null,
      lastHook: '',
      charmState: {},
    });
    this.changed();
    return name;
  }

  /** Adds a relation: `web:db mysql:server`; one endpoint = peers. */
  addRelation(id: number, key: string, scope: Endpoint['scope'] = 'global'): void {
    const names = key.split(' ').map((endpoint) => endpoint.split(':'));
    const endpoints = names.map(([application = '', name = ''], index) => ({
      application,
      name,
      role:
        names.length === 1 ? ('peer' as const) : index === 0 ? ('requirer' as const) : ('provider' as const),
      interface: 'x',
      scope,
      limit: 0,
      optional: true,
    }));
    this.relations.set(id, {
      id,
      life: 'alive',
      suspended: false,
      endpoints,
      scopes: new Map(),
      settings: new Map(),
    });
    this.changed();
  }

  /** Makes a unit without an agent in the test enter a relation, or leave it. */
  setMember(relation: number, unit: string, there: boolean, values: Record<string, string> = {}): void {
    const one = this.relation(relation);
    if (there) one.scopes.set(unit, { departing: false, container: '' });
    else one.scopes.delete(unit);
    if (there) this.setBag(one, unit, values);
    this.changed();
  }

  setConfig(application: string, config: Record<string, ConfigValue>): void {
    this.#change(this.applications, application, { config });
  }
  setUnit(unit: string, change: Partial<UnitRecord>): void {
    this.#change(this.units, unit, change);
  }
  setApplication(application: string, change: Partial<ApplicationRecord>): void {
    this.#change(this.applications, application, change);
  }
  destroyUnit(unit: string): void {
    const { deployed } = this.unit(unit);
    if (deployed) this.setUnit(unit, { life: 'dying' });
    else this.units.delete(unit);
    this.changed();
  }
  addTask(task: Omit<TaskRecord, 'status'>): void {
    this.tasks.set(task.id, { ...task, status: 'pending' });
    this.changed();
  }
  leaderOf(application: string): string {
    const lease = this.leases.get(application);
    return lease && lease.until > this.clock.now() ? lease.holder : '';
  }
  settings(relation: number, owner: string): Record<string, string> {
    return this.relation(relation).settings.get(owner)?.values ?? {};
  }

  /** Sends agents the changes that a test made by hand. */
  changed(): void {
    for (const watcher of this.#watchers) watcher.wake();
    for (const listener of this.#listeners) listener();
  }

  /** Resolves when the condition holds; it is evaluated after each change. */
  async until(condition: () => boolean): Promise<void> {
    while (!condition()) {
      await new Promise<void>((resolve) => {
        const once = (): void => {
          this.#listeners.delete(once);
          resolve();
        };
        this.#listeners.add(once);
      });
    }
  }

  dropConnections(): void {
    for (const connection of this.#connections) connection.drop(new Error('dropped'));
  }

  connect(): Connection {
    const { promise: closed, resolve } = Promise.withResolvers<Error>();
    const watchers = new Set<{ view: Map<string, string>; wake: () => void }>();
    const lost = closed.then((error): never => {
      throw new JujuError('try again', error.message);
    });
    lost.catch(() => undefined);
    const handle = { drop: resolve };
    this.#connections.add(handle);
    let over = false;
    void closed.then(() => {
      over = true;
      this.#connections.delete(handle);
      for (const watcher of watchers) this.#watchers.delete(watcher);
    });
    return {
      closed,
      login: {
        controllerTag: 'controller-c',
        modelTag: 'model-m',
        serverVersion: '3.6.28',
        servers: [],
        facades: new Map(),
      },
      close() {
        resolve(new Error('closed'));
        return Promise.resolve();
      },
      call: async <R>(
        facade: string,
        method: string,
        params: unknown = {},
        options: { signal?: AbortSignal } = {},
      ) => {
        const { signal } = options;
        signal?.throwIfAborted();
        const aborted = new Promise<never>((_resolve, reject) => {
          signal?.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
        });
        aborted.catch(() => undefined);
        const answer = async (): Promise<unknown> => {
          // Answers never arrive in the turn of their call, as over a network.
          await new Promise((next) => setImmediate(next));
          if (over) return lost;
          if (facade === 'AgentWatcher') return this.#next([...watchers][0]!);
          if (method === 'Watch') {
            void this.onCall(method, params);
            const watcher = { view: new Map<string, string>(), wake: () => undefined };
            watchers.add(watcher);
            this.#watchers.add(watcher);
            return { 'watcher-id': '1' };
          }
          await this.onCall(method, params);
          const carryOut = this.#methods[method as keyof FakeMethods] as (params: unknown) => unknown;
          const result = structuredClone(carryOut(structuredClone(params)));
          this.changed();
          this.afterCall(method, params);
          if (over) return lost;
          return result;
        };
        return (await Promise.race([answer(), lost, aborted])) as R;
      },
    };
  }

  async #next(watcher: { view: Map<string, string>; wake: () => void }): Promise<News> {
    for (;;) {
      const now = new Map([...this.#records()].map(([key, value]) => [key, JSON.stringify(value)]));
      const records: [string, AgentRecord | null][] = [];
      for (const [key, value] of now) {
        if (watcher.view.get(key) !== value) records.push([key, JSON.parse(value) as AgentRecord]);
      }
      for (const key of watcher.view.keys()) if (!now.has(key)) records.push([key, null]);
      watcher.view = now;
      if (records.length > 0) return { records, complete: true };
      await new Promise<void>((resolve) => (watcher.wake = resolve));
    }
  }

  *#records(): Generator<[string, AgentRecord]> {
    if (this.machine) yield ['machine', this.machine];
    yield ['model', this.model];
    for (const [id, record] of this.containers) yield [`container ${id}`, record];
    for (const [id, record] of this.storages) yield [`storage ${id}`, record];
    for (const [name, { saved: _s, lastHook: _l, charmState: _c, ...record }] of this.units) {
      const subordinates = [...this.units].filter(([, unit]) => unit.principal === name).map(([sub]) => sub);
      yield [`unit ${name}`, { ...record, subordinates }];
    }
    for (const [name, record] of this.applications) {
      yield [`application ${name}`, record];
      const settingsVersion = this.leaderSettings.get(name)?.version ?? 0;
      yield [`leader ${name}`, { holder: this.leaderOf(name), settingsVersion }];
    }
    for (const [id, { life, suspended, endpoints: ends, scopes, settings }] of this.relations) {
      const endpoints = ends.map((end) => ({
        ...end,
        subordinate: this.applications.get(end.application)?.subordinate === true,
      }));
      const key = endpoints.map((endpoint) => `${endpoint.application}:${endpoint.name}`).join(' ');
      yield [`relation ${id}`, { id, key, life, suspended, endpoints }];
      for (const [unit, { departing, container }] of scopes) {
        const version = settings.get(unit)?.version ?? 0;
        yield [
          `member ${id} ${unit}`,
          { relation: id, unit, application: unitApplication(unit), version, container, departing },
        ];
      }
      for (const [owner, { version }] of settings) {
        if (!owner.includes('/'))
          yield [`app-settings ${id} ${owner}`, { relation: id, application: owner, version }];
      }
    }
    for (const [id, task] of this.tasks) yield [`task ${id}`, task];
  }

  readonly #methods = fakeMachineAgent(this);

  unit(name: string): FakeUnit {
    const unit = this.units.get(name);
    if (!unit) throw new JujuError('not found', `unit "${name}" not found`);
    return unit;
  }
  relation(id: number): FakeRelation {
    const relation = this.relations.get(id);
    if (!relation) throw new JujuError('not found', `relation ${id} not found`);
    return relation;
  }
  setBag(relation: FakeRelation, owner: string, set: Record<string, string>): void {
    const old = relation.settings.get(owner);
    const values = { ...old?.values, ...set };
    for (const [key, value] of Object.entries(set)) if (value === '') delete values[key];
    relation.settings.set(owner, { values, version: (old?.version ?? 0) + 1 });
  }
  #change<V extends object>(map: Map<string, V>, key: string, change: Partial<V>): void {
    const old = map.get(key);
    if (!old) throw new Error(`no ${key}`);
    map.set(key, { ...old, ...change });
    this.changed();
  }
}
