/** A plan as a document, for programs that judge it and for the screen. */
import { formatConstraints } from '../constraints.ts';
import { missingWords } from '../requirements/requirement.ts';
import { changeActions, changesOf, type ChangeAction, type PlanChange } from './changes.ts';
import type { FileDifference, LiveModel, MachineAsked, ModelPlan } from './plan.ts';

export interface PlanDocument {
  /** Version of this form; it changes when a member goes or means something else. */
  readonly format: 1;
  /** The model with its owner: `admin/shop`. */
  readonly model: string;
  /** The name under which the model remembers what the file made. */
  readonly file: string;
  /** The revision of the model for which the plan was made. */
  readonly revision: number;
  /** Whether the plan can be applied: nothing is refused. */
  readonly applicable: boolean;
  readonly summary: Readonly<Record<ChangeAction, number>>;
  readonly changes: readonly PlanChange[];
  /** What this file made and no longer names, which `--prune` would remove. */
  readonly unpruned: readonly PlanChange[];
  readonly differences: readonly FileDifference[];
  readonly refused: ModelPlan['refused'];
  /** Applications of the file that wait after all changes, each with what it waits for, in words. */
  readonly waits: readonly { readonly application: string; readonly for: readonly string[] }[];
  readonly machines: readonly (Omit<MachineAsked, 'constraints'> & { readonly constraints: string })[];
}

export function planDocument(
  plan: ModelPlan,
  about: Pick<PlanDocument, 'model' | 'file' | 'revision'> & { readonly live: LiveModel },
): PlanDocument {
  const { live, model, file, revision } = about;
  const changes = changesOf(plan.steps, live, plan);
  const count = (action: ChangeAction): number => changes.filter((change) => change.action === action).length;
  return {
    format: 1,
    model,
    file,
    revision,
    applicable: plan.refused.length === 0,
    summary: Object.fromEntries(
      changeActions.map((action) => [action, count(action)]),
    ) as PlanDocument['summary'],
    changes,
    unpruned: changesOf(plan.unpruned, live, plan),
    differences: plan.differences,
    refused: plan.refused,
    waits: plan.waits.map(({ application, missing }) => ({ application, for: [missingWords(missing)] })),
    machines: plan.machines.map((machine) => ({
      ...machine,
      constraints: formatConstraints(machine.constraints),
    })),
  };
}
