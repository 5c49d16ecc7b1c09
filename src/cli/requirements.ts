/**
 * Output of a change's effect on requirements, for people and programs: applications that are now deployed, and those
 * still pending.
 */
import { missingWords } from '../core/requirements/requirement.ts';
import type { PendingApplication, RequirementsChange } from '../wire/facades/requirements.ts';
import { formatFlags } from './command.ts';
import type { CommandContext } from './context.ts';
import { render } from './format/render.ts';

/** Flags of every command that may change which applications are pending. */
export const requirementsFlags = formatFlags('text', 'json', 'yaml');

const noChange: RequirementsChange = { deployable: [], running: [], circles: [], pending: [] };
const listedMax = 10;
const firstOfMany = 3;
/** Maximum number of pending applications that the controller lists (wire/facades/requirements.ts). */
const reportedMax = 100;

/**
 * Prints the effect of a change. Text goes to stderr, and is empty when there is no effect. Structured output always
 * has the members `did` of the command and the effect as `requirements`, which is empty for older controllers.
 */
export async function printRequirements(
  context: CommandContext,
  format: string,
  change: RequirementsChange = noChange,
  commandResult: Readonly<Record<string, unknown>> = {},
): Promise<void> {
  if (format !== 'text') return context.write(render(format, { ...commandResult, requirements: change }));
  for (const line of requirementLines(change)) context.info(line);
}

export function requirementLines({ deployable, running, circles, pending }: RequirementsChange): string[] {
  const inCircles = new Set(circles.flat());
  const outsideCircles = deployable.filter((name) => !inCircles.has(name));
  const metAgain = outsideCircles.filter((name) => running.includes(name));
  const nowDeployed = outsideCircles.filter((name) => !running.includes(name));
  const lines = circles
    .slice(0, listedMax)
    .map((circle) => `${named(circle)} require each other: deployed together`);
  if (circles.length > listedMax) lines.push(`… and ${count(circles.length - listedMax)} more such circles`);
  if (nowDeployed.length > 0) lines.push(`${named(nowDeployed)}: requirements met, now deployed`);
  if (metAgain.length > 0) lines.push(`${named(metAgain)}: requirements met again`);
  lines.push(...pending.slice(0, listedMax).map(pendingLine));
  const unlisted = pending.length - listedMax;
  if (unlisted > 0)
    lines.push(
      `… and ${pending.length < reportedMax ? `${unlisted} more` : 'more'} pending: see 'grigri pending'`,
    );
  return lines;
}

function pendingLine({ application, missing, running }: PendingApplication): string {
  const missingText = missingWords(missing);
  return running > 0
    ? `new units of ${application} wait for ${missingText}`
    : `${application} waits for ${missingText}`;
}

/** Formats a list: `a`, `a and b`, `a, b and c`, `a, b, c … and 97 more` */
function named(names: readonly string[]): string {
  if (names.length > listedMax)
    return `${names.slice(0, firstOfMany).join(', ')} … and ${count(names.length - firstOfMany)} more`;
  return [names.slice(0, -1).join(', '), ...names.slice(-1)].filter(Boolean).join(' and ');
}

function count(n: number): string {
  return n.toLocaleString('en');
}
