/** Shared part of remove-application, remove-unit and remove-machine. */
import {
  executedPlan,
  outcome,
  planRemoval,
  remove,
  requiresPrompts,
  type Removal,
  type RemovalResult,
} from '../operate/remove/removal.ts';
import type { ModelSession } from '../operate/sessions.ts';
import type { PlannedRemoval } from '../wire/facades/removal-plan.ts';
import type { CommandContext } from './context.ts';
import { Exit } from './errors.ts';
import { bool, type FlagValues } from './flags.ts';
import { confirm, mustAsk, promptFlags } from './prompts.ts';
import { dryRunFlags, planLines, showPlan } from './removal-plan.ts';
import { printRequirements } from './requirements.ts';

export const removalFlags = (entity: string) => ({
  force: bool('--force', `Completely remove ${entity} and all its dependencies`),
  noWait: bool(
    '--no-wait',
    `Rush through ${entity.replace(/^an? /, '')} removal without waiting for each individual step to complete`,
  ),
  ...promptFlags,
  ...dryRunFlags,
});

type Flags = Omit<FlagValues<ReturnType<typeof removalFlags>>, 'output'> &
  Pick<Removal, 'destroyStorage' | 'keepInstance'>;

/**
 * Prints what will be removed, asks for confirmation when the model requires it, and removes. Errors: Aborted; Exit 1
 * after the failures were printed.
 */
export async function removeNamed(
  context: CommandContext,
  session: ModelSession,
  { kind, names, flags }: Pick<Removal, 'kind' | 'names'> & { readonly flags: Flags },
): Promise<void> {
  const removal: Removal = { ...flags, kind, names };
  const isAsking = !flags.dryRun && mustAsk(flags) && (await requiresPrompts(session));
  const plan = await planRemoval(session, removal);
  const lines = (shown = plan): string[] => planLines(shown, (i) => heading(removal, names[i]!), flags);
  if (!flags.dryRun && !isAsking) {
    const results = await remove(session, removal);
    const executed = executedPlan(plan, results);
    if (executed.targets.some(({ error }) => !error)) for (const line of lines(executed)) context.info(line);
    return end(context, { removal, format: flags.format, results, hasRefused: false });
  }

  const hasRefused = printErrors(context, removal, plan.targets);
  if (flags.dryRun) {
    await showPlan(context, flags.format, { value: withNames(plan, names), lines });
    if (flags.format === 'text') printForceHints(context, removal, plan);
    if (hasRefused) throw new Exit(1);
    return;
  }
  const accepted = { ...removal, names: names.filter((_, i) => !plan.targets[i]?.error) };
  if (accepted.names.length === 0) throw new Exit(1);
  context.warning('This command will perform the following actions:');
  for (const line of lines()) context.io.stderr.write(`${line}\n`);
  await confirm(context, `${kind} removal`);
  const results = await remove(session, accepted);
  await end(context, { removal: accepted, format: flags.format, results, hasRefused });
}

/** Returns the plan for structured output: each target with its name, and whether all of the plan would be accepted. */
export function withNames(plan: PlannedRemoval, names: readonly string[]): unknown {
  const { targets, ...rest } = plan;
  return {
    accepted: targets.every(({ error }) => !error),
    targets: targets.map((target, i) => ({ name: names[i], ...target })),
    ...rest,
  };
}

function heading({ kind, keepInstance }: Removal, name: string): string {
  return `will remove ${kind} ${name}${keepInstance ? ' (but retaining cloud instance)' : ''}`;
}

function printErrors(
  context: CommandContext,
  { kind, names }: Removal,
  results: readonly RemovalResult[],
): boolean {
  let failed = false;
  names.forEach((name, i) => {
    const error = results[i]?.error;
    if (!error) return;
    failed = true;
    context.io.stderr.write(`ERROR removing ${kind} ${name} failed: ${error.message}\n`);
  });
  return failed;
}

function printForceHints(context: CommandContext, { kind, names }: Removal, plan: PlannedRemoval): void {
  plan.targets.forEach((target, i) => {
    if (target['force-helps']) context.info(`${kind} ${names[i]} could be removed with --force`);
  });
}

async function end(
  context: CommandContext,
  {
    removal,
    format,
    results,
    hasRefused,
  }: { removal: Removal; format: string; results: readonly RemovalResult[]; hasRefused: boolean },
): Promise<void> {
  const hasFailed = printErrors(context, removal, results);
  for (const { warnings = [] } of results) for (const warning of warnings) context.warning(warning);
  const { removed, requirements } = outcome(removal.names, results);
  await printRequirements(context, format, requirements, { removed });
  if (hasFailed || hasRefused) throw new Exit(1);
}
