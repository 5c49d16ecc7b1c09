import { anywhere } from '../../core/application/exposed-rules.ts';
import type { Exposures } from '../../core/bundle/plan-network.ts';
import type { ChangeAction, PlanChange, ValueChange } from '../../core/model-file/changes.ts';
import { replaceFlag } from '../../core/model-file/moved-offers.ts';
import type { PlanDocument } from '../../core/model-file/plan-document.ts';
import type { ShownPlan } from '../../operate/model-file/prepare-model.ts';
import { planLines } from '../removal-plan.ts';
import { unitApplication } from '../../core/names.ts';

const signs: Readonly<Record<ChangeAction, string>> = { add: '+', change: '~', replace: '±', remove: '-' };

/** A plan for people: a line for each change, with the values that change below it. */
export function formatPlan(plan: ShownPlan): string {
  const { revert } = plan;
  const as = revert ? `it was at revision ${revert.revision}` : 'the file says';
  const what = revert
    ? `Plan to revert model ${plan.model} to revision ${at(revert)}`
    : `Plan for model ${plan.model}`;
  const of = revert?.only ? `${revert.only.join(', ')} of model ${plan.model}` : `model ${plan.model}`;
  const sections = [
    plan.changes.length === 0
      ? [`Nothing to change: ${of} is as ${as}.`]
      : [`${what}, revision ${plan.revision}:`, '', ...changeLines(plan.changes)],
    titled(
      'Refused, as it takes a replacement:',
      plan.refused.map(
        (one) =>
          `± ${one.offer === undefined ? one.application : `offer ${one.offer}`}: ${one.why}; allow it with ${replaceFlag(one)}`,
      ),
    ),
    titled('Made by this file, and no longer named in it; --prune removes it:', changeLines(plan.unpruned)),
    titled('What removals take along, keep and wait for:', removalLines(plan.removal)),
    titled(
      'Stays different:',
      [...plan.differences, ...(revert?.left ?? [])].map(({ text }) => text),
    ),
    titled(
      'Would wait:',
      plan.waits.map((wait) => `${wait.application} for ${wait.for.join('; ')}`),
    ),
    titled('Asked of the cloud:', machineLines(plan.machines)),
    plan.changes.length === 0 ? [] : [summaryText(plan.summary)],
  ];
  return `${sections
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n')}\n`;
}

/** `212 of 2026-11-21T10:00:00Z`; the oldest revision that is known has no time. */
function at({ revision, time }: NonNullable<ShownPlan['revert']>): string {
  return time === '' ? String(revision) : `${revision} of ${time}`;
}

function removalLines(removal: ShownPlan['removal']): string[] {
  if (!removal) return [];
  const refusals = removal.targets.flatMap(({ error }) => (error ? [`- refused: ${error.message}`] : []));
  const heading = (i: number): string => {
    const [target] = removal.targets[i]?.dies ?? [];
    return `${target?.kind} ${target?.names.join(' ')}`;
  };
  return [...refusals, ...planLines(removal, heading, { force: false })];
}

function titled(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : [title, ...lines.map((line) => `  ${line}`)];
}

/** `3 to add, 1 to change, 0 to remove`. */
export function summaryText(summary: PlanDocument['summary']): string {
  const { add, change, replace, remove } = summary;
  const replaced = replace === 0 ? '' : `, ${replace} to replace`;
  return `${add} to add, ${change} to change${replaced}, ${remove} to remove.`;
}

function changeLines(changes: readonly PlanChange[]): string[] {
  return grouped(changes).flatMap(({ change, names }) => [
    `${signs[change.action]} ${wordOf(change.kind, names)} ${names.join(' ')}${change.why === undefined ? '' : `: ${change.why}`}`,
    ...Object.entries(change.values ?? {}).map(([name, value]) => `    ${name}: ${valueText(name, value)}`),
  ]);
}

function wordOf(kind: string, names: readonly string[]): string {
  const word = kind.replace('-', ' ');
  return names.length > 1 ? `${word}s` : word;
}

/** Units of an application that follow each other are one line. */
function grouped(changes: readonly PlanChange[]): { change: PlanChange; names: string[] }[] {
  const groups: { change: PlanChange; names: string[] }[] = [];
  for (const change of changes) {
    const last = groups.at(-1);
    const joins =
      last?.change.kind === 'unit' &&
      change.kind === 'unit' &&
      last.change.action === change.action &&
      unitApplication(last.change.name) === unitApplication(change.name);
    if (last && joins) last.names.push(change.name);
    else groups.push({ change, names: [change.name] });
  }
  return groups;
}

function valueText(name: string, { from, to }: ValueChange): string {
  const exposes = /^exposed(?:\.|$)/.test(name);
  const show = (value: unknown): string =>
    cut(exposes ? sourcesText(value as Exposures[string]) : shown(value));
  const none = exposes ? 'nobody' : '(none)';
  if (from === undefined) return show(to);
  return `${show(from)} → ${to === undefined ? none : show(to)}`;
}

const shownMax = 100;

function cut(text: string): string {
  return text.length > shownMax ? `${text.slice(0, shownMax)}…` : text;
}

/** A value in one line. */
function shown(value: unknown): string {
  if (Array.isArray(value) && value.length > 0) return value.map(shown).join(', ');
  return typeof value === 'string' && /^[\w./@:=+, -]+$/.test(value) ? value : JSON.stringify(value);
}

/** Whom an endpoint is open to: `10.0.0.0/8, space dmz`. */
function sourcesText({ cidrs, spaces }: Exposures[string]): string {
  const isOpen = cidrs.length + spaces.length === 0 || anywhere.every((cidr) => cidrs.includes(cidr));
  return isOpen ? 'everybody' : [...cidrs, ...spaces.map((space) => `space ${space}`)].join(', ');
}

/** Machines that are alike are one line: `3 machines ubuntu@24.04 mem=2048M (web/0 web/1 web/2)`. */
function machineLines(machines: PlanDocument['machines']): string[] {
  const groups = new Map<string, string[]>();
  for (const { for: purpose, base, constraints, container, directive, waits } of machines) {
    const what = container === undefined ? 'machine' : `${container.type} container on ${container.on}`;
    const text = [
      what,
      base ?? "of the model's default base",
      constraints,
      directive ?? '',
      waits ? 'once it no longer waits' : '',
    ]
      .filter((part) => part !== '')
      .join(', ');
    groups.set(text, [...(groups.get(text) ?? []), purpose]);
  }
  return [...groups].map(([text, purposes]) => `${purposes.length} × ${text}: ${purposes.join(' ')}`);
}
