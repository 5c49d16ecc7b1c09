/** The plan of a revert: that of its file, with what only a revert does. */
import { ladders } from '../../access/levels.ts';
import { exposedToAll } from '../../bundle/plan-network.ts';
import { ownValue } from '../../bundle/own.ts';
import type { BundleStep } from '../../bundle/step.ts';
import { defined } from '../../defined.ts';
import type { ModelFile } from '../model-file.ts';
import { planModel, type ModelToPlan } from '../plan-model.ts';
import type { LiveModel, ModelPlan } from '../plan.ts';
import type { ModelStep } from '../step.ts';
import type { PastModel } from './past-model.ts';

/**
 * Plans the file of a revert (revertFile). Charms and contents that the model no longer has are restored before they
 * are used; trust, exposure and access to offers that were less become less. Errors: those of planModel.
 */
export function planRevert(
  toPlan: ModelToPlan,
  { past, user }: { readonly past: PastModel; readonly user: string },
): ModelPlan {
  const plan = planModel(toPlan);
  const { file, live } = toPlan;
  const steps = withRestored(plan.steps, { past, live, file });
  const distrusted = plan.differences.filter(({ of }) => of === 'trust');
  return {
    ...plan,
    steps: [
      ...steps,
      ...distrusted.map(({ application }): ModelStep => ({
        kind: 'set-options',
        application,
        options: { trust: false },
      })),
      ...loweredOffers(file, live, user),
    ],
    differences: plan.differences.filter(({ of }) => of !== 'trust'),
  };
}

/** The steps with those that restore charms and contents, and with exposure that begins anew where it was narrower. */
function withRestored(
  steps: readonly ModelStep[],
  { past, live, file }: { readonly past: PastModel; readonly live: LiveModel; readonly file: ModelFile },
): ModelStep[] {
  const { revision } = past;
  const charms = new Set<string>();
  const contents = contentsToRestore(steps, { past, file });
  const narrowed = narrowedExposures(file, live);
  const done: ModelStep[] = [];
  for (const step of steps) {
    if (step.kind === 'expose' && narrowed.has(step.application)) continue;
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
  return [...first, ...[...narrowed.values()].flat(), ...done];
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

/** Applications of which an endpoint is exposed that was not, with the steps that expose them anew. */
function narrowedExposures(
  { bundle }: ModelFile,
  { bundle: { state } }: LiveModel,
): ReadonlyMap<string, readonly BundleOrUnexpose[]> {
  const narrowed = new Map<string, readonly BundleOrUnexpose[]>();
  for (const [application, wanted] of Object.entries(bundle.applications)) {
    const has = ownValue(state.applications, application);
    if (!wanted.exposed || !has?.exposed) continue;
    const endpoints = wanted.exposedEndpoints ?? exposedToAll;
    if (Object.keys(has.exposedEndpoints ?? exposedToAll).every((one) => Object.hasOwn(endpoints, one)))
      continue;
    const again: BundleStep = {
      kind: 'expose',
      application,
      ...defined({ endpoints: wanted.exposedEndpoints }),
    };
    narrowed.set(application, [{ kind: 'unexpose', application }, again]);
  }
  return narrowed;
}
type BundleOrUnexpose = Extract<ModelStep, { kind: 'unexpose' | 'expose' }>;

/** Access to offers that was lower: it is taken away, and given anew. */
function loweredOffers({ bundle }: ModelFile, { bundle: { state } }: LiveModel, own: string): ModelStep[] {
  return Object.entries(bundle.applications).flatMap(([application, { offers = {} }]) =>
    Object.entries(offers).flatMap(([offer, { acl }]) => {
      const has = ownValue(ownValue(state.applications, application)?.offers ?? {}, offer);
      return Object.entries(acl).flatMap(([user, access]): ModelStep[] => {
        const was = ownValue(has?.acl ?? {}, user);
        if (was === undefined || user === own || levels.indexOf(was) <= levels.indexOf(access)) return [];
        return [
          { kind: 'revoke-offer', offer, user, was },
          { kind: 'grant', offer, user, access },
        ];
      });
    }),
  );
}
const levels: readonly string[] = ladders.offer;
