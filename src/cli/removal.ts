/** What remove-application, remove-unit and remove-machine have in common. */
import type { PlannedRemoval } from '../wire/facades/removal-plan.ts';
import type { RequirementsChange } from '../wire/facades/requirements.ts';
import type { CommandContext, ModelSession } from './context.ts';
import { call } from '../client/calls.ts';
import { Exit } from './errors.ts';
import { bool, type FlagValues } from './flags.ts';
import { confirm, mustAsk, promptFlags } from './prompts.ts';
import { dryRunFlags, planLines, showPlan } from './removal-plan.ts';
import { mergeRequirements, tellRequirements } from './requirements.ts';

export const removalFlags = (what: string) => ({
  force: bool('--force', `Completely remove ${what} and all its dependencies`),
  noWait: bool(
    '--no-wait',
    `Rush through ${what.replace(/^an? /, '')} removal without waiting for each individual step to complete`,
  ),
  ...promptFlags,
  ...dryRunFlags,
});

interface Result {
  readonly error?: { readonly message: string } | undefined;
  readonly warnings?: readonly string[] | undefined;
  readonly requirements?: RequirementsChange | undefined;
}

export interface Removal {
  /** `application`, `unit`, `machine` */
  readonly what: string;
  readonly names: readonly string[];
  readonly tag: (name: string) => string;
  readonly session: ModelSession;
  readonly flags: Omit<FlagValues<ReturnType<typeof removalFlags>>, 'output'> & {
    readonly destroyStorage?: boolean;
    readonly keepInstance?: boolean;
  };
  /** `will remove machine 3 (but retaining cloud instance)` without the first two words. */
  readonly shown?: (name: string) => string;
  /** Removes these of the names. */
  readonly call: (names: readonly string[]) => Promise<readonly Result[]>;
}

/**
 * Tells what will be removed, asks when the model wants that (`mode` holds `requires-prompts`), and removes. Errors:
 * Aborted; Exit 1 after telling of each that failed.
 */
export async function remove(context: CommandContext, removal: Removal): Promise<void> {
  const { flags, names } = removal;
  const isAsking = !flags.dryRun && mustAsk(flags) && (await requiresPrompts(removal.session));
  const plan = await planOf(removal);
  if (!flags.dryRun && !isAsking) {
    const results = await removal.call(names);
    tellDone(context, removal, plan, results);
    return end(context, removal, names, results, false);
  }

  const hasRefused = tellErrors(context, removal, names, plan.targets);
  const lines = (): string[] => planLines(plan, (i) => heading(removal, names[i]!), flags);
  if (flags.dryRun) {
    await showPlan(context, flags.format, { value: withNames(plan, names), lines });
    if (flags.format === 'text') tellWhatForceHelps(context, removal, plan);
    if (hasRefused) throw new Exit(1);
    return;
  }
  const accepted = names.filter((_, i) => !plan.targets[i]?.error);
  if (accepted.length === 0) throw new Exit(1);
  context.warning('This command will perform the following actions:');
  for (const line of lines()) context.io.stderr.write(`${line}\n`);
  await confirm(context, `${removal.what} removal`);
  const results = await removal.call(accepted);
  await end(context, removal, accepted, results, hasRefused);
}

function planOf({ session, names, tag, flags }: Removal): Promise<PlannedRemoval> {
  return call(session.connection, 'Lives', 'PlanRemoval', {
    targets: names.map((name) => ({ tag: tag(name) })),
    ...(flags.force ? { force: true } : {}),
    ...(flags.keepInstance ? { keep: true } : {}),
    ...(flags.destroyStorage ? { 'destroy-storage': true } : {}),
  });
}

/** What programs are told: the plan, each target with its name, and whether all of it would be accepted. */
export function withNames(plan: PlannedRemoval, names: readonly string[]): unknown {
  const { targets, ...rest } = plan;
  return {
    accepted: targets.every(({ error }) => !error),
    targets: targets.map((target, i) => ({ name: names[i], ...target })),
    ...rest,
  };
}

function heading({ what, shown }: Removal, name: string): string {
  return `will remove ${shown?.(name) ?? `${what} ${name}`}`;
}

/** Prints of the plan what was really done. Applications that wait from now on are in the change's answer, not here. */
function tellDone(
  context: CommandContext,
  removal: Removal,
  { targets, keeps, waits }: PlannedRemoval,
  results: readonly Result[],
): void {
  const { names, flags } = removal;
  const done = targets.map((target, i) => {
    const error = results[i]?.error;
    if (error) return { error: { code: '', message: error.message } };
    // What was refused a moment ago may be accepted now.
    return target.error ? { dies: [] } : target;
  });
  if (done.every(({ error }: PlannedRemoval['targets'][number]) => error)) return;
  const lines = planLines({ targets: done, keeps, waits }, (i) => heading(removal, names[i]!), flags);
  for (const line of lines) context.info(line);
}

function tellErrors(
  context: CommandContext,
  { what }: Removal,
  names: readonly string[],
  results: readonly Result[],
): boolean {
  let failed = false;
  names.forEach((name, i) => {
    const error = results[i]?.error;
    if (!error) return;
    failed = true;
    context.io.stderr.write(`ERROR removing ${what} ${name} failed: ${error.message}\n`);
  });
  return failed;
}

function tellWhatForceHelps(context: CommandContext, { what, names }: Removal, plan: PlannedRemoval): void {
  plan.targets.forEach((target, i) => {
    if (target['force-helps']) context.info(`${what} ${names[i]} could be removed with --force`);
  });
}

async function end(
  context: CommandContext,
  removal: Removal,
  names: readonly string[],
  results: readonly Result[],
  hasRefused: boolean,
): Promise<void> {
  const hasFailed = tellErrors(context, removal, names, results);
  for (const { warnings = [] } of results) for (const warning of warnings) context.warning(warning);
  const removed = names.filter((_, i) => !results[i]?.error);
  const change = mergeRequirements(
    results.map(({ requirements }) => requirements),
    removed,
  );
  await tellRequirements(context, removal.flags.format, change, { removed });
  if (hasFailed || hasRefused) throw new Exit(1);
}

async function requiresPrompts(session: ModelSession): Promise<boolean> {
  const { config } = await call(session.connection, 'ModelConfig', 'ModelGet', {});
  const mode = config['mode']?.value;
  return typeof mode !== 'string' || mode.split(',').some((one) => one.trim() === 'requires-prompts');
}
