import type { Bundle } from '../../core/bundle/bundle.ts';
import type { BundleModel } from '../../core/bundle/bundle-model.ts';
import { describeStep, type StepNames } from '../../core/bundle/describe-step.ts';
import { parseMachineMap } from '../../core/bundle/map-machines.ts';
import { own } from '../../core/bundle/own.ts';
import { planBundle, type BundlePlan } from '../../core/bundle/plan-bundle.ts';
import { bundleProblems } from '../../core/bundle/problems.ts';
import { verifyBundle } from '../../core/bundle/verify-bundle.ts';
import { formatConstraints, type Constraints } from '../../core/constraints.ts';
import { hasCode, JujuError } from '../../core/errors.ts';
import { missingWords } from '../../core/requirements/requirement.ts';
import type { PendingApplication } from '../../wire/facades/requirements.ts';
import { call } from '../../client/calls.ts';
import { checkedConstraints } from '../constraints.ts';
import type { CommandContext, ModelSession } from '../context.ts';
import { UsageError } from '../errors.ts';
import { mergeRequirements, tellRequirements } from '../requirements.ts';
import { reuseParam } from '../reused.ts';
import { bundleCharms } from './bundle-charms.ts';
import { batched, BundleRun } from './carry-out.ts';
import { readBundle } from './read-bundle.ts';
import { readModel } from './read-model.ts';

export interface BundleFlags {
  readonly model: string;
  readonly format: string;
  readonly overlay: readonly string[];
  readonly mapMachines: string;
  readonly dryRun: boolean;
  readonly force: boolean;
  readonly trust: boolean;
  readonly reuseMachines: boolean;
}

/** Flags that say of one application what a bundle says itself. */
const ofCharms: Readonly<Record<string, string>> = {
  attachStorage: '--attach-storage',
  base: '--base',
  bind: '--bind',
  channel: '--channel',
  config: '--config',
  constraints: '--constraints',
  numUnits: '--num-units',
  require: '--require',
  resource: '--resource',
  revision: '--revision',
  storage: '--storage',
  to: '--to',
};

/**
 * Everything that can be refused is, before anything is changed; then step by step, each said when it is done. A
 * second run continues where the first ended, whyever that was. `file` as findBundle has it.
 */
export async function deployBundle(
  context: CommandContext,
  file: string,
  flags: BundleFlags,
  given: ReadonlySet<string>,
): Promise<void> {
  const wrong = Object.entries(ofCharms).flatMap(([flag, shown]) => (given.has(flag) ? [shown] : []));
  if (wrong.length > 0)
    throw new UsageError(`options provided but not supported when deploying a bundle: ${wrong.join(', ')}`);
  const map = parseMachineMap(flags.mapMachines);
  const { bundle, warnings } = await readBundle(context, file, flags.overlay);
  if (!flags.trust) refuseTrust(bundle);
  for (const warning of warnings) context.warning(warning);

  const session = await context.openModel(flags.model);
  const model = await readModel(session.connection);
  const { byApplication, local } = await bundleCharms(session.connection, bundle, model);
  const problems = verifyBundle(bundle, (name) => byApplication[name], model.requireMode);
  if (problems.length > 0) throw bundleProblems(problems);
  const plan = planBundle({ bundle, model, charms: byApplication, map, force: flags.force });
  await checkConstraints(context, session, plan);
  for (const warning of plan.warnings) context.warning(warning);
  for (const [application, missing] of plan.waits)
    context.warning(`${application} would wait for ${missingWords(missing)}`);

  const run = new BundleRun({
    context,
    session,
    model,
    charms: local,
    machines: plan.machines,
    force: flags.force,
    reuse: reuseParam(given, flags.reuseMachines),
  });
  const names = run.names((application) => {
    const missing = plan.waits.get(application);
    return missing && missingWords(missing);
  });
  if (flags.dryRun) return tellDryRun(context, flags.format, { plan, model, names });
  const lines = await carryOut(context, { plan, run, names });
  await tellEnd(context, session, { format: flags.format, bundle, plan, run, lines });
}

