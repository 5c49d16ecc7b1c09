/**
 * The rules of lives as a second implementation: written from docs/reference (lives.md#impediments,
 * removal.md#refusals), not from the code that is compared with it. The rules say what an operator's command or an
 * agent's step does, or why it is refused.
 */
import {
  containersOn,
  hasMembers,
  isAwaited,
  isBusy,
  isMember,
  isOrphan,
  principalsOn,
  relationsOf,
  scopesOf,
  subordinatesOf,
  wantedBy,
  type Facts,
  type Living,
  type Relation,
} from './facts.ts';
import { meetings } from './meetings.ts';
import { addContainer, addMachine, addUnit, take } from './make.ts';
import { requiresOf, settle } from './requirements.ts';
import { Refused, refuseIf, existing } from './refused.ts';
import type { Command, Move, StorageVerb } from './step.ts';
import {
  endStorageOf,
  forgetMachineOf,
  giveStorage,
  holdsStorage,
  leaveUnit,
  storagesOf,
} from './storage.ts';

type Do<T, D> = T extends { do: infer All } ? (D extends All ? T : never) : never;
type Operators = {
  [D in Exclude<Command['do'], StorageVerb>]: (facts: Facts, command: Do<Command, D>) => void;
};
type Agents = {
  [
    D in Exclude<Move['do'], 'clean' | 'place' | 'provision' | 'provision-vainly' | 'undertake' | StorageVerb>
  ]: (facts: Facts, move: Do<Move, D>) => void;
};

export const operators: Operators = {
  deploy(facts, { application, charm, units, require = [], after = '' }) {
    refuseIf(facts.applications.has(application), 'already exists');
    aliveModel(facts);
    const subordinate = charm === 'log' || charm === 'ship';
    // Subordinate units are created only with their principals.
    refuseIf(subordinate && units > 0, '');
    refuseIf(
      require.some((one) => !requiresOf(charm).includes(one)),
      'not valid',
    );
    facts.applications.set(application, {
      life: 'alive',
      charm,
      subordinate,
      require,
      closed: after,
      pending: false,
      destroysStorage: false,
    });
    if (charm === 'db')
      facts.relations.set(take(facts, 'relation'), {
        life: 'alive',
        key: `${application}:cluster`,
        applications: [application],
        container: false,
      });
    settle(facts);
    for (let n = 0; n < units; n++) addPrincipal(facts, application, '');
  },

  'add-unit'(facts, { application, to, container, attach }) {
    const { life, subordinate } = existing(facts.applications, application);
    refuseIf(life !== 'alive' || subordinate, '');
    aliveModel(facts);
    const where = container ? `lxd:${to ?? ''}` : to === undefined ? '' : `#:${to}`;
    addPrincipal(facts, application, where, attach);
  },

  'add-machine'(facts, { to, container }) {
    aliveModel(facts);
    const made = { reaped: false, clean: true };
    if (container) addContainer(facts, to, made);
    else addMachine(facts, made);
  },

  integrate(facts, { ends }) {
    aliveModel(facts);
    const applications = ends.map((end) => end.split(':')[0]!);
    for (const name of applications) existing(facts.applications, name);
    const meeting = meetings[ends.map((end) => asCharm(facts, end)).join(' ')];
    refuseIf(!meeting || applications[0] === applications[1], '');
    const key = ends.join(' ');
    // A relation's canonical name is unique, also while the last one of that name is dying.
    refuseIf(findRelation(facts, key), 'already exists');
    for (const name of applications) refuseIf(existing(facts.applications, name).life !== 'alive', '');
    const container = meeting === 'container';
    facts.relations.set(take(facts, 'relation'), { life: 'alive', key, applications, container });
    settle(facts);
  },

  'remove-unit'(facts, { unit: name, force, destroy }) {
    const unit = existing(facts.units, name);
    // A subordinate is removed through its principal or relation; force is allowed once that has begun.
    refuseIf(unit.principal !== undefined && (force === undefined || unit.life === 'alive'), '');
    endUnit(facts, name, deadlineOf(facts, force), destroy);
  },

  'remove-application'(facts, { application, force, destroy }) {
    existing(facts.applications, application).destroysStorage ||= destroy === true;
    endApplication(facts, application, deadlineOf(facts, force));
  },

  'remove-relation'(facts, { ends, force }) {
    for (const end of ends) existing(facts.applications, end.split(':')[0]!);
    const id = findRelation(facts, ends.join(' '));
    if (id === undefined) throw new Refused('not found');
    endRelation(facts, id, deadlineOf(facts, force));
    settle(facts);
  },

  'remove-machine'(facts, { machine: id, keep, force }) {
    const machine = existing(facts.machines, id);
    refuseIf(machine.controller, '');
    if (force === undefined) {
      const busy = principalsOn(facts, id).some(
        ([, unit]) => unit.life === 'alive' && facts.applications.get(unit.application)?.life === 'alive',
      );
      refuseIf(busy, 'machine has assigned units');
      refuseIf(containersOn(facts, id).length > 0, 'machine is hosting containers');
    }
    endMachine(facts, id, deadlineOf(facts, force), keep === true);
  },

  'open-gate'(facts, { application, after }) {
    const one = facts.applications.get(application);
    if (one?.life !== 'alive' || one.closed !== after) return;
    one.closed = '';
    settle(facts);
  },

  'require-endpoints'(facts, { mode }) {
    if (!facts.model) throw new Refused('not found');
    facts.requires = mode;
    settle(facts);
  },

  'destroy-model'(facts, { force, storage = facts.storageEnd }) {
    if (!facts.model) throw new Refused('not found');
    const outlives = [...facts.storages.values()].some(({ own }) => !own);
    refuseIf(outlives && storage === '', 'controller/model has persistent storage');
    facts.storageEnd = storage;
    end(facts.model, deadlineOf(facts, force));
  },

  wait(facts, { ms }) {
    facts.now += ms;
  },

  'lose-agent'(facts, { machine }) {
    facts.lost.add(machine);
  },
};

