/** Second part of the rules: acts of workers, and acts that agents may do at any time. */
import {
  containersOn,
  isBusy,
  isLost,
  isMember,
  isOrphan,
  principalsOn,
  relationsOf,
  scopesOf,
  subordinatesOf,
  type Facts,
  type Living,
  type Machine,
} from './facts.ts';
import {
  agents,
  dropMachine,
  dropUnit,
  end,
  endApplication,
  endMachine,
  endUnit,
  leave,
  operators,
  releaseMachine,
} from './rules.ts';
import { placeOf } from './make.ts';
import { Refused } from './refused.ts';
import type { Move, Step } from './step.ts';
import { endStorage, foundVolume, letGo, loseHolder } from './storage.ts';
import { followStorage } from './storage-steps.ts';

/**
 * Changes the facts as the step says. Throws Refused, after which the facts are unusable. The cleaner and the
 * undertaker do everything possible at once: the rules do not say in which order.
 */
export function follow(facts: Facts, step: Step): void {
  switch (step.do) {
    case 'clean':
      return clean(facts);
    case 'undertake':
      return undertake(facts);
    case 'place':
      return place(facts);
    case 'provision':
      return provision(facts, step.machine, true);
    case 'provision-vainly':
      return provision(facts, step.machine, false);
    case 'attach-storage':
    case 'detach-storage':
    case 'remove-storage':
    case 'mount':
    case 'unmount':
    case 'release-storage':
    case 'import-filesystem':
    case 'give-up-import':
    case 'make':
    case 'erase':
    case 'volume':
    case 'volume-unrecorded':
      return followStorage(facts, step);
    default:
      return (follows[step.do] as (facts: Facts, step: Step) => void)(facts, step);
  }
}

const follows = { ...operators, ...agents };

/**
 * Assigns machines to units that do not wait any more, one application after the other; a unit without a possible
 * machine goes on waiting.
 */
export function place(facts: Facts): void {
  if (facts.model?.life !== 'alive') return;
  for (const [name, application] of facts.applications) {
    if (application.life !== 'alive' || application.pending) continue;
    const waiting = [...facts.units.values()].filter(
      (unit) => unit.application === name && unit.machine === '' && !isOrphan(facts, unit),
    );
    for (const unit of waiting) {
      try {
        unit.machine = placeOf(facts, unit.principal, unit.wants ?? '');
        unit.wants = undefined;
        unit.problem = false;
      } catch (error) {
        if (!(error instanceof Refused)) throw error;
        unit.problem = true;
      }
    }
  }
}

/** Removes units of dying applications, orphaned subordinates, and forced entities at their deadline. */
export function clean(facts: Facts): void {
  for (let changed = true; changed;) changed = followOne(facts) || clearOne(facts);
}

function followOne(facts: Facts): boolean {
  for (const [name, unit] of facts.units) {
    if (unit.life !== 'alive') continue;
    const application = facts.applications.get(unit.application);
    if (application?.life === 'alive' && !isOrphan(facts, unit)) continue;
    endUnit(facts, name);
    return true;
  }
  return false;
}

export function clearDue(facts: Facts): void {
  while (clearOne(facts));
}

/** Clears one forced entity without its agent. Returns whether there was one. */
function clearOne(facts: Facts): boolean {
  const due = ({ deadline }: Living): boolean => deadline !== undefined && deadline <= facts.now;
  for (const [name, application] of facts.applications) {
    if (!due(application)) continue;
    for (const [unit, { application: of }] of facts.units)
      if (of === name) clearUnit(facts, unit, application.deadline);
    for (const [id] of relationsOf(facts, name)) clearRelation(facts, id);
    return true;
  }
  for (const [name, unit] of facts.units) if (due(unit)) return clearUnit(facts, name, unit.deadline);
  for (const [id, relation] of facts.relations) if (due(relation)) return clearRelation(facts, id);
  for (const [id, machine] of facts.machines)
    if (due(machine) && machine.life !== 'dead') return clearMachine(facts, id, machine);
  return false;
}

/** Clears a unit. A machine that is removed with the unit is not waited for either. */
function clearUnit(facts: Facts, name: string, deadline: number | undefined): true {
  for (const [one] of subordinatesOf(facts, name)) clearUnit(facts, one, deadline);
  const unit = facts.units.get(name);
  if (!unit) return true;
  dropUnit(facts, name);
  const machine = facts.machines.get(unit.machine);
  if (unit.principal === undefined && machine?.life === 'dying' && !isBusy(facts, unit.machine))
    end(machine, deadline);
  return true;
}

function clearRelation(facts: Facts, id: string): true {
  for (const scope of facts.scopes.values()) if (scope.relation === id) leave(facts, scope.unit, id);
  return true;
}

/** Marks the machine dead; its record stays until its instance is released. */
function clearMachine(facts: Facts, id: string, machine: Machine): true {
  for (const [container, one] of containersOn(facts, id)) {
    clearMachine(facts, container, one);
    // A container's instance is part of its host's.
    if (facts.machines.has(container)) dropMachine(facts, container);
  }
  for (const [unit] of principalsOn(facts, id)) clearUnit(facts, unit, machine.deadline);
  machine.life = 'dead';
  releaseMachine(facts, id);
  return true;
}

