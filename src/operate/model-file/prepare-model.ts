/** Comparison of a model file with its model, which changes nothing: plan, diff and apply begin with it. */
import { call, type ParamsOf } from '../../client/calls.ts';
import { defined } from '../../core/defined.ts';
import type { Bundle } from '../../core/bundle/bundle.ts';
import { hasCode, JujuError, notValid } from '../../core/errors.ts';
import type { ModelFile } from '../../core/model-file/model-file.ts';
import { newlyBoundBy } from '../../core/model-file/bound-spaces.ts';
import { offerIn, replaceFlag } from '../../core/model-file/moved-offers.ts';
import { fileName } from '../../core/model-file/parse-model-file.ts';
import { planDocument, type PlanDocument } from '../../core/model-file/plan-document.ts';
import {
  planModel,
  replaceable,
  withoutApplications,
  type ModelToPlan,
} from '../../core/model-file/plan-model.ts';
import type { Left } from '../../core/model-file/revert/past-model.ts';
import type { LiveModel, ModelPlan } from '../../core/model-file/plan.ts';
import type { ModelStep } from '../../core/model-file/step.ts';
import type { SecretContent } from '../../core/secret/content.ts';
import { readParts, type BundleParts, type PlanMeans } from '../bundle/bundle-parts.ts';
import { withConsumedUrls, withWholeUrls } from '../bundle/bundle-offers.ts';
import type { PlannedRemoval } from '../../wire/facades/removal-plan.ts';
import { applicationTag, machineTag, unitTag } from '../../wire/tags.ts';
import type { Operator } from '../operator.ts';
import type { ModelSession } from '../sessions.ts';
import { checkPlan } from './check-plan.ts';
import { readLive, type ReadLive } from './read-live.ts';
import { allowed, knownReplacements, withReplacements, type Replacements } from './replacements.ts';

/** A content of a secret as its sources have it now. */
export interface SecretValue {
  readonly content: SecretContent;
  /** SHA-256 (checksumText), in hex. */
  readonly checksum: string;
}

export interface ModelDeploy extends PlanMeans {
  /** The file, whose charms are absolute paths, or URLs of charms in the model. */
  readonly file: ModelFile;
  /** Contents that the file gives, by secret. */
  readonly secrets: Readonly<Record<string, SecretValue>>;
  /** Whether what the file made and no longer names is removed. */
  readonly prune: boolean;
  /** Applications that others may take the place of, and, as `offer:NAME`, offers that may be made anew. */
  readonly replace: readonly string[];
  /** Set when the file is the model as it was. */
  readonly revert?: ShownRevert;
}

/** What a plan says of a revert. */
interface ShownRevert {
  /** The revision that the model is returned to. */
  readonly revision: number;
  /** Its time, RFC 3339; '' = the oldest that is known. */
  readonly time: string;
  /** The applications that alone are reverted; absent = everything. */
  readonly only?: readonly string[];
  /** What stays other than it was. */
  readonly left: readonly Left[];
}

/**
 * A plan with what its removals would take along, keep and wait for (absent when nothing is removed), and what the file
 * is when it is the model as it was.
 */
export interface ShownPlan extends PlanDocument {
  readonly removal?: PlannedRemoval;
  readonly revert?: ShownRevert;
}

export interface PreparedModel {
  readonly deploy: ModelDeploy;
  readonly live: LiveModel;
  readonly plan: ModelPlan;
  readonly document: ShownPlan;
  readonly parts: BundleParts;
}

/**
 * Plans the file for the model as it is now. Errors: those of readParts, planModel, checkConstraints, checkPools and
 * checkBound; `not found`: an application or offer that is to be replaced and is not in the file; `user not found`.
 */
export async function prepareModel(operator: Operator, deploy: ModelDeploy): Promise<PreparedModel> {
  checkReplace(deploy.replace, deploy.file.bundle, 'not found in the file');
  const read = await readLiveOf(deploy);
  const whole = withWholeUrls(deploy.file.bundle, deploy.session);
  const file = { ...deploy.file, bundle: await withConsumedUrls(whole, read.live.bundle, deploy) };
  return prepareWith(operator, { ...deploy, file }, read, planModel);
}

/** Checks that what may be replaced is in the bundle. Errors: `not found`. */
export function checkReplace(replace: readonly string[], { applications }: Bundle, missing: string): void {
  const offers = new Set(Object.values(applications).flatMap((one) => Object.keys(one.offers ?? {})));
  for (const name of replace) {
    const offer = offerIn(name);
    if (offer === undefined ? Object.hasOwn(applications, name) : offers.has(offer)) continue;
    throw new JujuError(
      'not found',
      `${offer === undefined ? `application "${name}"` : `offer "${offer}"`} ${missing}`,
    );
  }
}