export const agents: Agents = {
  deployed(facts, { unit: name }) {
    const unit = existing(facts.units, name);
    if (unit.deployed) return;
    refuseIf(unit.life !== 'alive', 'dead');
    unit.deployed = true;
  },

  enter(facts, { unit: name, relation: id }) {
    const unit = existing(facts.units, name);
    const relation = facts.relations.get(id);
    // Scopes are entered only while both the relation and the unit are alive.
    if (!relation || relation.life !== 'alive' || unit.life !== 'alive')
      throw new Refused('cannot enter scope');
    refuseIf(!isMember(facts, unit, relation), 'cannot enter scope');
    if (facts.scopes.has(`${id}#${name}`)) return;
    if (relation.container && unit.principal === undefined) bringSubordinate(facts, name, relation);
    facts.scopes.set(`${id}#${name}`, { unit: name, relation: id, departing: false });
  },

  'prepare-leave'(facts, { unit, relation }) {
    const scope = facts.scopes.get(`${relation}#${unit}`);
    if (scope) scope.departing = true;
  },

  leave(facts, { unit, relation }) {
    leave(facts, unit, relation);
  },

  'destroy-subordinates'(facts, { unit }) {
    for (const [name] of subordinatesOf(facts, unit)) endUnit(facts, name);
  },

  'destroy-orphan'(facts, { unit: name }) {
    const unit = existing(facts.units, name);
    const going = facts.applications.get(unit.application)?.life !== 'alive';
    if (going || isOrphan(facts, unit)) endUnit(facts, name);
  },

  'unit-dead'(facts, { unit: name }) {
    const unit = existing(facts.units, name);
    if (unit.life === 'dead') return;
    // The removal of the unit was not requested.
    refuseIf(unit.life === 'alive', '');
    refuseIf(subordinatesOf(facts, name).length > 0, 'unit has subordinates');
    refuseIf(scopesOf(facts, name).length > 0 || storagesOf(facts, name).length > 0, '');
    unit.life = 'dead';
  },

  recall(facts, { unit: name }) {
    const unit = facts.units.get(name);
    if (!unit) return;
    refuseIf(unit.life === 'alive' || (unit.life === 'dying' && unit.deployed), '');
    refuseIf(subordinatesOf(facts, name).length > 0, 'unit has subordinates');
    dropUnit(facts, name);
  },

  'machine-dead'(facts, { machine: id }) {
    const machine = existing(facts.machines, id);
    if (machine.life === 'dead') return;
    refuseIf(machine.life === 'alive' || machine.controller, '');
    refuseIf(principalsOn(facts, id).length > 0, 'machine has assigned units');
    refuseIf(containersOn(facts, id).length > 0, 'machine is hosting containers');
    refuseIf(holdsStorage(facts, id), '');
    machine.life = 'dead';
  },
};