/** Removes everything in a dying model in order; the record goes last. */
export function undertake(facts: Facts): void {
  const { model } = facts;
  if (!model || model.life === 'alive') return;
  const deadline = model.deadline === undefined ? undefined : Math.max(model.deadline, facts.now);
  for (const [name, application] of facts.applications) {
    if (application.life !== 'alive' && deadline === undefined) continue;
    application.destroysStorage ||= facts.storageEnd === 'destroy';
    endApplication(facts, name, deadline);
  }
  for (const [id, { life, controller }] of facts.machines) {
    if (controller || (life !== 'alive' && deadline === undefined) || life === 'dead') continue;
    const blocked =
      containersOn(facts, id).length > 0 ||
      principalsOn(facts, id).some(
        ([, unit]) => unit.life === 'alive' && facts.applications.get(unit.application)?.life === 'alive',
      );
    if (deadline !== undefined || !blocked) endMachine(facts, id, deadline, false);
  }
  for (const [id, storage] of facts.storages) {
    if (storage.unit !== '' || storage.ending !== '') continue;
    endStorage(storage, facts.storageEnd === 'destroy' || storage.own ? 'destroy' : 'release');
    const machine = letGo(facts, id);
    if (machine !== undefined) releaseMachine(facts, machine);
  }
  const { applications, units, machines, storages } = facts;
  if (applications.size + units.size + machines.size + storages.size > 0) return;
  // Provider resources with the model's tag are gone by then.
  facts.instances.clear();
  facts.kept.clear();
  for (const id of facts.volumes.keys()) if (id !== foundVolume) facts.volumes.delete(id);
  facts.storageEnd = '';
  facts.numbers.clear();
  facts.requires = 'declared';
  facts.model = undefined;
}

/**
 * Carries out the provisioner's next act, which never orphans an instance, and removes no record before its instance.
 */
function provision(facts: Facts, id: string, stops: boolean): void {
  const machine = facts.machines.get(id);
  if (!machine || machine.controller) return;
  const { parent } = machine;
  // The provisioner of a container is the agent of its host.
  if (parent !== undefined && (isLost(facts, parent) || !facts.machines.get(parent)?.recorded)) return;
  const running = facts.instances.has(id);
  switch (machine.life) {
    case 'alive':
      if (machine.recorded) return;
      if (running) machine.recorded = true;
      else {
        machine.begun = true;
        facts.instances.add(id);
      }
      return;
    case 'dying':
      // The machine's agent has yet to end the units and containers on the machine.
      if (machine.recorded) return;
      if (isBusy(facts, id)) {
        if (running) machine.recorded = true;
        return;
      }
      // No agent will ever release the instance.
      if (running && !machine.keep && stops) release(facts, id);
      else machine.life = 'dead';
      return;
    case 'dead':
      if (running && !machine.keep) {
        if (stops) release(facts, id);
      } else {
        if (running) facts.kept.add(id);
        dropMachine(facts, id);
      }
  }
}

/** Releases an instance with all containers in it. */
function release(facts: Facts, id: string): void {
  for (const one of facts.instances) if (one === id || one.startsWith(`${id}/`)) facts.instances.delete(one);
  loseHolder(facts, id);
}

/**
 * Returns every step that agents and workers might try now. Agents see changes late: steps that come too early or too
 * late are tried as well, if an agent would ever take them.
 */
export function moves(facts: Facts): Move[] {
  const found: Move[] = [];
  for (const [unit, { life, deployed, machine, application, principal }] of facts.units) {
    // No agent runs without an instance.
    if (isLost(facts, machine) || !facts.machines.get(machine)?.recorded) continue;
    if (!deployed) {
      found.push({ do: 'deployed', unit }, { do: 'recall', unit });
      continue;
    }
    const scopes = scopesOf(facts, unit);
    if (life === 'alive') {
      for (const [relation, one] of relationsOf(facts, application))
        if (isMember(facts, facts.units.get(unit)!, one) && !facts.scopes.has(`${relation}#${unit}`))
          found.push({ do: 'enter', unit, relation });
      if (principal !== undefined || facts.applications.get(application)?.life !== 'alive')
        found.push({ do: 'destroy-orphan', unit });
    }
    if (life !== 'dead') found.push({ do: 'unit-dead', unit });
    if (life === 'dying') found.push({ do: 'destroy-subordinates', unit });
    for (const { relation, departing } of scopes) {
      if (life === 'alive' && facts.relations.get(relation)?.life === 'alive') continue;
      if (!departing) found.push({ do: 'prepare-leave', unit, relation });
      else found.push({ do: 'leave', unit, relation });
    }
    if (life !== 'alive') found.push({ do: 'recall', unit });
  }
  for (const [machine, { life, recorded }] of facts.machines) {
    if (life === 'dying' && recorded && !isLost(facts, machine)) found.push({ do: 'machine-dead', machine });
    found.push({ do: 'provision', machine });
    if (life !== 'alive' && facts.instances.has(machine)) found.push({ do: 'provision-vainly', machine });
  }
  found.push(...storageMoves(facts));
  if (facts.model) found.push({ do: 'clean' });
  if ([...facts.units.values()].some(({ machine }) => machine === '')) found.push({ do: 'place' });
  if (facts.model && facts.model.life !== 'alive') found.push({ do: 'undertake' });
  return found;
}

function* storageMoves(facts: Facts): Iterable<Move> {
  for (const [storage, one] of facts.storages) {
    const { own, unit, leaving, machine, made, attached, mounted, ending } = one;
    if (one.adopting && ending === '') yield { do: 'give-up-import', storage };
    if (!own) yield { do: 'volume', storage };
    if (!own) yield { do: 'volume-unrecorded', storage };
    if (machine === '' || isLost(facts, machine) || !facts.machines.get(machine)?.recorded) continue;
    if (leaving && facts.units.get(unit)?.deployed) yield { do: 'release-storage', unit, storage };
    if (mounted && unit === '') yield { do: 'unmount', storage };
    // The storage may leave its unit while mounted.
    if ((own ? made : attached) && !mounted && unit !== '') yield { do: 'mount', storage };
    if (own && !made && unit !== '') yield { do: 'make', storage };
    if (own && ending !== '') yield { do: 'erase', storage };
  }
}
