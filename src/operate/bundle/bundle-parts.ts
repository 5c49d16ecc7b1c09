/** What a bundle is planned with besides the model: its charms, resources and the offers that it consumes. */
import type { Bundle } from '../../core/bundle/bundle.ts';
import type { BundleModel, MachineMap } from '../../core/bundle/bundle-model.ts';
import type { BundleToPlan } from '../../core/bundle/plan-bundle.ts';
import { bundleProblems, type BundleKind } from '../../core/bundle/problems.ts';
import { verifyParts } from '../../core/bundle/verify-bundle.ts';
import { formatConstraints, type Constraints } from '../../core/constraints.ts';
import { defined } from '../../core/defined.ts';
import { JujuError } from '../../core/errors.ts';
import type { ModelStep } from '../../core/model-file/step.ts';
import type { Charm } from '../../wire/facades/charms.ts';
import type { CharmSource } from '../deploy/charm-source.ts';
import { checkedConstraints } from '../constraints.ts';
import type { Operator } from '../operator.ts';
import type { ModelSession, OpenController } from '../sessions.ts';
import { bundleCharms, type ReadCharm } from './bundle-charms.ts';
import { endpointsOfSaas } from './bundle-offers.ts';
import { bundleResources, type BundleResources, type ReadResource } from './bundle-resources.ts';

/** What a plan is made with and for. */
export interface PlanMeans {
  readonly map: MachineMap;
  readonly readCharm: ReadCharm;
  readonly readResource: ReadResource;
  readonly openController: OpenController;
  readonly session: ModelSession;
  readonly force: boolean;
  /** Charms that a step brings back before they are used, by URL; absent = none. */
  readonly pastCharms?: ReadonlyMap<string, Charm>;
}

export interface BundleParts {
  /** Charms, and what is to be planned otherwise. */
  readonly toPlan: Omit<BundleToPlan, 'bundle' | 'model'>;
  /** Charms that are read from files, by path. */
  readonly local: ReadonlyMap<string, CharmSource>;
  readonly resources: BundleResources;
}

/** Finds the charm of each application of the bundle. Errors: those of bundleCharms. */
export function readCharms(
  { readCharm, session, pastCharms }: PlanMeans,
  bundle: Bundle,
  model: BundleModel,
): ReturnType<typeof bundleCharms> {
  return bundleCharms(session.connection, { bundle, model, readCharm, ...defined({ past: pastCharms }) });
}

/** Reads the parts and changes nothing. Errors: `not valid`, with all problems; those of bundleCharms. */
export async function readParts(
  means: PlanMeans,
  bundle: Bundle,
  model: BundleModel,
  kind?: BundleKind,
): Promise<BundleParts> {
  const { map, readResource, openController, session, force } = means;
  const { byApplication, local } = await readCharms(means, bundle, model);
  const problems = verifyParts(bundle, (name) => byApplication[name], model.requireMode);
  if (problems.length > 0) throw bundleProblems(problems, kind);
  const { sources, changed } = await bundleResources(session.connection, {
    bundle,
    model,
    charms: byApplication,
    readResource,
  });
  const saas = await endpointsOfSaas(bundle, model, { session, openController });
  return {
    toPlan: { charms: byApplication, map, force, changedResources: changed, saas },
    local,
    resources: sources,
  };
}

/** Checks each distinct set of constraints of the steps once. Errors: `not valid`, with the place in the file. */
export async function checkConstraints(
  operator: Operator,
  { connection }: ModelSession,
  steps: readonly ModelStep[],
): Promise<void> {
  const distinct = new Map<string, ConstrainedStep>();
  for (const step of steps) {
    if (!('constraints' in step)) continue;
    const text = formatConstraints(step.constraints);
    if (!distinct.has(text)) distinct.set(text, step);
  }
  for (const step of distinct.values())
    try {
      await checkedConstraints(operator, connection, step.constraints);
    } catch (error) {
      if (!(error instanceof JujuError)) throw error;
      throw new JujuError(error.code, `${placeOf(step)}: ${error.message}`, { cause: error });
    }
}

type ConstrainedStep = Extract<ModelStep, { readonly constraints: Constraints }>;

function placeOf(step: ConstrainedStep): string {
  if (step.kind === 'set-model-constraints') return 'constraints';
  if (step.kind !== 'add-machine') return `applications.${step.application}.constraints`;
  return 'machine' in step.for ? `machines.${step.for.machine}.constraints` : 'constraints';
}
