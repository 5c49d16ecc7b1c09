/**
 * State of the reference model: only what the rules of lives mention. The model is independent of the code under test
 * and imports nothing of it.
 */

export type Life = 'alive' | 'dying' | 'dead';

export interface Living {
  life: Life;
  /** Time at which the rest of a forced removal is cleared. */
  deadline?: number | undefined;
}
export interface Application extends Living {
  charm: string;
  subordinate: boolean;
  /** Endpoints that are required regardless of charm and model. */
  require: readonly string[];
  /** Application whose health the application waits for; '' = none, or it was healthy. */
  closed: string;
  /** Whether a requirement of the application is missing: its new units wait. */
  pending: boolean;
  /** Whether the storage of the application's units is destroyed with it. */
  destroysStorage: boolean;
}
interface Unit extends Living {
  application: string;
  principal: string | undefined;
  /** Machine of the unit; '' = unplaced. */
  machine: string;
  /** Placement of an unplaced unit: `lxd:0`, '' = anywhere. */
  wants: string | undefined;
  /** Whether the requested placement is impossible. */
  problem: boolean;
  deployed: boolean;
}
export interface Machine extends Living {
  parent: string | undefined;
  /** Whether the machine is removed with its last unit. */
  reaped: boolean;
  /** Whether the machine was made by add-machine and never had a unit. */
  clean: boolean;
  keep: boolean;
  controller: boolean;
  /** Whether the machine's start has begun: an instance with its tag belongs to it. */
  begun: boolean;
  /** Whether the instance is in the machine's record. */
  recorded: boolean;
}
export interface Relation extends Living {
  /** Key of the relation: `web:db db:server`. */
  key: string;
  applications: readonly string[];
  container: boolean;
}
interface Scope {
  unit: string;
  relation: string;
  departing: boolean;
}

/** Storage that the cloud holds, or a machine's own disk. */
export interface Storage {
  /** Whether a machine's own disk holds the storage, which goes with the machine. */
  own: boolean;
  /** Whether the storage was imported: its volume is, or will be, one that the cloud had before the model. */
  found: boolean;
  /** Whether the storage is still being imported. */
  adopting: boolean;
  /** Unit that uses the storage; '' = none. */
  unit: string;
  /** Whether the unit is to let the storage go. */
  leaving: boolean;
  /** Machine that the storage is, or is to be, on. */
  machine: string;
  /** Machine whose instance may have the volume. */
  holder: string;
  made: boolean;
  attached: boolean;
  /** Whether the machine's agent has, or may have, mounted the storage. */
  mounted: boolean;
  ending: '' | 'destroy' | 'release';
}

/** Endpoints that are required: declared ones; all but those declared optional; none. */
export type RequireMode = 'declared' | 'all' | 'none';

export interface Facts {
  now: number;
  /** Life of the model; undefined when the model is gone. */
  model: Living | undefined;
  /** Fate of storage when the model ends. */
  storageEnd: Storage['ending'];
  /** The model's setting for required endpoints. */
  requires: RequireMode;
  applications: Map<string, Application>;
  units: Map<string, Unit>;
  machines: Map<string, Machine>;
  relations: Map<string, Relation>;
  /** Scopes by `<relation>#<unit>`. */
  scopes: Map<string, Scope>;
  storages: Map<string, Storage>;
  /** The cloud's volumes by their storage, with the machine whose instance has it; '' = none. */
  volumes: Map<string, string>;
  /** Sequence → the next number. */
  numbers: Map<string, number>;
  /** Machines whose instance exists at the provider. */
  instances: Set<string>;
  /** Machines whose instance was kept on removal. */
  kept: Set<string>;
  /** Machines whose agents are lost permanently. */
  lost: Set<string>;
}

