import { compareNames } from '../core/names.ts';
import type {
  AgentRecord,
  AgentWatcherMethods,
  AppSettingsRecord,
  ApplicationRecord,
  LeaderRecord,
  MachineRecord,
  MemberRecord,
  ModelRecord,
  RelationRecord,
  TaskRecord,
  UnitRecord,
} from '../wire/agent.ts';

type News = AgentWatcherMethods['Next']['result'];

/**
 * What the controller told this agent, as it is now (wire/agent.ts: AgentRecord). After a lost connection the stream
 * begins anew: until it is complete again, what was known before stays.
 */
export class Mirror {
  #records = new Map<string, AgentRecord>();
  #incoming: Map<string, AgentRecord> | undefined = new Map();
  #complete = false;

  /** All that concerns this agent has been seen at least once. */
  get complete(): boolean {
    return this.#complete;
  }

  /** A new stream begins: what it does not name by its end is gone. */
  restart(): void {
    this.#incoming = new Map();
  }

  /** False when there is nothing to see yet. */
  apply({ records, complete }: News): boolean {
    const target = this.#incoming ?? this.#records;
    for (const [key, value] of records) {
      if (value === null) forget(target, key);
      else target.set(key, value);
    }
    if (this.#incoming && complete) {
      this.#records = this.#incoming;
      this.#incoming = undefined;
      this.#complete = true;
    }
    return this.#incoming === undefined;
  }

  machine(): MachineRecord | undefined {
    return this.#records.get('machine') as MachineRecord | undefined;
  }
  model(): ModelRecord | undefined {
    return this.#records.get('model') as ModelRecord | undefined;
  }
  unit(name: string): UnitRecord | undefined {
    return this.#records.get(`unit ${name}`) as UnitRecord | undefined;
  }
  application(name: string): ApplicationRecord | undefined {
    return this.#records.get(`application ${name}`) as ApplicationRecord | undefined;
  }
  relation(id: number): RelationRecord | undefined {
    return this.#records.get(`relation ${id}`) as RelationRecord | undefined;
  }
  appSettings(relation: number, application: string): AppSettingsRecord | undefined {
    return this.#records.get(`app-settings ${relation} ${application}`) as AppSettingsRecord | undefined;
  }
  leader(application: string): LeaderRecord | undefined {
    return this.#records.get(`leader ${application}`) as LeaderRecord | undefined;
  }
  task(id: string): TaskRecord | undefined {
    return this.#records.get(`task ${id}`) as TaskRecord | undefined;
  }
  unitNames(): string[] {
    return [...this.#keys('unit ')].sort(compareNames);
  }
  relations(): RelationRecord[] {
    return this.#all<RelationRecord>('relation ');
  }
  members(relation: number): MemberRecord[] {
    return this.#all<MemberRecord>(`member ${relation} `);
  }
  /** Oldest first. */
  tasks(receiver: string): TaskRecord[] {
    return this.#all<TaskRecord>('task ')
      .filter((task) => task.receiver === receiver)
      .sort((a, b) => compareNames(a.id, b.id));
  }

  /** So that what the agent itself has just done is seen before the stream tells of it. */
  resolvedCleared(unit: string): void {
    const record = this.unit(unit);
    if (record) this.#records.set(`unit ${unit}`, { ...record, resolved: '' });
  }

  *#keys(prefix: string): Generator<string> {
    for (const key of this.#records.keys()) if (key.startsWith(prefix)) yield key.slice(prefix.length);
  }
  #all<R extends AgentRecord>(prefix: string): R[] {
    return [...this.#keys(prefix)].map((rest) => this.#records.get(prefix + rest) as R);
  }
}

/** A relation that is gone takes along what was told of it: its members are not said to be gone one by one. */
function forget(records: Map<string, AgentRecord>, key: string): void {
  records.delete(key);
  const [kind, id] = key.split(' ');
  if (kind !== 'relation') return;
  for (const other of records.keys())
    if (other.startsWith(`member ${id} `) || other.startsWith(`app-settings ${id} `)) records.delete(other);
}
