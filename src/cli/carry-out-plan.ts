/** What the commands that carry out a plan of a model have in common: apply and revert. */
import { parseGoal } from '../core/goal/goal.ts';
import { applyModel, type ApplyEvent } from '../operate/model-file/apply-model.ts';
import { refuseReplacements, type PreparedModel } from '../operate/model-file/prepare-model.ts';
import { goalTypes } from '../operate/wait/goal.ts';
import {
  unmetText,
  waitForApplications,
  type AwaitedState,
  type UnmetApplications,
} from '../operate/wait/wait-for-applications.ts';
import type { CommandContext } from './context.ts';
import { UsageError } from './errors.ts';
import { duration, int, text, type FlagValues } from './flags.ts';
import { withGoalHelp } from './goal-help.ts';
import { confirm, mustAsk, type promptFlags } from './prompts.ts';
import { waitingOperator } from './wait.ts';

/** Maximum of --parallel: requests of one connection that the controller takes at a time are far more. */
const parallelMax = 64;

export const carryOutFlags = {
  parallel: int('--parallel', 'Maximum number of steps that are carried out at a time', 1),
  timeout: duration('--timeout', 'How long --wait waits, before timing out', '10m0s'),
  wait: text('--wait', 'Wait until applications are active, or until this query holds for each'),
};

type Flags = FlagValues<typeof carryOutFlags> & FlagValues<typeof promptFlags>;

/** Checks the flags; returns what --wait asks, if anything. Errors: UsageError. */
export function readCarryOut({ parallel, wait }: FlagValues<typeof carryOutFlags>): AwaitedState | undefined {
  if (parallel < 1 || parallel > parallelMax)
    throw new UsageError(`--parallel must be between 1 and ${parallelMax}`);
  if (wait === '') return undefined;
  return wait === 'active' ? wait : readGoal(wait);
}

/** Asks, carries the plan out, and waits for the file's applications. */
export async function carryOut(
  context: CommandContext,
  flags: Flags,
  prepared: PreparedModel,
  { awaited, command }: { readonly awaited: AwaitedState | undefined; readonly command: 'apply' | 'revert' },
): Promise<void> {
  const { deploy, plan } = prepared;
  refuseReplacements(prepared);
  if (plan.steps.length > 0) {
    if (mustAsk(flags)) await confirm(context, command);
    await applyModel(applyOperator(context, prepared), prepared, flags.parallel);
    context.info(command === 'apply' ? 'Apply completed.' : 'Revert completed.');
  }
  if (!awaited) return;
  const names = Object.keys(deploy.file.bundle.applications).sort();
  const timeoutMs = flags.timeout ?? 10 * 60_000;
  const { connection, controller, modelUuid } = deploy.session;
  const reopen = async () => (await context.openModel(`${controller}:${modelUuid}`)).connection;
  const operator = waitingOperator(context, (state: UnmetApplications) => `waiting for ${unmetText(state)}`);
  await waitForApplications(operator, { connection, reopen }, { names, awaited, timeoutMs });
  context.info(`All applications ${command === 'apply' ? 'of the file' : 'of then'} are as --wait asks.`);
}

function readGoal(query: string) {
  try {
    return parseGoal(query, { types: goalTypes, kind: 'application' });
  } catch (error) {
    const helped = withGoalHelp(error, query);
    throw helped instanceof Error ? new UsageError(helped.message, { cause: error }) : helped;
  }
}

function applyOperator(context: CommandContext, { deploy: { revert } }: PreparedModel) {
  const again = revert ? `revert to revision ${revert.revision} again` : 'run the same command again';
  return context.operator<ApplyEvent>((event) => {
    switch (event.kind) {
      case 'waiting':
        return context.verbose(`waiting until ${event.state.waitsFor} is gone`);
      case 'step done':
        return context.info(`- ${event.text}`);
      case 'step failed':
        return context.info(`Failed: ${event.text}: ${event.why}`);
      case 'apply stopped':
        return context.info(`${event.done} of ${event.of} changes are made; ${again} to continue.`);
    }
  });
}