export function copyFacts(facts: Facts): Facts {
  return {
    now: facts.now,
    model: facts.model && { ...facts.model },
    requires: facts.requires,
    storageEnd: facts.storageEnd,
    applications: copyMap(facts.applications),
    units: copyMap(facts.units),
    machines: copyMap(facts.machines),
    relations: copyMap(facts.relations),
    scopes: copyMap(facts.scopes),
    storages: copyMap(facts.storages),
    volumes: new Map(facts.volumes),
    numbers: new Map(facts.numbers),
    instances: new Set(facts.instances),
    kept: new Set(facts.kept),
    lost: new Set(facts.lost),
  };
}

function copyMap<T extends object>(map: Map<string, T>): Map<string, T> {
  const copy = new Map<string, T>();
  for (const [key, value] of map) copy.set(key, { ...value });
  return copy;
}

export function subordinatesOf(facts: Facts, principal: string): [string, Unit][] {
  return [...facts.units].filter(([, one]) => one.principal === principal);
}

export function principalsOn(facts: Facts, machine: string): [string, Unit][] {
  return [...facts.units].filter(([, one]) => one.principal === undefined && one.machine === machine);
}

export function containersOn(facts: Facts, machine: string): [string, Machine][] {
  return [...facts.machines].filter(([, one]) => one.parent === machine);
}

export function relationsOf(facts: Facts, application: string): [string, Relation][] {
  return [...facts.relations].filter(([, one]) => one.applications.includes(application));
}

export function scopesOf(facts: Facts, unit: string): Scope[] {
  return [...facts.scopes.values()].filter((one) => one.unit === unit);
}

export function hasMembers(facts: Facts, relation: string): boolean {
  for (const scope of facts.scopes.values()) if (scope.relation === relation) return true;
  return false;
}

/** Whether no agent of the machine will respond: its own agent is lost, or everything on its host. */
export function isLost({ lost, machines }: Facts, machine: string): boolean {
  return lost.has(machine) || lost.has(machines.get(machine)?.parent ?? '');
}

export function isBusy(facts: Facts, machine: string): boolean {
  return principalsOn(facts, machine).length + containersOn(facts, machine).length > 0;
}

/** Returns the machine that an unplaced unit must be placed on, directly or in a container. */
export function wantedBy({ wants }: Unit): string | undefined {
  return wants?.split(':')[1] || undefined;
}

/** Whether an unplaced unit waits for the machine. */
export function isAwaited(facts: Facts, machine: string): boolean {
  return [...facts.units.values()].some((unit) => wantedBy(unit) === machine);
}

/** Whether a subordinate is not held by any alive relation between its application and its principal's. */
export function isOrphan(facts: Facts, unit: Unit): boolean {
  if (unit.principal === undefined) return false;
  const principal = facts.units.get(unit.principal)?.application ?? '';
  return !relationsOf(facts, unit.application).some(
    ([, one]) => one.life === 'alive' && one.container && one.applications.includes(principal),
  );
}

/**
 * Whether a unit takes part in a relation. A subordinate does not take part in its application's container relation
 * with another application than its principal's, unless that is a subordinate too.
 */
export function isMember(facts: Facts, unit: Unit, relation: Relation): boolean {
  if (!relation.applications.includes(unit.application)) return false;
  if (!relation.container || unit.principal === undefined) return true;
  const principal = facts.units.get(unit.principal)?.application;
  return relation.applications.some(
    (name) =>
      name === principal || (name !== unit.application && facts.applications.get(name)?.subordinate === true),
  );
}

export function sameFacts(a: Facts, b: Facts): boolean {
  return (
    a.now === b.now &&
    a.requires === b.requires &&
    a.storageEnd === b.storageEnd &&
    (a.model && b.model ? same(a.model, b.model) : a.model === b.model) &&
    sameMap(a.applications, b.applications, same) &&
    sameMap(a.units, b.units, same) &&
    sameMap(a.machines, b.machines, same) &&
    sameMap(a.relations, b.relations, same) &&
    sameMap(a.scopes, b.scopes, same) &&
    sameMap(a.storages, b.storages, same) &&
    sameMap(a.volumes, b.volumes, Object.is) &&
    sameMap(a.numbers, b.numbers, Object.is) &&
    sameSet(a.instances, b.instances) &&
    sameSet(a.kept, b.kept) &&
    sameSet(a.lost, b.lost)
  );
}

