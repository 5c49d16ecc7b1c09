/** The plan of a revert: that of its file, with what only a revert does. */
import { ownValue } from '../../bundle/own.ts';
import type { ModelFile } from '../model-file.ts';
import { planModel, type ModelToPlan } from '../plan-model.ts';
import type { ModelPlan } from '../plan.ts';
import type { ModelStep } from '../step.ts';
import type { PastModel } from './past-model.ts';

/**
 * Plans the file of a revert (revertFile). Charms and contents that the model no longer has are restored before they
 * are used. Errors: those of planModel.
 */
export function planRevert(toPlan: ModelToPlan, past: PastModel): ModelPlan {
  const plan = planModel(toPlan);
  return { ...plan, steps: withRestored(plan.steps, { past, file: toPlan.file }) };
}

/** The steps with those that restore charms and contents. */
function withRestored(
  steps: readonly ModelStep[],
  { past, file }: { readonly past: PastModel; readonly file: ModelFile },
): ModelStep[] {
  const { revision } = past;
  const charms = new Set<string>();
  const contents = contentsToRestore(steps, { past, file });
  const done: ModelStep[] = [];
  for (const step of steps) {
    if ((step.kind === 'deploy' || step.kind === 'refresh') && 'url' in step.charm) {
      const { url } = step.charm;
      if (past.charms.get(url) === 'kept' && !charms.has(url)) {
        charms.add(url);
        done.push({ kind: 'restore-charm', url, revision });
      }
    }
    done.push(step);
    if (step.kind !== 'deploy' && step.kind !== 'refresh') continue;
    for (const resource of contents.get(step.application) ?? [])
      done.push({ kind: 'restore-resource', application: step.application, resource, revision });
    contents.delete(step.application);
  }
  const first: ModelStep[] = [...contents].flatMap(([application, resources]) =>
    resources.map((resource): ModelStep => ({ kind: 'restore-resource', application, resource, revision })),
  );
  return [...first, ...done];
}

/** Contents that applications of the file had and do not have, or not after the steps. */
function contentsToRestore(
  steps: readonly ModelStep[],
  { past, file }: { readonly past: PastModel; readonly file: ModelFile },
): Map<string, string[]> {
  const anew = new Set(steps.flatMap((step) => (step.kind === 'deploy' ? [step.application] : [])));
  const found = new Map<string, string[]>();
  for (const { application, name, content } of past.resources) {
    const isNeeded = content === 'kept' || (content === 'used' && anew.has(application));
    if (!isNeeded || !Object.hasOwn(file.bundle.applications, application)) continue;
    // An application that keeps another charm may not know the resource.
    if (past.charms.get(ownValue(past.live.bundle.state.applications, application)?.charm ?? '') === 'gone')
      continue;
    found.set(application, [...(found.get(application) ?? []), name]);
  }
  return found;
}
