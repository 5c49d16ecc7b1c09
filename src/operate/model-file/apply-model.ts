/** Apply of a planned model file: the model is held meanwhile, and a second run continues the first. */
import { call } from '../../client/calls.ts';
import type { StepNames } from '../../core/bundle/describe-step.ts';
import { defined } from '../../core/defined.ts';
import { JujuError } from '../../core/errors.ts';
import { charmsToKeep } from '../../core/model-file/charms-to-keep.ts';
import { describeModelStep } from '../../core/model-file/describe-step.ts';
import { withoutApplications } from '../../core/model-file/plan-model.ts';
import { replacedIn } from '../../core/model-file/replaced-in.ts';
import { stepsBefore } from '../../core/model-file/step-order.ts';
import type { ModelStep } from '../../core/model-file/step.ts';
import { modelTag } from '../../wire/tags.ts';
import { batched, BundleRun } from '../bundle/carry-out.ts';
import { holdingModel } from '../hold-model.ts';
import type { Operator } from '../operator.ts';
import type { ControllerSession, OpenController } from '../sessions.ts';
import type { WaitEvent } from '../wait/poll.ts';
import { carryOutStep, type RemovalState } from './carry-out-model.ts';
import { doInOrder, type Failure } from './do-in-order.ts';
import type { PreparedModel } from './prepare-model.ts';

export type ApplyEvent =
  | WaitEvent<RemovalState>
  /** `text` describes the step. */
  | { readonly kind: 'step done'; readonly text: string }
  | { readonly kind: 'step failed'; readonly text: string; readonly why: string }
  /** An error follows. `done` of the `of` steps remain in effect: with several at a time, not always the first. */
  | { readonly kind: 'apply stopped'; readonly done: number; readonly of: number };

/**
 * Carries the plan out, with `parallel` steps at a time, and returns their descriptions. Errors: those of
 * ModelFiles.Begin, when another applies a file or the plan is stale; the controller's for the first step that failed.
 */
export async function applyModel(
  operator: Operator<ApplyEvent>,
  prepared: PreparedModel,
  parallel: number,
): Promise<readonly string[]> {
  const { deploy, document, live, plan } = prepared;
  const { connection } = deploy.session;
  const { file, revision } = document;
  const revertTo = deploy.revert?.revision;
  const charms = charmsToKeep(plan.steps, live.bundle.state);
  const begin = { file, revision, charms, ...defined({ 'revert-to': revertTo }) };
  return holdingModel(connection, begin, () => carryOut(operator, prepared, parallel));
}

async function carryOut(
  operator: Operator<ApplyEvent>,
  { deploy, live, plan, parts }: PreparedModel,
  parallel: number,
): Promise<readonly string[]> {
  const { session, secrets } = deploy;
  const openController = joined(deploy);
  const bundle = new BundleRun({
    operator,
    session,
    model: withoutApplications(live.bundle, replacedIn(plan.steps)),
    charms: parts.local,
    resources: parts.resources,
    openController,
    machines: plan.bundle.machines,
    force: deploy.force,
  });
  const names = bundle.names(() => undefined);
  const batches = [...batched(plan.steps)];
  const work = { operator, session, secrets, bundle, controller: () => openController(session.controller) };
  const done: string[] = [];
  const failures = await doInOrder({
    before: stepsBefore(batches.map(([step]) => step)),
    parallel,
    async run(place) {
      const batch = batches[place]!;
      // The signal takes effect only between steps, when it is certain what has been done.
      operator.signal.throwIfAborted();
      await carryOutStep(work, batch[0], batch.length);
      for (const step of batch) {
        const text = describeModelStep(step, names);
        done.push(text);
        operator.report({ kind: 'step done', text });
      }
    },
  });
  if (failures.length > 0)
    throw stopped(operator, failures, {
      batches,
      names,
      done: done.length,
      of: plan.steps.length,
      what: deploy.revert ? 'revert model' : 'apply model file',
    });
  return done;
}

/** Reports the failures; returns the first, as what the apply fails with. */
function stopped(
  { report, signal }: Operator<ApplyEvent>,
  failures: readonly Failure[],
  about: {
    readonly batches: readonly (readonly [ModelStep, ...ModelStep[]])[];
    readonly names: StepNames;
    readonly done: number;
    readonly of: number;
    readonly what: string;
  },
): unknown {
  const { batches, names, done, of, what } = about;
  for (const { place, error } of failures)
    if (error !== signal.reason)
      report({
        kind: 'step failed',
        text: describeModelStep(batches[place]![0], names),
        why: error instanceof Error ? error.message : String(error),
      });
  report({ kind: 'apply stopped', done, of });
  const [{ error }] = failures as readonly [Failure, ...Failure[]];
  if (!(error instanceof JujuError)) return error;
  return new JujuError(error.code, `cannot ${what}: ${error.message}`, { cause: error });
}

/** Opens controllers, each once; what is changed at the model's own is part of the apply. */
function joined({ session, openController }: PreparedModel['deploy']): OpenController {
  const opened = new Map<string, Promise<ControllerSession>>();
  const open = async (name: string): Promise<ControllerSession> => {
    const other = await openController(name);
    if (name === session.controller)
      await call(other.connection, 'ModelFiles', 'Join', { 'model-tag': modelTag(session.modelUuid) });
    return other;
  };
  return (name) => {
    const known = opened.get(name) ?? open(name);
    opened.set(name, known);
    return known;
  };
}
