/** What a removal comes to, before it is done: the shape, and how it is gathered. */
import type { EntityRef, LivingKind } from '../entity-ref.ts';
import type { Impediment, Refs } from '../impediments.ts';
import type { HarvestMode } from '../machine/plan-provisioning.ts';
import type { Refusal } from './refusal.ts';

export interface RemovalOptions {
  readonly force?: boolean;
  /** Of the machines that are asked for, and their containers. */
  readonly keepInstance?: boolean;
  readonly destroyStorage?: boolean;
  /** Of the model; absent: `destroyed`. */
  readonly harvest?: HarvestMode;
  /** Of a model that is asked for: instances that --keep-instance has left in it. They go with it. */
  readonly keptInstances?: readonly string[];
}

export interface RemovalPlan {
  /** In the order in which they were asked for; what one of them does is known to those after it. */
  readonly targets: readonly PlannedTarget[];
  /** What one might think would go. */
  readonly keeps: readonly Group<Keep>[];
  /** Whose part it is that all of it goes: with --force only until the deadline. */
  readonly waits: readonly Group<Wait>[];
}

export interface PlannedTarget {
  readonly entity: EntityRef;
  /** Nothing of it happens. */
  readonly refusal?: Refusal;
  /** With --force: what would have been refused for otherwise. */
  readonly passedOver: readonly Impediment[];
  /** All that goes because of it, and not because of those before it; the target itself first. */
  readonly dies: readonly Group<Death>[];
}

/** Things of one kind that have the same thing said of them. */
export interface Group<Reason extends string> {
  readonly kind: LivingKind | 'instance' | 'offer' | 'storage';
  readonly reason: Reason;
  /** What the reason is about, where that is one for all of them. */
  readonly of?: EntityRef;
  /** As in EntityRef; of an instance the provider's id. */
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
  /** A machine: no unit is left on it. */
  | 'emptied'
  /** It was dying already, and nothing but this has held it. */
  | 'held'
  /** It is dying already, and what goes waits for it. */
  | 'dying'
  /** Storage: with its unit. */
  | 'attached-to';

/** Those of a model that no machine of it has. */
export function instancesBeside(refs: Refs, { keptInstances = [] }: RemovalOptions): ReadonlySet<string> {
  return new Set([...keptInstances, ...[...refs.list('stray')].map(({ instanceId }) => instanceId)]);
}

/** Dying by the change that is asked for. */
export const atOnce: ReadonlySet<Death> = new Set(['asked', 'container-of', 'on', 'relation-of']);

export type Keep =
  /** A machine: it is not of those that go with their last unit. */
  | 'policy'
  /** A machine: a unit that waits for its requirements is to be placed on it. */
  | 'awaited'
  | 'units'
  | 'containers'
  | 'controller'
  /** An instance: asked for. */
  | 'keep-instance'
  /** An instance: so says the model's provisioner-harvest-mode. */
  | 'harvest'
  /** An instance: no provider made it. */
  | 'unmanaged'
  /** Storage: it outlives its unit. */
  | 'detached'
  /** A unit that waits for its requirements: the machine that it is to be placed on goes. */
  | 'unplaceable';

export type Wait =
  /** A unit: its hooks for leaving its relations and stopping. */
  | 'stop'
  /** The same, and a failed hook is in the way. */
  | 'failed'
  /** A unit that stays: its hooks for leaving a relation. */
  | 'leave'
  /** A machine whose instance stays: its agent. */
  | 'agent'
  /** A machine: its agent, then the provider. */
  | 'release';

/**
 * Something that goes when what is in its way has gone: it is dying already, or a machine that goes when it is empty.
 */
export interface Candidate {
  readonly entity: EntityRef;
  readonly reason: Death;
  readonly impediments: readonly Impediment[];
  /** Those before are out of the way. */
  next: number;
  /** `impediments` has all. */
  readonly complete: boolean;
}

/** Gathers things into groups, in the order of the first of each. */
export class Groups<Reason extends string> {
  readonly #groups = new Map<string, Group<Reason> & { ids: string[] }>();

  add(kind: Group<Reason>['kind'], id: string, reason: Reason, of?: EntityRef): void {
    const key = of ? `${kind} ${reason} ${of.kind} ${of.id}` : `${kind} ${reason}`;
    const group = this.#groups.get(key);
    if (group) group.ids.push(id);
    else this.#groups.set(key, { kind, reason, ...(of ? { of } : {}), ids: [id] });
  }

  list(): Group<Reason>[] {
    return [...this.#groups.values()];
  }
}
