/** `explain` for people: the chain of what waits for what, then who must act. */
import type { ResultOf } from '../calls.ts';
import { age } from '../../core/explain/age.ts';

type Explained = ResultOf<'Lives', 'Explain'>;
type Explanation = Explained['explanation'];
type Actor = Explained['next'][number];
type Commands = Actor['commands'];

export function explanationTree({ now, explanation, next }: Explained): string {
  const { removal } = explanation;
  const parts = [`${lineOf(explanation, now)}\n${below(explanation, now, '')}`];
  if (next.length > 0) parts.push(`Who must act:\n${next.map((one) => actorText(one, now)).join('')}`);
  if (removal) {
    const refused = removal.refused === '' ? '' : ` (${removal.refused})`;
    parts.push(`To remove it${refused}:\n${commandLines(removal.commands, '  ')}`);
  }
  return parts.join('\n');
}

function below({ 'waits-for': waitsFor, more, force }: Explanation, now: string, indent: string): string {
  const last = more > 0 ? waitsFor.length : waitsFor.length - 1;
  const lines = waitsFor.map((one, i) => {
    const [branch, space] = i === last ? ['└─ ', '   '] : ['├─ ', '│  '];
    const same = one.force?.deadline === force?.deadline;
    return `${indent}${branch}${lineOf(one, now, same)}\n${below(one, now, indent + space)}`;
  });
  if (more > 0) lines.push(`${indent}└─ … and ${more.toLocaleString('en')} more\n`);
  return lines.join('');
}

/** `unit mysql/0: dying for 12m, hook failed: "stop"` */
function lineOf(one: Explanation, now: string, forceTold = false): string {
  if (one.above) return `${one.name}: as above`;
  const { name, life, since, force, text } = one;
  const how =
    life === undefined ? '' : since === undefined ? `${life}, ` : `${life} for ${age(since, now)}, `;
  const cleared =
    force && !forceTold ? ` (forced by ${who(force.by)}, cleared at ${clock(force.deadline)})` : '';
  return `${name}: ${how}${text}${cleared}`;
}

function actorText({ kind, name, task, since, hook, commands }: Actor, now: string): string {
  const time = since === undefined ? '' : ` (${age(since, now)})`;
  const said = (hook?.said ?? []).map((line) => `      | ${line}\n`).join('');
  return `  ${actorName(kind, name)}${time}: ${task}\n${said}${commandLines(commands, '      ')}`;
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

/** As they can be copied into a shell. */
function commandLines(commands: Commands, indent: string): string {
  const width = Math.max(...commands.map(({ line }) => line.length), 0);
  return commands.map(({ line, effect }) => `${indent}${line.padEnd(width)}  # ${effect}\n`).join('');
}

/** `user-admin` → `admin` */
function who(tag: string): string {
  return tag.replace(/^user-/, '') || 'somebody';
}

function clock(time: string): string {
  return `${time.slice(11, 19)}Z`;
}