/** Refuses a plan that takes replacements which were not allowed. Errors: `not valid`. */
export function refuseReplacements({ plan: { refused } }: PreparedModel): void {
  if (refused.length === 0) return;
  const flags = refused.map(replaceFlag).join(' ');
  throw notValid(`the plan cannot be applied without replacements: allow them with ${flags}`);
}

/** Plans the file for a model that was read, by the planner. Errors: as of prepareModel. */
export async function prepareWith(
  operator: Operator,
  deploy: ModelDeploy,
  { live, revision, name }: ReadLive & { readonly name: string },
  planner: (toPlan: ModelToPlan) => ModelPlan,
): Promise<PreparedModel> {
  const { session, prune, secrets, file, revert } = deploy;
  const checksums = Object.fromEntries(
    Object.entries(secrets).map(([secret, { checksum }]) => [secret, checksum]),
  );
  const movable = new Set(deploy.replace.flatMap((one) => offerIn(one) ?? []));
  const planFor = async (replaced: Replacements) => {
    const model = withoutApplications(live.bundle, Object.keys(replaced));
    const parts = await readParts(deploy, file.bundle, model, revert ? 'past model' : 'model file');
    return { parts, plan: planner({ ...parts.toPlan, file, live, checksums, prune, replaced, movable }) };
  };
  let replaced = await knownReplacements(deploy, live);
  let planned = await planFor(replaced).catch(async (error: unknown) => {
    throw await withReplacements(error, deploy, live);
  });
  // Units may be placed with those of an application that is replaced.
  for (;;) {
    const further = allowed(deploy, replaceable(planned.plan));
    if (Object.keys(further).every((name) => Object.hasOwn(replaced, name))) break;
    replaced = { ...replaced, ...further };
    planned = await planFor(replaced);
  }
  const { parts, plan } = planned;
  await checkPlan(operator, deploy, { plan, live });
  if (!deploy.force) await checkBound(session, plan.steps, live);
  const document = {
    ...planDocument(plan, { live, model: session.model, file: name, revision }),
    ...defined({ revert, removal: await planRemovals(session, plan.steps) }),
  };
  return { deploy, live, plan, document, parts };
}

/** Refuses bindings that machines lack addresses for. Errors: '', with a machine for each application and space. */
async function checkBound(
  { connection }: ModelSession,
  steps: readonly ModelStep[],
  { bundle: { state } }: LiveModel,
): Promise<void> {
  const bound = newlyBoundBy(steps, state);
  if (bound.length === 0) return;
  const applications = bound.map(({ application, space }) => ({ application, spaces: [space] }));
  const { missing } = await call(connection, 'ModelFiles', 'MissingAddresses', { applications }).catch(
    // The steps of controllers without the method refuse such bindings.
    (error: unknown) => {
      if (hasCode(error, 'not implemented')) return { missing: [] };
      throw error;
    },
  );
  const machines = new Map(missing.map((one) => [`${one.application} ${one.space}`, one.machine]));
  const problems = bound.flatMap(({ application, endpoint, space }) => {
    const machine = machines.get(`${application} ${space}`);
    const what = endpoint === '' ? 'endpoints' : `endpoint "${endpoint}"`;
    return machine === undefined
      ? []
      : [
          `application "${application}": ${what} cannot be bound to space "${space}", in which machine ${machine} has no address`,
        ];
  });
  if (problems.length > 0) throw new JujuError('', problems.join('; '));
}

/** Asks for the plan of the steps' removals, one after the other. */
async function planRemovals(
  { connection }: ModelSession,
  steps: readonly ModelStep[],
): Promise<PlannedRemoval | undefined> {
  const targets = steps.flatMap((step): ParamsOf<'Lives', 'PlanRemoval'>['targets'] => {
    switch (step.kind) {
      case 'remove-relation':
        return [{ endpoints: [...step.endpoints] }];
      case 'remove-application':
        return [{ tag: applicationTag(step.application) }];
      case 'remove-units':
        return step.units.map((unit) => ({ tag: unitTag(unit) }));
      case 'remove-machine':
        return [{ tag: machineTag(step.machine), 'once-empty': true }];
      default:
        return [];
    }
  });
  return targets.length === 0 ? undefined : call(connection, 'Lives', 'PlanRemoval', { targets });
}

/** Reads the model as the file is compared with it, and the name under which the file is known there. */
export async function readLiveOf(
  deploy: Pick<ModelDeploy, 'session' | 'openController' | 'file' | 'secrets'>,
): Promise<ReadLive & { readonly name: string }> {
  const name = fileName(deploy.file, modelName(deploy.session.model));
  return { ...(await readLive(deploy, name, Object.keys(deploy.secrets))), name };
}

/** The name of `admin/shop` without its owner. */
export function modelName(model: string): string {
  return model.slice(model.indexOf('/') + 1);
}
