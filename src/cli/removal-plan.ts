/** What a removal would do, told to people and to programs; of many things just how many, the first and the last. */
import { formatDuration } from '../core/duration.ts';
import { missingWords } from '../core/requirements/requirement.ts';
import type { PlannedGroup, PlannedRemoval } from '../wire/facades/removal-plan.ts';
import type { CommandContext } from './context.ts';
import { formatFlags } from './command.ts';
import { UsageError } from './errors.ts';
import { bool, type FlagValues } from './flags.ts';
import { render } from './format/render.ts';

/** Of every command that removes. */
export const dryRunFlags = {
  dryRun: bool('--dry-run', 'Print what this command would remove, keep and wait for, without removing'),
  ...formatFlags('text', 'json', 'yaml'),
};

interface Hurry {
  readonly force?: boolean;
  readonly noWait?: boolean;
}

/** Of a command that tells programs nothing but its plan. Errors: UsageError, checkHurry's too. */
export function checkRemovalFlags(
  flags: FlagValues<Pick<typeof dryRunFlags, 'dryRun'>> & Hurry,
  given: ReadonlySet<string>,
): void {
  if (!flags.dryRun && (given.has('format') || given.has('output')))
    throw new UsageError('--format and --output are for --dry-run');
  checkHurry(flags);
}

/** Errors: UsageError for --no-wait without --force. */
export function checkHurry({ force, noWait }: Hurry): void {
  if (noWait && !force) throw new UsageError('--no-wait without --force not valid');
}

/** How long what is forced is left to its agents; the controller's own rule when the user says nothing. */
export interface Patience {
  readonly force: boolean;
  readonly noWait?: boolean;
  readonly waitMs?: number | undefined;
}
const forcedWaitMs = 60_000;

/** All that happens, but for what each target itself is told of with: a line each. */
export function planLines(
  plan: PlannedRemoval,
  heading: (target: number) => string,
  patience: Patience,
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
    // An instance is never left to itself, however hurried.
    const verb = reason === 'release' ? 'will wait for' : waiting(patience);
    const many = names.length > namedMax ? `${names.length.toLocaleString('en')} ` : '';
    const what = forcedWhy(reason, patience) ?? why;
    lines.push(`- ${verb} ${many}${kind}${names.length > 1 ? 's' : ''} ${some(names)} (${what})`);
  }
  const { pending = [] } = plan;
  for (const { application, missing } of pending.slice(0, namedMax))
    lines.push(`- will leave application ${application} waiting for ${missingWords(missing)}`);
  if (pending.length > namedMax) lines.push(`- will leave ${pending.length - namedMax} more waiting`);
  return lines;
}

/** What --force, or --no-wait, makes of the reason for a wait. */
function forcedWhy(reason: string, { force, noWait }: Patience): string | undefined {
  if (reason === 'release' && noWait) return 'instance to be released';
  return reason === 'failed' && force ? 'a hook has failed' : undefined;
}

function waiting({ force, noWait, waitMs }: Patience): string {
  if (!force) return 'will wait for';
  if (noWait) return 'will not wait for';
  return `will wait at most ${formatDuration(waitMs ?? forcedWaitMs)} for`;
}

const namedMax = 10;
const firstOfMany = 3;
/** What the heading above makes plain. */
const plain: ReadonlySet<string> = new Set(['asked', 'unit-of', 'relation-of', 'offer-of', 'on', 'in']);

export function groupLines(
  verb: string,
  { kind, names, reason, why }: Pick<PlannedGroup, 'kind' | 'names' | 'reason' | 'why'>,
): string[] {
  const note = plain.has(reason) ? '' : ` (${why})`;
  if (names.length <= namedMax) return names.map((name) => `- ${verb} ${kind} ${name}${note}`);
  return [
    `- ${verb} ${names.length.toLocaleString('en')} ${kind === 'storage' ? kind : `${kind}s`}: ${some(names)}${note}`,
  ];
}

/** `web/0, web/1, web/2 … web/99999` */
export function some(names: readonly string[]): string {
  if (names.length <= namedMax) return names.join(', ');
  return `${names.slice(0, firstOfMany).join(', ')} … ${names.at(-1)!}`;
}

/** Prints what `--dry-run` asks for: text as talk, as Juju does; json and yaml on stdout. */
export async function showPlan(
  context: CommandContext,
  format: string,
  { value, lines }: { value: unknown; lines: () => readonly string[] },
): Promise<void> {
  if (format !== 'text') return context.write(render(format, value));
  for (const line of lines()) context.info(line);
}