function sameMap<T>(a: Map<string, T>, b: Map<string, T>, equal: (x: T, y: T) => boolean): boolean {
  if (a.size !== b.size) return false;
  for (const [key, value] of a) {
    const other = b.get(key);
    if (other === undefined || !equal(value, other)) return false;
  }
  return true;
}

function sameSet(a: Set<string>, b: Set<string>): boolean {
  if (a.size !== b.size) return false;
  for (const one of a) if (!b.has(one)) return false;
  return true;
}

/**
 * Compares scalar members only: a relation's key names its applications, and its required endpoints do not change.
 */
function same<T extends object>(a: T, b: T): boolean {
  for (const key in a) if (a[key] !== b[key] && !Array.isArray(a[key])) return false;
  for (const key in b) if (!(key in a) && b[key] !== undefined) return false;
  return true;
}

/** Formats the facts as text, one line each, for comparison. */
export function sayFacts(facts: Facts): string {
  const lines: string[] = [];
  if (facts.model)
    lines.push(`model${sayLife(facts.model)} requires ${facts.requires}${saySet({ end: facts.storageEnd })}`);
  for (const [name, one] of facts.applications)
    lines.push(`application ${name}${sayLife(one)}${saySet(one, 'pending', 'destroysStorage')}`);
  for (const [name, one] of facts.units)
    lines.push(
      `unit ${name}${sayLife(one)} ${sayPlace(one)}${one.principal === undefined ? '' : ` beside ${one.principal}`}${one.deployed ? '' : ' undeployed'}`,
    );
  for (const [id, one] of facts.machines)
    lines.push(
      `machine ${id}${sayLife(one)}${one.reaped ? ' reaped' : ''}${one.clean ? ' clean' : ''}${one.keep ? ' keep' : ''}${one.begun ? ' begun' : ''}${one.recorded ? ' recorded' : ''}`,
    );
  for (const [id, one] of facts.relations) lines.push(`relation ${id} ${one.key}${sayLife(one)}`);
  for (const [id, { departing }] of facts.scopes) lines.push(`scope ${id}${departing ? ' departing' : ''}`);
  for (const [id, { unit, machine, holder, ending, ...one }] of facts.storages)
    lines.push(
      `storage ${id}${saySet({ unit, machine, holder, ending })}${saySet(one, 'own', 'found', 'adopting', 'leaving', 'made', 'attached', 'mounted')}`,
    );
  for (const [id, holder] of facts.volumes) lines.push(`volume ${id}${saySet({ holder })}`);
  for (const [name, next] of facts.numbers) lines.push(`next ${name} ${next}`);
  for (const id of facts.instances) lines.push(`instance ${id}`);
  for (const id of facts.kept) lines.push(`kept ${id}`);
  for (const id of facts.lost) lines.push(`lost ${id}`);
  return `${facts.now}\n${lines.sort().join('\n')}`;
}

/** Formats the names of the members that are set, with their texts: ` pending holder=0`. */
function saySet<T extends object>(one: T, ...keys: readonly (keyof T & string)[]): string {
  return (keys.length > 0 ? keys : (Object.keys(one) as (keyof T & string)[]))
    .flatMap((key) => (one[key] ? [` ${one[key] === true ? key : `${key}=${String(one[key])}`}`] : []))
    .join('');
}

function sayPlace({ machine, wants, problem }: Unit): string {
  if (machine !== '') return `on ${machine}`;
  return `unplaced${wants === undefined ? '' : ` to ${wants}`}${problem ? ' in vain' : ''}`;
}

function sayLife({ life, deadline }: Living): string {
  return `${life === 'alive' ? '' : ` ${life}`}${deadline === undefined ? '' : ` by ${deadline}`}`;
}
