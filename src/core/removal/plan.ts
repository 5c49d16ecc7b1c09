/** The result of planning a removal: what would go, what would stay, what would be waited for. */
import type { EntityRef, LivingKind } from '../entity-ref.ts';
import type { Impediment, Refs } from '../impediments.ts';
import type { HarvestMode } from '../machine/plan-provisioning.ts';
import type { Refusal } from './refusal.ts';
import { defined } from '../defined.ts';

export interface RemovalTarget extends EntityRef {
  /** Whether the removal of a machine is asked for only when what earlier ones remove is gone from it. */
  readonly onceEmpty?: boolean;
}

export interface RemovalOptions {
  readonly force?: boolean;
  /** Keeps the instances of the target machines and of their containers. */
  readonly keepInstance?: boolean;
  readonly destroyStorage?: boolean;
  /** The model's provisioner-harvest-mode; absent: `destroyed`. */
  readonly harvest?: HarvestMode;
  /** Instances that --keep-instance has left in the target model; they go with the model. */
  readonly keptInstances?: readonly string[];
}

export interface RemovalPlan {
  /** The targets in the order requested; each is planned with the effects of those before it. */
  readonly targets: readonly PlannedTarget[];
  /** Entities near the targets that stay, though a user might expect them to go. */
  readonly keeps: readonly Group<Keep>[];
  /**
   * Agents and workers that must act before everything is gone; with --force they are waited for only until the
   * deadline.
   */
  readonly waits: readonly Group<Wait>[];
}

export interface PlannedTarget {
  readonly entity: EntityRef;
  /** The reason why nothing of this target is removed. */
  readonly refusal?: Refusal;
  /** Impediments that would refuse the removal without --force. */
  readonly passedOver: readonly Impediment[];
  /** Everything that goes because of this target and not because of an earlier one; the target itself first. */
  readonly dies: readonly Group<Death>[];
}

/** Entities of one kind that share a reason. */
export interface Group<Reason extends string> {
  readonly kind: LivingKind | 'instance' | 'offer' | 'storage';
  readonly reason: Reason;
  /** The entity that the reason refers to, when it is the same for the whole group. */
  readonly of?: EntityRef;
  /** Ids as in EntityRef; for an instance the provider's id. */
  readonly ids: readonly string[];
}

export type Death =
  | 'asked'
  | 'unit-of'
  | 'subordinate-of'
  | 'orphan-of'
  | 'relation-of'
  | 'offer-of'
  | 'container-of'
  | 'on'
  | 'in'
  /** A machine on which no unit is left. */
  | 'emptied'
  /** An entity that was dying already and that only this removal's targets held. */
  | 'held'
  /** An entity that was dying already and that something going now waits for. */
  | 'dying'
  /** Storage that goes with its unit. */
  | 'attached-to';

/** Instances of the model that no machine record refers to. */
export function unclaimedInstances(refs: Refs, { keptInstances = [] }: RemovalOptions): ReadonlySet<string> {
  return new Set([...keptInstances, ...[...refs.list('stray')].map(({ instanceId }) => instanceId)]);
}

/** Reasons for which an entity is set dying in the same transaction as the one that it follows. */
export const dyingImmediately: ReadonlySet<Death> = new Set(['asked', 'container-of', 'on', 'relation-of']);

export type Keep =
  /** A machine that is not removed with its last unit. */
  | 'policy'
  /** A machine on which a unit that waits for its requirements is to be placed. */
  | 'awaited'
  | 'units'
  | 'containers'
  | 'controller'
  /** An instance that the request keeps. */
  | 'keep-instance'
  /** An instance that the model's provisioner-harvest-mode keeps. */
  | 'harvest'
  /** An instance that no provider made. */
  | 'unmanaged'
  /** Storage that outlives its unit. */
  | 'detached'
  /** A unit that waits for its requirements and is to be placed on a machine that goes. */
  | 'unplaceable';

export type Wait =
  /** A unit that has to run its hooks for leaving relations and stopping. */
  | 'stop'
  /** A unit that has to run those hooks and whose last hook failed. */
  | 'failed'
  /** A unit that stays and has to run its hooks for leaving a relation. */
  | 'leave'
  /** A machine whose instance stays and whose agent has to end. */
  | 'agent'
  /** A machine whose agent has to end before the provider releases its instance. */
  | 'release';

/** An entity that goes once its impediments are gone: it is dying already, or a machine that goes when it is empty. */
export interface Candidate {
  readonly entity: EntityRef;
  readonly reason: Death;
  readonly impediments: readonly Impediment[];
  /** Index of the first impediment that may still hold; those before it are lifted. */
  next: number;
  /** Whether `impediments` is the complete list. */
  readonly complete: boolean;
}

/** Collects entities into groups by kind and reason, in the order of each group's first entity. */
export class Groups<Reason extends string> {
  readonly #groups = new Map<string, Group<Reason> & { ids: string[] }>();

  add(kind: Group<Reason>['kind'], id: string, reason: Reason, of?: EntityRef): void {
    const key = of ? `${kind} ${reason} ${of.kind} ${of.id}` : `${kind} ${reason}`;
    const group = this.#groups.get(key);
    if (group) group.ids.push(id);
    else this.#groups.set(key, { kind, reason, ...defined({ of }), ids: [id] });
  }

  list(): Group<Reason>[] {
    return [...this.#groups.values()];
  }
}