function refuseTrust({ applications }: Bundle): void {
  const trusted = Object.keys(applications).filter((name) => applications[name]?.trust);
  if (trusted.length > 0)
    throw new JujuError(
      '',
      `the bundle lets ${trusted.sort().join(', ')} use the cloud's credentials (trust: true): give --trust if they may`,
    );
}

/** Asked once for each. */
async function checkConstraints(
  context: CommandContext,
  { connection }: ModelSession,
  { steps }: BundlePlan,
): Promise<void> {
  const all = new Map<string, Constraints>();
  for (const step of steps)
    if (step.kind === 'deploy' || step.kind === 'set-constraints' || step.kind === 'add-machine')
      all.set(formatConstraints(step.constraints), step.constraints);
  for (const constraints of all.values()) await checkedConstraints(context, connection, constraints);
}

async function carryOut(
  context: CommandContext,
  { plan: { steps }, run, names }: { plan: BundlePlan; run: BundleRun; names: StepNames },
): Promise<string[]> {
  const lines: string[] = [];
  if (steps.length === 0) {
    context.info('No changes to apply.');
    return lines;
  }
  context.info('Executing changes:');
  for (const batch of batched(steps)) {
    try {
      // ^C ends it between two steps, when it is certain what is done.
      context.io.signal.throwIfAborted();
      await run.do(batch);
    } catch (error) {
      const what = describeStep(batch[0], names);
      context.info(
        `Stopped at: ${what}\n${lines.length} of ${steps.length} changes are made; the same command continues with the rest.`,
      );
      if (!(error instanceof JujuError)) throw error;
      throw new JujuError(error.code, `cannot deploy bundle: ${error.message}`, { cause: error });
    }
    for (const step of batch) {
      const line = describeStep(step, names);
      lines.push(line);
      context.info(`- ${line}`);
    }
  }
  context.info('Deploy of bundle completed.');
  return lines;
}

async function tellDryRun(
  context: CommandContext,
  format: string,
  { plan, model, names }: { plan: BundlePlan; model: BundleModel; names: StepNames },
): Promise<void> {
  const changes = plan.steps.map((step) => describeStep(step, names));
  context.info(changes.length > 0 ? 'Changes to deploy bundle:' : 'No changes to apply.');
  for (const change of changes) context.info(`- ${change}`);
  if (format === 'text') return;
  const since = new Date(context.io.clock.now()).toISOString();
  const pending = [...plan.waits].map(([application, missing]): PendingApplication => {
    const has = own(model.units, application) ?? [];
    const added = plan.steps.filter(
      (step) => step.kind === 'add-unit' && step.unit.application === application,
    );
    const running = has.filter(({ machine }) => machine !== undefined).length;
    return { application, since, missing, units: has.length - running + added.length, running };
  });
  const { warnings } = plan;
  await tellRequirements(
    context,
    format,
    { deployable: [], running: [], circles: [], pending },
    { changes, warnings },
  );
}

async function tellEnd(
  context: CommandContext,
  { connection }: ModelSession,
  {
    format,
    bundle,
    plan,
    run,
    lines,
  }: { format: string; bundle: Bundle; plan: BundlePlan; run: BundleRun; lines: readonly string[] },
): Promise<void> {
  const { deployable, running, circles } = mergeRequirements(run.changes);
  const pending = (await pendingNow(connection)).filter(({ application }) =>
    Object.hasOwn(bundle.applications, application),
  );
  // Of what was made by this command, that it is deployed is no news.
  const told = { deployable: format === 'text' ? [] : deployable, running, circles, pending };
  await tellRequirements(context, format, told, { changes: lines, warnings: plan.warnings });
}

async function pendingNow(connection: ModelSession['connection']): Promise<readonly PendingApplication[]> {
  try {
    return (await call(connection, 'Requirements', 'Pending', {})).applications;
  } catch (error) {
    if (hasCode(error, 'not implemented')) return [];
    throw error;
  }
}
