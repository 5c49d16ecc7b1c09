import { planRelationRemoval, removeRelation as destroy } from '../../operate/remove/relation.ts';
import { only } from '../../client/calls.ts';
import { command, modelFlags } from '../command.ts';
import { UsageError } from '../errors.ts';
import { bool } from '../flags.ts';
import { withNames } from '../removal.ts';
import { dryRunFlags, planLines, showPlan } from '../removal-plan.ts';
import { printRequirements } from '../requirements.ts';
import { defined } from '../../core/defined.ts';

export const removeRelation = command({
  name: 'remove-relation',
  summary: 'Removes an existing relation between two applications.',
  usage: '<application1>[:<endpoint1>] <application2>[:<endpoint2>] | <relation-id>',
  details: `The units of both applications run their hooks for leaving the relation. Relation ids are shown by
show-unit. With --force, errors are ignored.

An application that requires the relation becomes pending, and is listed: its units keep running, but new units are not
deployed.`,
  examples: [
    'remove-relation mysql wordpress',
    'remove-relation 4',
    'remove-relation mysql:db wordpress:db --force',
    'remove-relation mysql wordpress --dry-run',
  ],
  seeAlso: ['integrate', 'remove-application', 'pending'],
  completes: ['application'],
  flags: { ...modelFlags, force: bool('--force', 'Force remove a relation'), ...dryRunFlags },
  async run(context, flags, args) {
    const { force, format } = flags;
    const byId = args.length === 1 && /^\d+$/.test(args[0]!);
    if (!byId && args.length !== 2) throw new UsageError('a relation must involve two applications');
    const session = await context.openModel(flags.model);
    const removal = { relation: byId ? Number(args[0]) : args, force };
    const plan = await planRelationRemoval(session, removal);
    const relationName =
      plan.targets[0]?.dies?.find(({ reason }) => reason === 'asked')?.names[0] ?? args.join(' ');
    const lines = ({ pending, ...rest } = plan): string[] =>
      planLines(
        { ...rest, ...defined({ pending: flags.dryRun && pending ? pending : undefined }) },
        () => `will remove relation ${relationName}`,
        { force },
      );
    if (flags.dryRun) {
      await showPlan(context, format, { value: withNames(plan, [relationName]), lines });
      only(plan.targets);
      return;
    }
    const { warnings = [], requirements } = await destroy(session, removal);
    // Applications that become pending are listed below, from the answer to the change.
    if (format === 'text') for (const line of lines()) context.info(line);
    for (const warning of warnings) context.warning(warning);
    await printRequirements(context, format, requirements);
  },
});