/**
 * Begins the removal of a unit and its subordinates. Units that no agent has taken up are removed at once. Dependants
 * of a forced entity have no deadline of their own: there is one wait only.
 */
export function endUnit(facts: Facts, name: string, deadline?: number, destroy?: true): void {
  const unit = facts.units.get(name);
  if (!unit) return;
  for (const [one] of subordinatesOf(facts, name)) endUnit(facts, one);
  end(unit, deadline);
  const { life, destroysStorage } = existing(facts.applications, unit.application);
  endStorageOf(facts, name, destroy ?? (life !== 'alive' && destroysStorage));
  if (!unit.deployed && subordinatesOf(facts, name).length === 0) dropUnit(facts, name);
}

/** Begins the removal of an application: its relations are dying or removed; its units follow one by one. */
export function endApplication(facts: Facts, name: string, deadline: number | undefined): void {
  const application = facts.applications.get(name);
  if (!application) return;
  end(application, deadline);
  for (const [id] of relationsOf(facts, name)) endRelation(facts, id);
  settle(facts);
  dropApplicationIfFree(facts, name);
}

/** Begins the removal of a relation, which ends at once when it has no members. */
function endRelation(facts: Facts, id: string, deadline?: number): void {
  const relation = facts.relations.get(id);
  if (!relation) return;
  end(relation, deadline);
  dropRelationIfEmpty(facts, id);
}

/** Begins the removal of a machine; with force, everything on it is removed with it. */
export function endMachine(facts: Facts, id: string, deadline: number | undefined, keep: boolean): void {
  const machine = facts.machines.get(id);
  if (!machine) return;
  end(machine, deadline);
  machine.keep ||= keep;
  // A container that is to be kept keeps its host, even a host that was made for it.
  const host = facts.machines.get(machine.parent ?? '');
  if (host?.life === 'alive' && machine.keep && machine.begun) host.reaped = false;
  if (deadline !== undefined) endContents(facts, id, machine.keep);
  releaseMachine(facts, id);
}

function endContents(facts: Facts, id: string, keep: boolean): void {
  for (const [container] of containersOn(facts, id)) {
    endMachine(facts, container, undefined, keep);
    endContents(facts, container, keep);
  }
  for (const [unit] of principalsOn(facts, id)) endUnit(facts, unit);
}

/**
 * Removes a machine without units and containers, if it was made for units and no unit waits for it. A dying machine
 * that never started does not wait for an agent; a machine whose last unit was forced does not wait longer.
 */
export function releaseMachine(facts: Facts, id: string, deadline?: number): void {
  const machine = facts.machines.get(id);
  if (!machine || machine.controller || isBusy(facts, id) || holdsStorage(facts, id)) return;
  if ((machine.reaped && !isAwaited(facts, id)) || machine.life === 'dying') end(machine, deadline);
  if (machine.life !== 'alive' && !machine.begun) dropMachine(facts, id);
}

export function dropMachine(facts: Facts, id: string): void {
  const machine = facts.machines.get(id);
  facts.machines.delete(id);
  forgetMachineOf(facts, id);
  if (machine?.parent !== undefined) releaseMachine(facts, machine.parent, machine.deadline);
}

