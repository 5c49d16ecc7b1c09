import { compareNames } from '../core/names.ts';
import type {
  AgentRecord,
  AppSettingsRecord,
  ApplicationRecord,
  ContainerRecord,
  LeaderRecord,
  MachineRecord,
  MemberRecord,
  ModelRecord,
  RelationRecord,
  StorageRecord,
  SecretRecord,
  TaskRecord,
  UnitRecord,
} from '../wire/agent-records.ts';
import type { News } from '../wire/facades/agent-watcher.ts';

/**
 * Records that the controller has sent to this agent (wire/agent-records.ts). After a lost connection the stream
 * starts anew: until it is complete again, the previous records stay.
 */
export class Mirror {
  #records = new Records();
  #incoming: Records | undefined = new Records();
  #complete = false;

  /** Whether every record about this agent has been received at least once. */
  get complete(): boolean {
    return this.#complete;
  }

  /** Starts a new stream: records that it does not name by its end are removed. */
  restart(): void {
    this.#incoming = new Records();
  }

  /** Applies records of the stream. Returns false while the mirror is not complete. */
  apply({ records, complete }: News): boolean {
    const target = this.#incoming ?? this.#records;
    for (const [key, value] of records) {
      if (value === null) target.forget(key);
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
  /** Secrets that may need a hook of the unit, by id. */
  secrets(unit: string): ReadonlyMap<string, SecretRecord> {
    return this.#records.group(`secret ${unit}`) as ReadonlyMap<string, SecretRecord>;
  }
  container(id: string): ContainerRecord | undefined {
    return this.#records.get(`container ${id}`) as ContainerRecord | undefined;
  }
  storage(id: string): StorageRecord | undefined {
    return this.#records.get(`storage ${id}`) as StorageRecord | undefined;
  }
  /** Returns the storage on this machine, or about to be. */
  storages(): StorageRecord[] {
    return [...this.#records.group('storage').values()] as StorageRecord[];
  }
  /** Containers on this machine. */
  containers(): ContainerRecord[] {
    return [...this.#records.group('container').values()] as ContainerRecord[];
  }
  unitNames(): string[] {
    return this.units()
      .map(([name]) => name)
      .sort(compareNames);
  }
  units(): [name: string, record: UnitRecord][] {
    return [...this.#records.group('unit')] as [string, UnitRecord][];
  }
  relations(): RelationRecord[] {
    return [...this.#records.group('relation').values()] as RelationRecord[];
  }
  members(relation: number): MemberRecord[] {
    return [...this.#records.group(`member ${relation}`).values()] as MemberRecord[];
  }
  /** Tasks of a receiver, oldest first. */
  tasks(receiver: string): TaskRecord[] {
    return ([...this.#records.group('task').values()] as TaskRecord[])
      .filter((task) => task.receiver === receiver)
      .sort((a, b) => compareNames(a.id, b.id));
  }

  hasRunningTask(): boolean {
    return ([...this.#records.group('task').values()] as TaskRecord[]).some(
      ({ status }) => status === 'running',
    );
  }

  /** Applies the agent's own change at once, before the stream reports it. */
  containerIs(record: ContainerRecord): void {
    if (this.container(record.id)) this.#records.set(`container ${record.id}`, record);
  }
  resolvedCleared(unit: string): void {
    const record = this.unit(unit);
    if (record) this.#records.set(`unit ${unit}`, { ...record, resolved: '' });
  }
}

/** Records by group and by the rest of their key, so that the records of one relation are found without the others. */
class Records {
  readonly #groups = new Map<string, Map<string, AgentRecord>>();

  get(key: string): AgentRecord | undefined {
    return this.#groups.get(groupOf(key))?.get(restOf(key));
  }

  set(key: string, record: AgentRecord): void {
    const name = groupOf(key);
    let group = this.#groups.get(name);
    if (!group) this.#groups.set(name, (group = new Map()));
    group.set(restOf(key), record);
  }

  /** Removes a record. A removed relation takes its members along, which the stream does not remove one by one. */
  forget(key: string): void {
    this.#groups.get(groupOf(key))?.delete(restOf(key));
    const [kind, id] = key.split(' ');
    if (kind !== 'relation') return;
    this.#groups.delete(`member ${id}`);
    this.#groups.delete(`app-settings ${id}`);
  }

  group(name: string): ReadonlyMap<string, AgentRecord> {
    return this.#groups.get(name) ?? none;
  }
}

const none: ReadonlyMap<string, AgentRecord> = new Map();

/** Returns the group of a key: `unit mysql/0` → `unit`; `member 7 mysql/0` → `member 7`. */
function groupOf(key: string): string {
  return key.slice(0, Math.max(key.lastIndexOf(' '), 0)) || key;
}

/**
 * Returns the part of the key that tells the record from others of its group: `unit mysql/0` → `mysql/0`; `model` →
 * `model`.
 */
function restOf(key: string): string {
  return key.slice(key.lastIndexOf(' ') + 1);
}
