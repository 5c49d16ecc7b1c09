import { parseGoal } from '../../core/goal/goal.ts';
import { applyModel, type ApplyEvent } from '../../operate/model-file/apply-model.ts';
import { prepareModel, type PreparedModel } from '../../operate/model-file/prepare-model.ts';
import { defaultGoals, goalTypes } from '../../operate/wait/goal.ts';
import { waitForApplications, type UnmetApplications } from '../../operate/wait/wait-for-applications.ts';
import { refuseTrust } from '../bundle/deploy-bundle.ts';
import { command, formatFlags } from '../command.ts';
import type { CommandContext } from '../context.ts';
import { UsageError } from '../errors.ts';
import { bool, duration, int, text } from '../flags.ts';
import { formatPlan } from '../format/plan.ts';
import { render } from '../format/render.ts';
import { withGoalHelp } from '../goal-help.ts';
import { planFlags, readFileArgument } from '../model-file.ts';
import { confirm, mustAsk, promptFlags } from '../prompts.ts';
import { waitingOperator } from '../wait.ts';

/** Maximum of --parallel: requests of one connection that the controller takes at a time are far more. */
const parallelMax = 64;

export const apply = command({
  name: 'apply',
  summary: 'Makes a model what a model file says.',
  usage: '<model file>',
  details: `Shows the plan (see plan), asks, and carries it out. What is as the file says stays untouched, so a second apply does
nothing, and one that was stopped, whatever the reason, is continued by the next.

What an apply makes belongs to the file, by the name in the file or else that of the model. With --prune it removes what
the file once made and no longer names, and nothing else. While it runs, no other apply can begin in the model; it does not
begin at all when somebody has changed the model since the plan was made.

--parallel carries out as many steps at a time that do not need each other. --wait then waits until each application of the
file is active with idle agents, or until a query of wait-for about an application holds for each.`,
  examples: [
    'apply ./model.yaml',
    'apply ./model.yaml --dry-run',
    'apply ./model.yaml --prune --no-prompt --wait active --timeout 20m',
    `apply ./model.yaml --no-prompt --parallel 8 --wait 'status=="active" && unplaced==0'`,
  ],
  seeAlso: ['plan', 'diff', 'export', 'wait-for'],
  completes: ['file'],
  flags: {
    ...planFlags,
    ...formatFlags('text', 'json', 'yaml'),
    ...promptFlags,
    dryRun: bool('--dry-run', 'Only show the plan'),
    parallel: int('--parallel', 'Maximum number of steps that are carried out at a time', 1),
    timeout: duration('--timeout', 'How long --wait waits, before timing out', '10m0s'),
    trust: bool('--trust', "Allows applications of the file to have access to the cloud's credentials"),
    wait: text('--wait', 'Wait until applications are active, or until this query holds for each'),
  },
  async run(context, flags, args) {
    const { parallel } = flags;
    if (parallel < 1 || parallel > parallelMax)
      throw new UsageError(`--parallel must be between 1 and ${parallelMax}`);
    const query = flags.wait === 'active' ? defaultGoals.application : flags.wait;
    const goal = query === '' ? undefined : readGoal(query);
    const deploy = await readFileArgument(context, flags, args);
    if (!flags.trust) refuseTrust(deploy.file.bundle, 'apply');
    const prepared = await prepareModel(
      context.operator(() => undefined),
      deploy,
    );
    const { document } = prepared;
    await context.write(render(flags.format, document, { text: () => formatPlan(document) }));
    if (flags.dryRun) return;
    refuseReplacements(prepared);
    if (prepared.plan.steps.length > 0) {
      if (mustAsk(flags)) await confirm(context, 'apply');
      await applyModel(applyOperator(context), prepared, parallel);
      context.info('Apply completed.');
    }
    if (!goal) return;
    const names = Object.keys(deploy.file.bundle.applications).sort();
    const timeoutMs = flags.timeout ?? 10 * 60_000;
    const { connection } = deploy.session;
    await waitForApplications(waitingOperator(context, waitLine), connection, { names, goal, timeoutMs });
    context.info('All applications of the file are as --wait asks.');
  },
});

function readGoal(query: string) {
  try {
    return parseGoal(query, { types: goalTypes, kind: 'application' });
  } catch (error) {
    throw withGoalHelp(error, query);
  }
}

/** Refuses a plan that takes replacements which were not allowed. */
function refuseReplacements({ plan: { refused } }: PreparedModel): void {
  if (refused.length === 0) return;
  const flags = refused.map(({ application }) => `--replace ${application}`).join(' ');
  throw new Error(`the plan cannot be applied without replacements: allow them with ${flags}`);
}

function applyOperator(context: CommandContext) {
  return context.operator<ApplyEvent>((event) => {
    switch (event.kind) {
      case 'waiting':
        return context.verbose(`waiting until ${event.state.waitsFor} is gone`);
      case 'step done':
        return context.info(`- ${event.text}`);
      case 'step failed':
        return context.info(`Failed: ${event.text}: ${event.why}`);
      case 'apply stopped':
        return context.info(
          `${event.done} of ${event.of} changes are made; run the same command again to continue.`,
        );
    }
  });
}

const namesMax = 5;

function waitLine({ unmet }: UnmetApplications): string {
  const names = unmet.slice(0, namesMax).map(({ name, state }) => `${name} (${state})`);
  const more = unmet.length > namesMax ? ` and ${unmet.length - namesMax} more` : '';
  return `waiting for ${names.join(', ')}${more}`;
}
