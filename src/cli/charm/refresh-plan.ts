/** Output of `refresh --dry-run` (refresh.md#dry-run). */
import type { RefreshPlan } from '../../operate/refresh/rollout.ts';
import type { CommandContext } from '../context.ts';
import { formatSection } from '../format/tabwriter.ts';
import { shortList, showPlan } from '../removal-plan.ts';
import { requirementLines } from '../requirements.ts';

/** Prints the plan: text to stderr, json and yaml to stdout, as other dry runs do. */
export function showRefreshPlan(context: CommandContext, format: string, plan: RefreshPlan): Promise<void> {
  return showPlan(context, format, { value: plan, lines: () => planLines(plan) });
}

function planLines({
  application,
  charm,
  changes,
  units,
  storage = [],
  rollout,
  requirements,
}: RefreshPlan): string[] {
  const lines = [
    `would ${rollout?.kind === 'rollback' ? 'roll back' : 'refresh'} ${application} to ${charm}`,
  ];
  if (changes.length > 0) lines.push(...table(changeRows(changes)));
  const waiting = units.filter(({ waits }) => waits !== undefined);
  const names = units.map(({ name }) => name);
  if (rollout) {
    lines.push(
      `- would upgrade ${rollout['max-unavailable']} at a time, each batch when the one before is ${rollout['wait-for'] === 'active' ? 'idle and active' : `idle, and ${rollout['wait-for']}`}`,
      ...table(batchRows(rollout.batches)),
    );
    if (rollout.batches.length === 0)
      lines.push('- would release no unit: none that has a machine runs another charm');
  } else if (names.length > 0)
    lines.push(`- would upgrade ${names.length} units at once: ${shortList(names)}`);
  else lines.push('- would upgrade no unit');
  for (const { name, waits } of waiting.slice(0, waitingMax))
    lines.push(`- would not upgrade ${name} yet: it ${waits}`);
  if (waiting.length > waitingMax) lines.push(`- … and ${waiting.length - waitingMax} more that wait`);
  if (storage.length > 0)
    lines.push(
      `- would leave ${storage.length} storage${storage.length > 1 ? 's' : ''} with ${storage.length > 1 ? 'their units' : 'its unit'}, of which ${charm} knows nothing: ${shortList(storage.map(({ id, unit }) => `${id} (${unit})`))}`,
    );
  if (requirements) lines.push(...requirementLines(requirements));
  return lines;
}

const waitingMax = 10;
const textMax = 60;

function changeRows(changes: RefreshPlan['changes']): string[][] {
  return [
    ['Part', 'Name', 'From', 'To', 'Why'],
    ...changes.map(({ part, name, from, to, note = '' }) => [part, name || '-', cut(from), cut(to), note]),
  ];
}

/** Formats a text for a column; `-` for an absent one. */
function cut(text = '-'): string {
  return text.length > textMax ? `${text.slice(0, textMax)}…` : text;
}

function batchRows(batches: NonNullable<RefreshPlan['rollout']>['batches']): string[][] {
  const rows = batches.map(({ units, pauses }, i) => [
    String(i + 1),
    shortList(units),
    pauses ? 'pauses until --resume' : '',
  ]);
  const shown =
    rows.length > batchesMax ? [...rows.slice(0, batchesMax - 1), ['…', '', ''], rows.at(-1)!] : rows;
  return rows.length === 0 ? [] : [['Batch', 'Units', 'Then'], ...shown];
}

const batchesMax = 20;

function table(rows: readonly (readonly string[])[]): string[] {
  return formatSection({ rows })
    .split('\n')
    .slice(0, -1)
    .map((line) => line.trimEnd());
}
