/** Output of `explain` for people: the tree of causes, followed by those who must act. */
import { visibleLine } from '../../kit/visible.ts';
import type { ResultOf } from '../../client/calls.ts';
import { age } from '../../core/explain/age.ts';

type Explained = ResultOf<'Lives', 'Explain'>;
type Explanation = Explained['explanation'];
type Actor = Explained['next'][number];
type Commands = Actor['commands'];

/** Share of a limit from which its use is shown. */
const nearlyFull = 0.8;

export function explanationTree({ now, explanation, next: actors, quotas }: Explained): string {
  const { removal } = explanation;
  const parts = [`${lineOf(explanation, now)}\n${causeLines(explanation, now, '')}`];
  const hidden = hiddenIn(explanation);
  if (actors.length > 0) {
    const unlisted =
      hidden > 0 ? `  and the actors for ${hidden.toLocaleString('en')} causes that are not listed\n` : '';
    const groups = grouped(actors).map((group) => groupText(group, now));
    parts.push(`Who must act:\n${groups.join('')}${unlisted}`);
  }
  // A user's limits are always shown, because an explanation of a user has nothing else.
  const shownQuotas = quotas.filter(
    ({ used, max }) => explanation.kind === 'user' || used >= nearlyFull * max,
  );
  if (shownQuotas.length > 0)
    parts.push(`Limits:\n${shownQuotas.map((one) => `  ${usage(one)}\n`).join('')}`);
  if (removal?.commands.length === 0) parts.push(`No command removes it alone: ${removal.refused}\n`);
  else if (removal) {
    const refused = removal.refused === '' ? '' : ` (${removal.refused})`;
    parts.push(`To remove it${refused}:\n${commandLines(removal.commands, '  ')}`);
  }
  return parts.join('\n');
}

/** Returns the number of causes that are not listed and do not name who must act. */
function hiddenIn({ more, 'waits-for': waitsFor }: Explanation): number {
  return waitsFor.reduce((sum, one) => sum + hiddenIn(one), more);
}

/** Formats the use of a limit: `charm state: 2,000,000 of 2,097,152 bytes (95 %)` */
function usage({ of, used, max, unit }: Explained['quotas'][number]): string {
  const share = max === 0 ? 100 : Math.floor((100 * used) / max);
  return `${of}: ${used.toLocaleString('en')} of ${max.toLocaleString('en')} ${unit} (${share} %)`;
}

function causeLines(
  { 'waits-for': waitsFor, more, force }: Explanation,
  now: string,
  indent: string,
): string {
  const shownAbove = waitsFor.filter(({ above }) => above).map(({ name }) => name);
  const branches: ((space: string) => string)[] = waitsFor
    .filter(({ above }) => !above)
    .map((cause) => (space) => {
      const isForceShown = cause.force?.deadline === force?.deadline;
      return `${lineOf(cause, now, isForceShown)}\n${causeLines(cause, now, indent + space)}`;
    });
  if (shownAbove.length > 0) branches.push(() => `${shownAbove.join(', ')}: as above\n`);
  if (more > 0) branches.push(() => `… and ${more.toLocaleString('en')} more\n`);
  return branches
    .map((branch, i) => {
      const isLast = i === branches.length - 1;
      return `${indent}${isLast ? '└─ ' : '├─ '}${branch(isLast ? '   ' : '│  ')}`;
    })
    .join('');
}

/** Formats one entity: `unit mysql/0: dying for 12m, hook failed: "stop"` */
function lineOf(explanation: Explanation, now: string, isForceShown = false): string {
  const { name, life, since, force, text } = explanation;
  const lifeText =
    life === undefined ? '' : since === undefined ? `${life}, ` : `${life} for ${age(since, now)}, `;
  const cleared =
    force && !isForceShown ? ` (forced by ${userName(force.by)}, cleared at ${clock(force.deadline)})` : '';
  return visibleLine(`${name}: ${lifeText}${text}${cleared}`);
}

/** Groups units in which the same hook failed, because they are one task for the user. */
function grouped(actors: readonly Actor[]): Actor[][] {
  const groups = Map.groupBy(actors, ({ kind, name, task, hook }) => `${kind} ${hook ? '' : name} ${task}`);
  return [...groups.values()];
}

function groupText(group: readonly Actor[], now: string): string {
  const [first] = group;
  if (!first) return '';
  const { kind, name, task, since, hook, commands } = first;
  const ageText = since === undefined ? '' : age(since, now);
  const time = ageText === '' ? '' : hook ? ` (last failed ${ageText} ago)` : ` (${ageText})`;
  const units = group.flatMap((one) => one.hook?.unit ?? []);
  const names = units.length > 1 ? `units ${units.join(', ')}` : name;
  const lines = commands.map(({ line, effect }) => ({
    line: hook ? forAllUnits(line, hook.unit, units) : line,
    effect,
  }));
  return `  ${visibleLine(`${actorName(kind, names)}${time}: ${task}`)}\n${hookOutputLines(group)}${commandLines(lines, '      ')}`;
}

/** Extends a command line for one unit to all units of its group. */
function forAllUnits(line: string, unit: string, units: readonly string[]): string {
  return line.includes('debug-log ')
    ? line.replace(`--include ${unit}`, units.map((one) => `--include ${one}`).join(' '))
    : line.replace(unit, units.join(' '));
}

/** Returns the last output of the failed hooks: each line once, with the numbers of units and repetitions. */
function hookOutputLines(group: readonly Actor[]): string {
  const outputLines = group.flatMap(({ hook }) =>
    (hook?.said ?? []).map((one) => ({ ...one, unit: hook!.unit })),
  );
  const byLine = Map.groupBy(outputLines, ({ line }) => line);
  return [...byLine]
    .map(([line, occurrences]) => {
      const times = occurrences.reduce((sum, one) => sum + one.times, 0);
      const [first] = occurrences;
      const unitPrefix = group.length > 1 && occurrences.length === 1 ? `${first!.unit} ` : '';
      const counts = [
        ...(occurrences.length > 1 ? [`${occurrences.length} units`] : []),
        ...(times > occurrences.length ? [`${times} times`] : []),
      ];
      return `      ${unitPrefix}| ${visibleLine(line)}${counts.length > 0 ? `  (${counts.join(', ')})` : ''}\n`;
    })
    .join('');
}

function actorName(kind: Actor['kind'], name: string): string {
  switch (kind) {
    case 'operator':
      return `you, for ${name}`;
    case 'agent':
    case 'charm':
      return `the ${kind} of ${name}`;
    default:
      return `the ${kind}, for ${name}`;
  }
}

/** Formats commands so that they can be copied into a shell. */
function commandLines(commands: Commands, indent: string): string {
  const width = Math.max(...commands.map(({ line }) => line.length), 0);
  return commands.map(({ line, effect }) => `${indent}${line.padEnd(width)}  # ${effect}\n`).join('');
}

/** Formats a user's tag: `user-admin` → `admin` */
function userName(tag: string): string {
  return tag.replace(/^user-/, '') || 'an unknown user';
}

function clock(time: string): string {
  return `${time.slice(11, 19)}Z`;
}
