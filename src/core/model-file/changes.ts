/** Steps of a plan as changes of entities, each named once: what a user reads, and what programs judge. */
import { defined } from '../defined.ts';
import { changesOfStep } from './changes-of-step.ts';
import { namesIn } from './machines-asked.ts';
import type { LiveModel, ModelPlan } from './plan.ts';
import { replacedIn } from './replaced-in.ts';
import type { ModelStep } from './step.ts';

export const changeActions = ['add', 'change', 'replace', 'remove'] as const;
export const changeKinds = [
  'model',
  'setting',
  'storage-pool',
  'access',
  'secret',
  'application',
  'offer',
  'saas',
  'relation',
  'machine',
  'unit',
] as const;
export type ChangeAction = (typeof changeActions)[number];
export type ChangeKind = (typeof changeKinds)[number];

export interface PlanChange {
  readonly action: ChangeAction;
  readonly kind: ChangeKind;
  readonly name: string;
  /** Why the entity is replaced. */
  readonly why?: string;
  /** What changes of it: `options.port`. */
  readonly values?: Readonly<Record<string, ValueChange>>;
}

/** A value before and after, as JSON; absent where there is none. */
export interface ValueChange {
  readonly from?: unknown;
  readonly to?: unknown;
}

/** The changes that steps of a plan make, each entity where its first step is. */
export function changesOf(
  steps: readonly ModelStep[],
  live: LiveModel,
  { bundle }: Pick<ModelPlan, 'bundle'>,
): PlanChange[] {
  const changes = new Map<string, { -readonly [K in keyof PlanChange]: PlanChange[K] }>();
  const toChanges = changesOfStep(live, bundle.machines, namesIn(live.bundle, replacedIn(steps)));
  for (const step of steps)
    for (const { kind, name, action, why, values } of toChanges(step)) {
      const key = `${kind} ${name}`;
      const change = changes.get(key) ?? { action, kind, name, ...defined({ why }) };
      changes.set(key, change);
      if (values && Object.keys(values).length > 0) change.values = { ...change.values, ...values };
    }
  return [...changes.values()];
}
