import { defined } from '../../core/defined.ts';
import type { ModelStep } from '../../core/model-file/step.ts';
import { prepareRevert } from '../../operate/model-file/prepare-revert.ts';
import { carryOut, carryOutFlags, readCarryOut } from '../carry-out-plan.ts';
import { rollingFlags, rollingOf } from '../charm/rollout.ts';
import { command, formatFlags, modelFlags } from '../command.ts';
import { noMoreArgs, UsageError } from '../errors.ts';
import { bool, commas, list, text } from '../flags.ts';
import { formatPlan } from '../format/plan.ts';
import { render } from '../format/render.ts';
import { readMoment } from '../moment.ts';
import { promptFlags } from '../prompts.ts';

export const revert = command({
  name: 'revert',
  summary: 'Returns a model to what it was.',
  usage: '--to <revision or time>',
  details: `Shows what would make the model what was declared at a revision (see history) or a time, asks, and does it: applications
with their charms, resources, configuration, scale, relations, exposure and offers; the model's settings, constraints and
access. What was made since then goes; units that have gone are new ones, without what the old ones had stored.

--rolling gives units the charm of then in batches, as refresh --rolling does; else all units take it at once.

--only reverts these applications with their relations, and leaves everything else as it is.

Charms and contents of resources that are no longer used are kept as long as the history, so that a revert has them. What
cannot be as it was is in the plan, before anything is changed: charms that are no longer kept, contents of secrets, and
secrets and storage pools made since then, which stay.

A revert is a change like others: the history has it, and it can be reverted. One that was stopped is continued by the next
to the same revision. --dry-run only shows the plan; with --detailed-exitcode the exit code is then 2 when there is something
to change. json and yaml have the form of docs/reference/plan.md. Only admins of the model can see and revert to its past.`,
  examples: [
    'revert --to 1234',
    'revert --to 10m --dry-run',
    "revert --to '2026-11-21 10:00' --only web,database",
    'revert --to 1234 --rolling --no-prompt --wait active',
  ],
  seeAlso: ['history', 'status', 'plan', 'apply', 'refresh'],
  flags: {
    ...modelFlags,
    ...formatFlags('text', 'json', 'yaml'),
    ...promptFlags,
    ...carryOutFlags,
    ...rollingFlags,
    detailedExitcode: bool('--detailed-exitcode', 'With --dry-run, exit with 2 when there are changes'),
    dryRun: bool('--dry-run', 'Only show the plan'),
    force: bool('--force', 'Allow bases that a charm does not have'),
    only: commas('--only', 'Applications to revert; others stay as they are'),
    replace: list(
      '--replace',
      'Application that may be removed and deployed anew, or offer:<name> that may be made anew, where that is needed',
    ),
    to: text('--to', 'The revision, or the time, that the model is returned to'),
    trust: bool('--trust', "Allows applications to have access to the cloud's credentials again"),
  },
  async run(context, flags, args, givenFlags) {
    noMoreArgs(args);
    if (flags.to === '') throw new UsageError('specify what to return to: --to <revision or time>');
    if (flags.detailedExitcode && !flags.dryRun)
      throw new UsageError('--detailed-exitcode requires --dry-run');
    const awaited = readCarryOut(flags);
    const rolling = rollingOf(flags, givenFlags);
    const moment = readMoment('--to', flags.to, context.io.clock.now());
    const prepared = await context.progress(
      'Waiting for the plan',
      prepareRevert(
        context.operator(() => undefined),
        {
          session: await context.openModel(flags.model),
          openController: (name) => context.openController(name),
          moment,
          force: flags.force,
          replace: flags.replace,
          ...defined({ only: flags.only.length > 0 ? flags.only : undefined, rolling }),
        },
      ),
    );
    const { document, plan } = prepared;
    await context.write(render(flags.format, document, { text: () => formatPlan(document) }));
    const differs = document.changes.length + document.refused.length > 0;
    if (flags.dryRun) return flags.detailedExitcode && differs ? 2 : 0;
    if (!flags.trust) refuseTrust(plan.steps);
    await carryOut(context, flags, prepared, { awaited, command: 'revert' });
    return 0;
  },
});

/** Refuses steps that give access to the cloud's credentials. */
function refuseTrust(steps: readonly ModelStep[]): void {
  const trusted = steps.flatMap((step) =>
    (step.kind === 'deploy' || step.kind === 'set-options') && step.options['trust'] === true
      ? [step.application]
      : [],
  );
  if (trusted.length > 0)
    throw new Error(
      `the revert gives ${trusted.sort().join(', ')} access to the cloud's credentials again: allow that with --trust`,
    );
}
