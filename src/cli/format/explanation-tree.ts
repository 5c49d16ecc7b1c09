/** Output of `explain` for people: the tree of causes, followed by those who must act. */
import { visibleLine } from '../../kit/visible.ts';
import type { ResultOf } from '../../client/calls.ts';
import { age } from '../../core/explain/age.ts';

type Explained = ResultOf<'Lives', 'Explain'>;
type Explanation = Explained['explanation'];
type Actor = Explained['next'][number];
type Commands = Actor['commands'];

/** Share of a limit from which on its use is shown. */
const nearlyFull = 0.8;

export function explanationTree({ now, explanation, next, quotas }: Explained): string {
  const { removal } = explanation;
  const parts = [`${lineOf(explanation, now)}\n${below(explanation, now, '')}`];
  const hidden = hiddenIn(explanation);
  if (next.length > 0) {
    const rest =
      hidden > 0 ? `  whoever ${hidden.toLocaleString('en')} more that are not listed wait for\n` : '';
    const groups = grouped(next).map((group) => groupText(group, now));
    parts.push(`Who must act:\n${groups.join('')}${rest}`);
  }
  // A user's limits are always shown, because an explanation of a user has nothing else.
  const near = quotas.filter(({ used, max }) => explanation.kind === 'user' || used >= nearlyFull * max);
  if (near.length > 0) parts.push(`Limits:\n${near.map((one) => `  ${usage(one)}\n`).join('')}`);
  if (removal) {
    const refused = removal.refused === '' ? '' : ` (${removal.refused})`;
    parts.push(`To remove it${refused}:\n${commandLines(removal.commands, '  ')}`);
  }
  return parts.join('\n');
}

/** Returns the number of causes that are not listed, for which nobody is named who must act. */
function hiddenIn({ more, 'waits-for': waitsFor }: Explanation): number {
  return waitsFor.reduce((sum, one) => sum + hiddenIn(one), more);
}

/** Formats the use of a limit: `charm state: 2,000,000 of 2,097,152 bytes (95 %)` */
function usage({ of, used, max, unit }: Explained['quotas'][number]): string {
  const share = max === 0 ? 100 : Math.floor((100 * used) / max);
  return `${of}: ${used.toLocaleString('en')} of ${max.toLocaleString('en')} ${unit} (${share} %)`;
}

function below({ 'waits-for': waitsFor, more, force }: Explanation, now: string, indent: string): string {
  const known = waitsFor.filter(({ above }) => above).map(({ name }) => name);
  const branches: ((space: string) => string)[] = waitsFor
    .filter(({ above }) => !above)
    .map((one) => (space) => {
      const forceTold = one.force?.deadline === force?.deadline;
      return `${lineOf(one, now, forceTold)}\n${below(one, now, indent + space)}`;
    });
  if (known.length > 0) branches.push(() => `${known.join(', ')}: as above\n`);
  if (more > 0) branches.push(() => `… and ${more.toLocaleString('en')} more\n`);
  return branches
    .map((branch, i) => {
      const isLast = i === branches.length - 1;
      return `${indent}${isLast ? '└─ ' : '├─ '}${branch(isLast ? '   ' : '│  ')}`;
    })
    .join('');
}

/** Formats one entity: `unit mysql/0: dying for 12m, hook failed: "stop"` */
function lineOf(one: Explanation, now: string, forceTold = false): string {
  const { name, life, since, force, text } = one;
  const how =
    life === undefined ? '' : since === undefined ? `${life}, ` : `${life} for ${age(since, now)}, `;
  const cleared =
    force && !forceTold ? ` (forced by ${who(force.by)}, cleared at ${clock(force.deadline)})` : '';
  return visibleLine(`${name}: ${how}${text}${cleared}`);
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
  const ago = since === undefined ? '' : age(since, now);
  const time = ago === '' ? '' : hook ? ` (last failed ${ago} ago)` : ` (${ago})`;
  const units = group.flatMap((one) => one.hook?.unit ?? []);
  const names = units.length > 1 ? `units ${units.join(', ')}` : name;
  const lines = commands.map(({ line, effect }) => ({
    line: hook ? ofAll(line, hook.unit, units) : line,
    effect,
  }));
  return `  ${visibleLine(`${actorName(kind, names)}${time}: ${task}`)}\n${saidLines(group)}${commandLines(lines, '      ')}`;
}

/** Extends a command line for one unit to all of the units. */
function ofAll(line: string, unit: string, units: readonly string[]): string {
  return line.startsWith('grigri debug-log ')
    ? line.replace(`--include ${unit}`, units.map((one) => `--include ${one}`).join(' '))
    : line.replace(unit, units.join(' '));
}

/** Returns the last output of the failed hooks: each line once, with the numbers of units and repetitions. */
function saidLines(group: readonly Actor[]): string {
  const all = group.flatMap(({ hook }) => (hook?.said ?? []).map((one) => ({ ...one, unit: hook!.unit })));
  const same = Map.groupBy(all, ({ line }) => line);
  return [...same]
    .map(([line, said]) => {
      const times = said.reduce((sum, one) => sum + one.times, 0);
      const [first] = said;
      const who = group.length > 1 && said.length === 1 ? `${first!.unit} ` : '';
      const counts = [
        ...(said.length > 1 ? [`${said.length} units`] : []),
        ...(times > said.length ? [`${times} times`] : []),
      ];
      return `      ${who}| ${visibleLine(line)}${counts.length > 0 ? `  (${counts.join(', ')})` : ''}\n`;
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
function who(tag: string): string {
  return tag.replace(/^user-/, '') || 'somebody';
}

function clock(time: string): string {
  return `${time.slice(11, 19)}Z`;
}
