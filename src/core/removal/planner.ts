import type { StorageDoc } from '../storage/document.ts';
import type { UnitDoc } from '../unit/document.ts';
import type { EntityRef } from '../entity-ref.ts';
import { impediments, type Impediment, type Refs } from '../impediments.ts';
import { placedOn } from '../placement.ts';
import { statusId } from '../status.ts';
import { orphansOf } from '../unit/orphan.ts';
import {
  Groups,
  dyingImmediately,
  unclaimedInstances,
  type Candidate,
  type Death,
  type Keep,
  type PlannedTarget,
  type RemovalOptions,
  type RemovalTarget,
  type Wait,
} from './plan.ts';
import { whyInstanceStays } from './instances.ts';
import { removalRefusal } from './refusal.ts';
import { scopeBlockers } from './scope-blockers.ts';
import { noLives, withDying } from './with-dying.ts';

/** Plans removals that are requested one after the other; used by planRemoval. Its generators yield every 200 steps. */
export class Planner {
  readonly keeps = new Groups<Keep>();
  readonly waits = new Groups<Wait>();
  /** Containers whose instances are to be kept, found after their hosts had already been taken for empty. */
  readonly keptLate = new Set<string>();
  readonly #refs: Refs;
  readonly #options: RemovalOptions;
  readonly #dying = noLives();
  /** Entities that the removals themselves set dying, as opposed to those that follow later. */
  readonly #setDyingNow = noLives();
  /** The model as the next removal will find it. */
  readonly #refsNow: Refs;
  #dies = new Groups<Death>();
  /** Dying entities whose consequences have not been followed yet. */
  #queue: EntityRef[] = [];
  /** Candidates that wait for an entity, by `<kind> <id>`. */
  readonly #waiting = new Map<string, Candidate[]>();
  readonly #candidates = new Set<string>();
  /** Subordinate applications that have lost a relation, so that some of their units may be orphans. */
  readonly #orphanedApplications = new Set<string>();
  /** The model as it is stored, without the planned removals. */
  readonly #recorded: Refs;
  readonly #touchedMachines = new Set<string>();
  readonly #keepInstance = new Set<string>();
  /** Machines that host a kept instance: they do not go when they are empty. */
  readonly #hostsOfKept = new Set<string>();
  #steps = 0;

  /** `kept`: machines that are removed with their instances kept. */
  constructor(refs: Refs, options: RemovalOptions, keptMachines: readonly string[]) {
    this.#recorded = refs;
    this.#refs = withDying(refs, this.#dying);
    this.#refsNow = withDying(refs, this.#setDyingNow);
    this.#options = options;
    for (const id of keptMachines) this.#keep(id);
  }