export function leave(facts: Facts, unit: string, relation: string): void {
  facts.scopes.delete(`${relation}#${unit}`);
  dropRelationIfEmpty(facts, relation);
}

/**
 * Removes a unit's record and everything that only it was holding: its relations, its application, the machine made
 * for it.
 */
export function dropUnit(facts: Facts, name: string): void {
  const unit = existing(facts.units, name);
  end(unit, existing(facts.applications, unit.application).deadline);
  for (const { relation } of scopesOf(facts, name)) leave(facts, name, relation);
  facts.units.delete(name);
  for (const [id] of storagesOf(facts, name)) leaveUnit(facts, id);
  dropApplicationIfFree(facts, unit.application);
  if (unit.principal !== undefined) return;
  releaseMachine(facts, unit.machine, unit.deadline);
  const wanted = unit.machine === '' ? wantedBy(unit) : undefined;
  if (wanted !== undefined && facts.machines.get(wanted)?.life === 'alive') releaseMachine(facts, wanted);
}

/** Removes a dying relation without members, and dying applications that only it was holding. */
function dropRelationIfEmpty(facts: Facts, id: string): void {
  const relation = facts.relations.get(id);
  if (!relation || relation.life === 'alive' || hasMembers(facts, id)) return;
  facts.relations.delete(id);
  for (const name of relation.applications) dropApplicationIfFree(facts, name);
}

/** Removes a dying application without units and without members in its relations, which are removed with it. */
function dropApplicationIfFree(facts: Facts, name: string): void {
  const application = facts.applications.get(name);
  if (!application || application.life === 'alive') return;
  for (const unit of facts.units.values()) if (unit.application === name) return;
  const relations = relationsOf(facts, name);
  if (relations.some(([id]) => hasMembers(facts, id))) return;
  for (const [id] of relations) facts.relations.delete(id);
  facts.applications.delete(name);
  for (const [, relation] of relations)
    for (const other of relation.applications) dropApplicationIfFree(facts, other);
}

/** Marks an entity as dying: the first request counts for its life, the earliest deadline for force. */
export function end(entity: Living, deadline: number | undefined): void {
  if (entity.life === 'alive') entity.life = 'dying';
  if (deadline !== undefined) entity.deadline = Math.min(entity.deadline ?? Infinity, deadline);
}

/** Adds a unit that is no subordinate, with its storage. */
function addPrincipal(facts: Facts, application: string, where: string, attach?: string): void {
  const unit = addUnit(facts, { application, where });
  const { charm } = existing(facts.applications, application);
  if (charm === 'store' || charm === 'safe') giveStorage(facts, unit, charm === 'safe', attach);
}

/** Creates one subordinate for a principal, unless the last one is still dying. */
function bringSubordinate(facts: Facts, principal: string, relation: Relation): void {
  const application = relation.applications.find((name) => facts.applications.get(name)?.subordinate);
  if (application === undefined) return;
  for (const [, unit] of subordinatesOf(facts, principal)) {
    if (unit.application !== application) continue;
    refuseIf(unit.life !== 'alive', 'cannot enter scope yet');
    return;
  }
  addUnit(facts, { application, principal });
}

function deadlineOf(facts: Facts, force: number | undefined): number | undefined {
  return force === undefined ? undefined : facts.now + force;
}

function aliveModel({ model }: Facts): void {
  refuseIf(!model, 'not found');
  refuseIf(model?.life !== 'alive', '');
}

/** Returns the endpoint by charm: `web2:db` → `web:db`. */
function asCharm(facts: Facts, end: string): string {
  const [application, endpoint] = end.split(':');
  return `${existing(facts.applications, application ?? '').charm}:${endpoint}`;
}

function findRelation(facts: Facts, key: string): string | undefined {
  for (const [id, relation] of facts.relations) if (relation.key === key) return id;
  return undefined;
}
