/** Output of removal plans for people and programs. Long lists show their length, the first names and the last one. */
import { formatDuration } from '../core/duration.ts';
import { missingWords } from '../core/requirements/requirement.ts';
import type { PlannedGroup, PlannedRemoval } from '../wire/facades/removal-plan.ts';
import type { CommandContext } from './context.ts';
import { formatFlags } from './command.ts';
import { UsageError } from './errors.ts';
import { bool, type FlagValues } from './flags.ts';
import { render } from './format/render.ts';

/** Flags of every command that removes something. */
export const dryRunFlags = {
  dryRun: bool('--dry-run', 'Print what this command would remove, keep and wait for, without removing'),
  ...formatFlags('text', 'json', 'yaml'),
};

interface WaitFlags {
  readonly force?: boolean;
  readonly noWait?: boolean;
}

/**
 * Checks the flags of a command whose only structured output is its plan. Errors: UsageError, including those of
 * checkHurry.
 */
export function checkRemovalFlags(
  flags: FlagValues<Pick<typeof dryRunFlags, 'dryRun'>> & WaitFlags,
  givenFlags: ReadonlySet<string>,
): void {
  if (!flags.dryRun && (givenFlags.has('format') || givenFlags.has('output')))
    throw new UsageError('--format and --output require --dry-run');
  checkNoWait(flags);
}

/** Checks --no-wait. Errors: UsageError for --no-wait without --force. */
export function checkNoWait({ force, noWait }: WaitFlags): void {
  if (noWait && !force) throw new UsageError('--no-wait without --force not valid');
}

/** Time that a forced removal gives the agents; by default the controller's own. */
export interface WaitOptions {
  readonly force: boolean;
  readonly noWait?: boolean;
  readonly waitMs?: number | undefined;
}
const forcedWaitMs = 60_000;

/** Lists all consequences of the plan, one per line, below the heading of their target. */
export function planLines(
  plan: PlannedRemoval,
  heading: (target: number) => string,
  waitOptions: WaitOptions,
): string[] {
  const lines: string[] = [];
  plan.targets.forEach(({ error, dies = [], 'passed-over': passedOver = [] }, i) => {
    if (error) return;
    lines.push(heading(i));
    for (const text of passedOver) lines.push(`- although ${text}`);
    for (const group of dies) if (group.reason !== 'asked') lines.push(...groupLines('will remove', group));
  });
  for (const group of plan.keeps)
    lines.push(...groupLines(group.kind === 'storage' ? 'will detach' : 'will keep', group));
  for (const { kind, names, reason, why } of plan.waits) {
    // The wait for an instance's release is never cut short, not even by --no-wait.
    const verb = reason === 'release' ? 'will wait for' : waiting(waitOptions);
    const count = names.length > namedMax ? `${names.length.toLocaleString('en')} ` : '';
    const explanation = forcedWhy(reason, waitOptions) ?? why;
    lines.push(
      `- ${verb} ${count}${kind}${names.length > 1 ? 's' : ''} ${shortList(names)} (${explanation})`,
    );
  }
  const { pending = [] } = plan;
  for (const { application, missing } of pending.slice(0, namedMax))
    lines.push(`- will leave application ${application} waiting for ${missingWords(missing)}`);
  if (pending.length > namedMax) lines.push(`- will leave ${pending.length - namedMax} more waiting`);
  return lines;
}

/** Returns the reason for a wait as changed by --force or --no-wait. */
function forcedWhy(reason: string, { force, noWait }: WaitOptions): string | undefined {
  if (reason === 'release' && noWait) return 'instance to be released';
  return reason === 'failed' && force ? 'failed hooks are skipped' : undefined;
}

function waiting({ force, noWait, waitMs }: WaitOptions): string {
  if (!force) return 'will wait for';
  if (noWait) return 'will not wait for';
  return `will wait at most ${formatDuration(waitMs ?? forcedWaitMs)} for`;
}

const namedMax = 10;
const firstOfMany = 3;
/** Reasons that are clear from the heading. */
const plainReasons: ReadonlySet<string> = new Set([
  'asked',
  'unit-of',
  'relation-of',
  'offer-of',
  'on',
  'in',
]);

export function groupLines(
  verb: string,
  { kind, names, reason, why }: Pick<PlannedGroup, 'kind' | 'names' | 'reason' | 'why'>,
): string[] {
  const note = plainReasons.has(reason) ? '' : ` (${why})`;
  if (names.length <= namedMax) return names.map((name) => `- ${verb} ${kind} ${name}${note}`);
  return [
    `- ${verb} ${names.length.toLocaleString('en')} ${kind === 'storage' ? kind : `${kind}s`}: ${shortList(names)}${note}`,
  ];
}

/** Shortens a list of names: `web/0, web/1, web/2 … web/99999` */
export function shortList(names: readonly string[]): string {
  if (names.length <= namedMax) return names.join(', ');
  return `${names.slice(0, firstOfMany).join(', ')} … ${names.at(-1)!}`;
}

/** Prints the result of `--dry-run`: text to stderr as Juju does, json and yaml to stdout. */
export async function showPlan(
  context: CommandContext,
  format: string,
  { value, lines }: { value: unknown; lines: () => readonly string[] },
): Promise<void> {
  if (format !== 'text') return context.write(render(format, value));
  for (const line of lines()) context.info(line);
}