  *remove({ onceEmpty = false, ...entity }: RemovalTarget): Generator<void, PlannedTarget> {
    const found = removalRefusal(this.#refsNow, entity);
    const goes = ({ entity: one }: Impediment) => one && this.#dying[one.kind].has(one.id);
    const refusal = onceEmpty && found?.passedOver?.every(goes) ? undefined : found;
    if (refusal && !(this.#options.force && refusal.passedOver))
      return { entity, refusal, passedOver: [], dies: [] };
    this.#dies = new Groups();
    if (entity.kind === 'machine' && this.#options.keepInstance) this.#keep(entity.id);
    this.#markDying(entity, 'asked');
    while (this.#queue.length > 0 || this.#orphanedApplications.size > 0) {
      const queue = this.#queue;
      this.#queue = [];
      for (const next of queue) yield* this.#follow(next);
      if (this.#queue.length === 0) yield* this.#orphans();
    }
    return { entity, passedOver: refusal?.passedOver ?? [], dies: this.#dies.list() };
  }

  /** Adds what stays (`keeps`) and what is waited for (`waits`), once all targets are planned. */
  *addKeepsAndWaits(): Generator<void> {
    for (const id of this.#touchedMachines) {
      yield* this.#pause();
      if (!this.#dying.machine.has(id) && this.#dying.model.size === 0) this.#keepMachine(id);
    }
    for (const name of this.#dying.unit) {
      yield* this.#pause();
      const unit = this.#refs.get('unit', name);
      if (!unit?.deployed || unit.life === 'dead') continue;
      const failed = this.#refs.get('status', statusId('unit-agent', name))?.status === 'error';
      this.waits.add('unit', name, failed ? 'failed' : 'stop');
    }
    for (const id of this.#dying.relation)
      for (const { unit } of this.#refs.find('scope', 'local', id)) {
        yield* this.#pause();
        if (!this.#dying.unit.has(unit)) this.waits.add('unit', unit, 'leave', { kind: 'relation', id });
      }
    for (const id of this.#dying.machine) {
      yield* this.#pause();
      this.#addInstance(id);
      for (const { name } of this.#unitsAwaiting(id))
        this.keeps.add('unit', name, 'unplaceable', { kind: 'machine', id });
    }
  }

  #markDying(entity: EntityRef, reason: Death, of?: EntityRef): void {
    const { kind, id } = entity;
    // An entity that follows one which dies later dies later, too.
    const isNow = of === undefined || this.#setDyingNow[of.kind].has(of.id);
    if (isNow && dyingImmediately.has(reason)) this.#markDyingNow(entity);
    if (this.#dying[kind].has(id)) return;
    this.#dying[kind].add(id);
    this.#dies.add(kind, id, reason, of);
    this.#queue.push(entity);
  }

  /**
   * Entities that die in the removal's own transaction: a unit with its subordinates, a forced machine with all on it.
   */
  #markDyingNow({ kind, id }: EntityRef): void {
    this.#setDyingNow[kind].add(id);
    if (kind === 'unit')
      for (const { name } of this.#refs.find('unit', 'principal', id)) this.#setDyingNow.unit.add(name);
    if (kind !== 'machine' || !this.#options.force) return;
    for (const { name } of this.#refs.find('unit', 'machine', id)) this.#setDyingNow.unit.add(name);
    for (const container of this.#refs.find('machine', 'parent', id))
      this.#markDyingNow({ kind: 'machine', id: container.id });
  }

  *#follow(entity: EntityRef): Generator<void> {
    yield* this.#pause();
    yield* this.#followKind(entity);
    const key = `${entity.kind} ${entity.id}`;
    const waiting = this.#waiting.get(key);
    this.#waiting.delete(key);
    for (const candidate of waiting ?? []) this.#consider(candidate);
  }

  *#followKind(entity: EntityRef): Generator<void> {
    const { kind, id } = entity;
    switch (kind) {
      case 'unit':
        return this.#followUnit(id);
      case 'application':
        return yield* this.#followApplication(entity);
      case 'relation':
        return this.#followRelation(id);
      case 'machine':
        return yield* this.#followMachine(entity);
      case 'model':
        return yield* this.#followModel(entity);
    }
  }

  #followUnit(id: string): void {
    const refs = this.#refs;
    const unit = refs.get('unit', id);
    if (!unit) return;
    const of = { kind: 'application', id: unit.application } as const;
    for (const { name } of refs.find('unit', 'principal', unit.name))
      this.#markDying({ kind: 'unit', id: name }, 'subordinate-of', of);
    this.#endStorage(refs.find('storage', 'unit', id), { kind: 'unit', id });
    for (const { relation } of refs.find('scope', 'unit', unit.name)) {
      const life = refs.get('relation', relation)?.life;
      if (life !== undefined && life !== 'alive')
        this.#reconsider({ kind: 'relation', id: relation }, 'held');
    }
    const application = refs.get('application', unit.application);
    if (application && application.life !== 'alive')
      this.#reconsider({ kind: 'application', id: application.name }, 'held');
    if (unit.principal !== undefined) {
      const principal = refs.get('unit', unit.principal);
      if (principal && principal.life !== 'alive')
        this.#reconsider({ kind: 'unit', id: principal.name }, 'held');
    } else if (unit.machine !== undefined) this.#noteDeparture(unit.machine);
    else if (unit.unplaced?.placement) this.#reconsiderEmpty(placedOn(unit.unplaced.placement));
  }

  *#followApplication(entity: EntityRef): Generator<void> {
    const { id: name } = entity;
    for (const unit of this.#refs.find('unit', 'application', name)) {
      yield* this.#pause();
      this.#markDying({ kind: 'unit', id: unit.name }, 'unit-of', entity);
    }
    for (const relation of this.#refs.find('relation', 'application', name))
      this.#markDying({ kind: 'relation', id: String(relation.id) }, 'relation-of', entity);
    for (const offer of this.#refs.find('offer', 'application', name))
      this.#dies.add('offer', offer.name, 'offer-of', entity);
  }

  #followRelation(id: string): void {
    const relation = this.#refs.get('relation', id);
    for (const { application: name } of relation?.endpoints ?? []) {
      const application = this.#refs.get('application', name);
      if (!application || this.#dying.application.has(name)) continue;
      if (application.life !== 'alive') this.#reconsider({ kind: 'application', id: name }, 'held');
      else if (application.subordinate && relation?.endpoints[0]?.scope === 'container')
        this.#orphanedApplications.add(name);
    }
  }

  *#followMachine(entity: EntityRef): Generator<void> {
    const { id } = entity;
    for (const unit of this.#refs.find('unit', 'machine', id)) {
      yield* this.#pause();
      if (unit.principal !== undefined) continue;
      const occupant: EntityRef = { kind: 'unit', id: unit.name };
      if (this.#isGoing(occupant)) this.#markDying(occupant, 'dying');
      else this.#markDying(occupant, 'on', entity);
    }
    for (const container of this.#refs.find('machine', 'parent', id)) {
      const occupant: EntityRef = { kind: 'machine', id: container.id };
      if (container.life === 'alive') this.#markDying(occupant, 'container-of', entity);
      else this.#markDying(occupant, 'dying');
    }
    const { parent } = this.#refs.get('machine', id) ?? {};
    if (parent !== undefined) this.#noteDeparture(parent);
  }

  #endStorage(storages: Iterable<StorageDoc>, of: EntityRef): void {
    for (const { id, detachable } of storages)
      if (detachable && !this.#options.destroyStorage) this.keeps.add('storage', id, 'detached');
      else this.#dies.add('storage', id, of.kind === 'model' ? 'in' : 'attached-to', of);
  }

  *#followModel(entity: EntityRef): Generator<void> {
    this.#endStorage(this.#refs.find('storage', 'detached', 'detached'), entity);
    for (const id of unclaimedInstances(this.#refs, this.#options))
      this.#dies.add('instance', id, 'in', entity);
    for (const { name } of this.#refs.list('application')) {
      yield* this.#pause();
      this.#markDying({ kind: 'application', id: name }, 'in', entity);
    }
    for (const { id, isController } of this.#refs.list('machine')) {
      yield* this.#pause();
      // The controller's machine goes only with the controller itself.
      if (!isController) this.#markDying({ kind: 'machine', id }, 'in', entity);
    }
  }

  *#orphans(): Generator<void> {
    const applications = [...this.#orphanedApplications];
    this.#orphanedApplications.clear();
    for (const name of applications)
      for (const unit of orphansOf(this.#refs, name)) {
        yield* this.#pause();
        const principal = this.#refs.get('unit', unit.principal ?? '')?.application;
        const of = principal === undefined ? undefined : ({ kind: 'application', id: principal } as const);
        this.#markDying({ kind: 'unit', id: unit.name }, 'orphan-of', of);
      }
  }

  /** Notes that a unit or container of the machine goes, and reconsiders the machine. */
  #noteDeparture(id: string): void {
    this.#touchedMachines.add(id);
    const machine = this.#refs.get('machine', id);
    if (machine && machine.life !== 'alive' && !machine.isController)
      this.#reconsider({ kind: 'machine', id }, 'held');
    else this.#reconsiderEmpty(id);
  }

  /**
   * Reconsiders a machine that loses a unit waiting to be placed on it: the machine may have stayed only for that unit.
   */
  #reconsiderEmpty(id: string | undefined): void {
    const machine = id === undefined ? undefined : this.#refs.get('machine', id);
    if (machine?.life === 'alive' && machine.removeWhenEmpty && !machine.isController)
      this.#reconsider({ kind: 'machine', id: machine.id }, 'emptied');
  }

  /** A unit that stays and is to be placed on the machine when its requirements are met. */
  #unitAwaiting(id: string): UnitDoc | undefined {
    for (const unit of this.#unitsAwaiting(id)) return unit;
    return undefined;
  }

  *#unitsAwaiting(id: string): Iterable<UnitDoc> {
    for (const unit of this.#refs.find('unit', 'named', id))
      if (!this.#dying.unit.has(unit.name) && !this.#isGoing({ kind: 'unit', id: unit.name })) yield unit;
  }

  #keep(id: string): void {
    this.#keepInstance.add(id);
    for (const container of this.#refs.find('machine', 'parent', id)) this.#keepInstance.add(container.id);
    const { parent, nonce, instance } = this.#refs.get('machine', id) ?? {};
    if (parent === undefined || (nonce === undefined && !instance)) return;
    if (!this.#hostsOfKept.has(parent) && this.#dying.machine.has(parent)) this.keptLate.add(id);
    this.#hostsOfKept.add(parent);
  }

  /** Reconsiders an entity that may have lost its last impediment. */
  #reconsider(entity: EntityRef, reason: Death): void {
    const key = `${entity.kind} ${entity.id}`;
    if (this.#dying[entity.kind].has(entity.id) || this.#candidates.has(key)) return;
    this.#candidates.add(key);
    this.#consider(this.#candidate(entity, reason, 4));
  }

  /** The first `most` impediments are read: one that stays is often among the first of very many. */
  #candidate(entity: EntityRef, reason: Death, most: number): Candidate {
    const found = impediments(entity, this.#refs, most);
    return { entity, reason, impediments: found, next: 0, complete: found.length < most };
  }

  #consider(candidate: Candidate): void {
    const { entity, impediments: found } = candidate;
    for (; candidate.next < found.length; candidate.next++) {
      const blockers = this.#blockers(entity, found[candidate.next]!);
      if (blockers.length > 0) return this.#park(candidate, blockers);
    }
    if (candidate.reason === 'emptied' && this.#hostsOfKept.has(entity.id)) return;
    const awaiting = candidate.reason === 'emptied' ? this.#unitAwaiting(entity.id) : undefined;
    if (awaiting) return this.#park(candidate, [`unit ${awaiting.name}`]);
    if (candidate.complete) return this.#markDying(entity, candidate.reason);
    this.#consider({ ...this.#candidate(entity, candidate.reason, found.length * 2), next: found.length });
  }

  #park(candidate: Candidate, blockers: readonly string[]): void {
    for (const blocker of blockers) {
      const waiting = this.#waiting.get(blocker);
      if (waiting) waiting.push(candidate);
      else this.#waiting.set(blocker, [candidate]);
    }
  }

  /** Entities that must go before the impediment is lifted; none means that it is lifted already. */
  #blockers(candidate: EntityRef, { kind, entity }: Impediment): string[] {
    // Storage is released with the unit that uses it.
    if (kind === 'attachment' || kind === 'storage') return [];
    if (!entity) return [kind];
    if (this.#dying[entity.kind].has(entity.id)) return [];
    if (kind !== 'scope') return this.#isGoing(entity) ? [] : [`${entity.kind} ${entity.id}`];
    // A dying unit leaves its scopes by itself.
    if (candidate.kind === 'unit') return [];
    if (candidate.kind === 'relation') return [`unit ${entity.id}`];
    return scopeBlockers(this.#refs, { application: candidate.id, unit: entity.id }, this.#dying.relation);
  }

  /**
   * Whether the removal of the entity, or of everything that holds it, was requested before, so that it goes in time.
   */
  #isGoing({ kind, id }: EntityRef): boolean {
    const refs = this.#refs;
    if (kind === 'unit') {
      const unit = refs.get(kind, id);
      return (
        unit !== undefined &&
        (unit.life !== 'alive' || refs.get('application', unit.application)?.life !== 'alive')
      );
    }
    const machine = kind === 'machine' ? refs.get(kind, id) : undefined;
    if (!machine || machine.life !== 'alive') return machine !== undefined;
    if (!machine.removeWhenEmpty || machine.isController || this.#hostsOfKept.has(id)) return false;
    const holders = impediments({ kind, id }, refs).flatMap(({ entity }) => entity ?? []);
    return holders.length > 0 && !this.#unitAwaiting(id) && holders.every((holder) => this.#isGoing(holder));
  }

  #keepMachine(id: string): void {
    const machine = this.#refs.get('machine', id);
    if (!machine) return;
    if (machine.isController) return this.keeps.add('machine', id, 'controller');
    for (let impedimentsMax = 4; ; impedimentsMax *= 2) {
      const found = impediments({ kind: 'machine', id }, this.#refs, impedimentsMax);
      const stays = found.find(
        ({ entity }) => entity && !this.#dying[entity.kind].has(entity.id) && !this.#isGoing(entity),
      );
      if (stays?.kind === 'container') return this.keeps.add('machine', id, 'containers');
      if (stays?.entity) {
        const application = this.#refs.get('unit', stays.entity.id)?.application;
        if (application === undefined) return;
        return this.keeps.add('machine', id, 'units', { kind: 'application', id: application });
      }
      if (found.length >= impedimentsMax) continue;
      const { application } = this.#unitAwaiting(id) ?? {};
      if (application === undefined) return this.keeps.add('machine', id, 'policy');
      return this.keeps.add('machine', id, 'awaited', { kind: 'application', id: application });
    }
  }

  #addInstance(id: string): void {
    const machine = this.#refs.get('machine', id);
    if (!machine?.instance) return;
    const kept = whyInstanceStays(machine, {
      host: machine.parent === undefined ? undefined : this.#recorded.get('machine', machine.parent),
      dying: this.#dying,
      staying: this.#hostsOfKept,
      keepInstance: this.#keepInstance,
      harvest: this.#options.harvest,
    });
    if (kept) this.keeps.add('instance', machine.instance.id, kept);
    this.waits.add('machine', id, kept ? 'agent' : 'release');
  }

  *#pause(): Generator<void> {
    // The generator yields once in 200 steps.
    if (++this.#steps % 200 === 0) yield;
  }
}
