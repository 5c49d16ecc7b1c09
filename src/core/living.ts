/** The kinds of living entities, each described in `core/<kind>/living.ts`. */
import { application } from './application/living.ts';
import type { EntityRef, LivingKind } from './entity-ref.ts';
import type { Impediment, Refs, Referring } from './impediments.ts';
import { machine } from './machine/living.ts';
import { model } from './model/living.ts';
import { relation } from './relation/living.ts';
import type { Refusal } from './removal/refusal.ts';
import { unit } from './unit/living.ts';

export interface LivingSpec {
  /** Impediments: everything that still refers to the entity and so blocks its death. */
  readonly impediments: (id: string, refs: Refs<Referring>) => Iterable<Impediment>;
  /** The number of impediments that can be counted without a list; at 0 the list decides. */
  readonly count?: (id: string, refs: Refs<Referring>) => number;
  /** The reason to refuse the entity's removal; undefined = the removal is accepted. */
  readonly refusal: (id: string, refs: Refs) => Refusal | undefined;
  /** The entities whose forced removal clears this entity as well. */
  readonly clearedWith: (id: string, refs: Refs) => readonly EntityRef[];
}

export const living: Readonly<Record<LivingKind, LivingSpec>> = {
  application,
  machine,
  model,
  relation,
  unit,
};

export const livingKinds = Object.keys(living) as readonly LivingKind[];
