/** Deploy of a bundle: all checks come before the first change, and then one step follows the other. */
import type { Bundle } from '../../core/bundle/bundle.ts';
import type { BundleModel } from '../../core/bundle/bundle-model.ts';
import { describeStep, type StepNames } from '../../core/bundle/describe-step.ts';
import { ownValue } from '../../core/bundle/own.ts';
import { planBundle, type BundlePlan } from '../../core/bundle/plan-bundle.ts';
import { bundleProblems } from '../../core/bundle/problems.ts';
import { spacesNamed } from '../../core/bundle/spaces-named.ts';
import { JujuError } from '../../core/errors.ts';
import { charmsToKeep } from '../../core/model-file/charms-to-keep.ts';
import { gateCircles } from '../../core/model-file/gate-circles.ts';
import { missingWords, type Missing } from '../../core/requirements/requirement.ts';
import type { PendingApplication, RequirementsChange } from '../../wire/facades/requirements.ts';
import { holdingModel } from '../hold-model.ts';
import type { Operator } from '../operator.ts';
import { mergeRequirements, pendingNow } from '../requirements.ts';
import { withConsumedUrls, withWholeUrls } from './bundle-offers.ts';
import { checkConstraints, readParts, type PlanMeans } from './bundle-parts.ts';
import { checkPools } from './bundle-pools.ts';
import { checkSpaces } from './bundle-spaces.ts';
import { batched, BundleRun } from './carry-out.ts';
import { readModel } from './read-model.ts';
import { defined } from '../../core/defined.ts';

export type BundleEvent =
  | { readonly kind: 'would wait'; readonly application: string; readonly missing: readonly Missing[] }
  /** `text` describes the step. */
  | { readonly kind: 'step done'; readonly text: string }
  /** An error follows. The first `done` steps remain in effect. */
  | { readonly kind: 'stopped'; readonly text: string; readonly done: number; readonly of: number };

interface BundleDeploy extends PlanMeans {
  /** Bundle whose charms are absolute paths, or URLs of charms in the model. */
  readonly bundle: Bundle;
  /** Value as in DeployRequest. */
  readonly reuse?: boolean;
}

export interface PreparedBundle {
  readonly deploy: BundleDeploy;
  readonly model: BundleModel;
  readonly plan: BundlePlan;
  readonly run: BundleRun;
  readonly names: StepNames;
}

/**
 * Compares the bundle with the model and changes nothing. Errors: `not valid`, with all problems; those of
 * bundleCharms, checkPools and checkSpaces.
 */
export async function prepareBundle(
  operator: Operator<BundleEvent>,
  deploy: BundleDeploy,
): Promise<PreparedBundle> {
  const { session, openController, force, reuse } = deploy;
  const model = await readModel(session.connection);
  const bundle = await withConsumedUrls(withWholeUrls(deploy.bundle, session), model, deploy);
  const { toPlan, local, resources } = await readParts(deploy, bundle, model);
  const plan = planBundle({ ...toPlan, bundle, model });
  await checkConstraints(operator, session, plan.steps);
  await checkPools(session, plan.steps);
  await checkSpaces(session, spacesNamed(plan.steps));
  const circles = gateCircles(model, plan.steps);
  if (circles.length > 0) throw bundleProblems(circles);
  for (const { text } of plan.differences) operator.report({ kind: 'warning', text });
  for (const [application, missing] of plan.waits)
    operator.report({ kind: 'would wait', application, missing });
  const run = new BundleRun({
    operator,
    session,
    model,
    charms: local,
    resources,
    openController,
    machines: plan.machines,
    force,
    ...defined({ reuse }),
  });
  const names = run.names((application) => {
    const missing = plan.waits.get(application);
    return missing && missingWords(missing);
  });
  return { deploy, model, plan, run, names };
}

/** Returns descriptions of what carryOutBundle would do, and the applications that would be pending after it. */
export function plannedChanges(
  { clock }: Operator<BundleEvent>,
  { plan, model, names }: PreparedBundle,
): { readonly changes: readonly string[]; readonly pending: readonly PendingApplication[] } {
  const changes = plan.steps.map((step) => describeStep(step, names));
  const since = new Date(clock.now()).toISOString();
  const pending = [...plan.waits].map(([application, missing]): PendingApplication => {
    const existingUnits = ownValue(model.units, application) ?? [];
    const added = plan.steps.filter(
      (step) => step.kind === 'add-unit' && step.unit.application === application,
    );
    const running = existingUnits.filter(({ machine }) => machine !== undefined).length;
    return { application, since, missing, units: existingUnits.length - running + added.length, running };
  });
  return { changes, pending };
}

/**
 * Makes the changes and returns their descriptions. A second run continues where the first one stopped, for whatever
 * reason. Errors: also, when applications swap charms, that another applies a model file meanwhile.
 */
export async function carryOutBundle(
  operator: Operator<BundleEvent>,
  prepared: PreparedBundle,
): Promise<{ readonly changes: readonly string[]; readonly requirements: RequirementsChange }> {
  const { deploy, model, plan, run } = prepared;
  const { connection } = deploy.session;
  const charms = charmsToKeep(plan.steps, model.state);
  const changes =
    charms.length === 0
      ? await carryOut(operator, prepared)
      : await holdingModel(connection, { file: '', charms }, () => carryOut(operator, prepared));
  const pending = (await pendingNow(connection)).filter(({ application }) =>
    Object.hasOwn(deploy.bundle.applications, application),
  );
  return { changes, requirements: { ...mergeRequirements(run.changes), pending } };
}

async function carryOut(
  operator: Operator<BundleEvent>,
  { plan: { steps }, run, names }: PreparedBundle,
): Promise<readonly string[]> {
  const changes: string[] = [];
  for (const batch of batched(steps)) {
    try {
      // The signal takes effect only between two steps, when it is certain what has been done.
      operator.signal.throwIfAborted();
      await run.do(batch[0], batch.length);
    } catch (error) {
      const text = describeStep(batch[0], names);
      operator.report({ kind: 'stopped', text, done: changes.length, of: steps.length });
      if (!(error instanceof JujuError)) throw error;
      throw new JujuError(error.code, `cannot deploy bundle: ${error.message}`, { cause: error });
    }
    for (const step of batch) {
      const text = describeStep(step, names);
      changes.push(text);
      operator.report({ kind: 'step done', text });
    }
  }
  return changes;
}
