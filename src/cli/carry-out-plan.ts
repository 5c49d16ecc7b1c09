/** What the commands that carry out a plan of a model have in common: apply and revert. */
import { parseGoal, type Goal } from '../core/goal/goal.ts';
import { applyModel, type ApplyEvent } from '../operate/model-file/apply-model.ts';
import { refuseReplacements, type PreparedModel } from '../operate/model-file/prepare-model.ts';
import { defaultGoals, goalTypes } from '../operate/wait/goal.ts';
import { waitForApplications, type UnmetApplications } from '../operate/wait/wait-for-applications.ts';
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
export function readCarryOut({ parallel, wait }: FlagValues<typeof carryOutFlags>): Goal | undefined {
  if (parallel < 1 || parallel > parallelMax)
    throw new UsageError(`--parallel must be between 1 and ${parallelMax}`);
  const query = wait === 'active' ? defaultGoals.application : wait;
  return query === '' ? undefined : readGoal(query);
}

/** Asks, carries the plan out, and waits for the file's applications. */
export async function carryOut(
  context: CommandContext,
  flags: Flags,
  prepared: PreparedModel,
  { goal, command }: { readonly goal: Goal | undefined; readonly command: 'apply' | 'revert' },
): Promise<void> {
  const { deploy, plan } = prepared;
  refuseReplacements(prepared);
  if (plan.steps.length > 0) {
    if (mustAsk(flags)) await confirm(context, command);
    await applyModel(applyOperator(context, prepared), prepared, flags.parallel);
    context.info(command === 'apply' ? 'Apply completed.' : 'Revert completed.');
  }
  if (!goal) return;
  const names = Object.keys(deploy.file.bundle.applications).sort();
  const timeoutMs = flags.timeout ?? 10 * 60_000;
  const { connection } = deploy.session;
  const unitless = flags.wait === 'active' ? 'met' : 'by the goal';
  const wanted = { names, goal, timeoutMs, unitless } as const;
  await waitForApplications(waitingOperator(context, waitLine), connection, wanted);
  context.info(`All applications ${command === 'apply' ? 'of the file' : 'of then'} are as --wait asks.`);
}

function readGoal(query: string) {
  try {
    return parseGoal(query, { types: goalTypes, kind: 'application' });
  } catch (error) {
    throw withGoalHelp(error, query);
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

const namesMax = 5;

function waitLine({ unmet }: UnmetApplications): string {
  const names = unmet.slice(0, namesMax).map(({ name, state }) => `${name} (${state})`);
  const more = unmet.length > namesMax ? ` and ${unmet.length - namesMax} more` : '';
  return `waiting for ${names.join(', ')}${more}`;
}
