/** Parses the conditions that follow `wait until` and `expect`. */
import { nouns, type Condition, type Noun } from './scenario.ts';

/**
 * Parses `units web/0 web/1 are active and idle and machine 0 is gone`: conditions are joined by `and`; one without a
 * subject has that of the previous one. Errors: plain Error.
 */
export function parseConditions(words: readonly string[]): Condition[] {
  const conditions: Condition[] = [];
  let subject: Subject | undefined;
  for (const part of parts(words)) {
    if (part.join(' ') === 'nothing is left') conditions.push({ kind: 'nothing-left' });
    else if (part[0] === 'application' && part.slice(2).join(' ') === 'is settled')
      conditions.push({ kind: 'settled', application: part[1] ?? '' });
    else if (part[0] === 'application' && part[2] === 'has') conditions.push(unitCount(part));
    else if (part.slice(0, 4).join(' ') === 'the last hooks of') conditions.push(lastHooks(part));
    else {
      const named = readSubject(part);
      subject = named?.subject ?? subject;
      if (!subject) throw new Error(`"${part.join(' ')}" does not begin with ${nouns.join(', ')} or nothing`);
      const predicate = readPredicate(named?.rest ?? part, subject.noun);
      for (const name of subject.names)
        conditions.push({ kind: 'is', noun: subject.noun, name, ...predicate });
    }
  }
  if (conditions.length === 0) throw new Error('there is nothing to wait for or to expect');
  return conditions;
}

interface Subject {
  readonly noun: Noun;
  readonly names: readonly string[];
}

function parts(words: readonly string[]): string[][] {
  const found: string[][] = [[]];
  for (const word of words)
    if (word === 'and') found.push([]);
    else found.at(-1)?.push(word);
  return found.filter((part) => part.length > 0);
}

/** Parses `application web has 2 units`. */
function unitCount([, application = '', , count = '', noun, ...rest]: readonly string[]): Condition {
  if (!/^\d+$/.test(count) || (noun !== 'units' && noun !== 'unit') || rest.length > 0)
    throw new Error('units are counted as: application <name> has <number> units');
  return { kind: 'units', application, count: Number(count) };
}

/** Parses `the last hooks of web/0 are stop remove`. */
function lastHooks([, , , , unit = '', verb, ...hooks]: readonly string[]): Condition {
  if (verb !== 'are' || hooks.length === 0)
    throw new Error('hooks are told of as: the last hooks of <unit> are <hook> <hook>…');
  return { kind: 'last-hooks', unit, hooks };
}

function readSubject(part: readonly string[]): { subject: Subject; rest: readonly string[] } | undefined {
  const [first = ''] = part;
  const noun = nouns.find((one) => first === one || first === `${one}s`);
  if (!noun) return undefined;
  const verb = part.findIndex((word) => word === 'is' || word === 'are');
  if (verb < 0) throw new Error(`"${part.join(' ')}" lacks is or are`);
  const names = part.slice(1, verb);
  if (noun === 'model') return { subject: { noun, names: [''] }, rest: part.slice(verb + 1) };
  if (names.length === 0) throw new Error(`"${part.join(' ')}" does not say which ${noun}`);
  // A relation's name consists of its two endpoints.
  const all = noun === 'relation' ? [names.join(' ')] : names;
  return { subject: { noun, names: all }, rest: part.slice(verb + 1) };
}

const lives = ['alive', 'dying', 'dead', 'there', 'gone'];
const workloadStates = ['active', 'blocked', 'error', 'maintenance', 'terminated', 'unknown', 'waiting'];
const agentStates = ['allocating', 'executing', 'failed', 'idle', 'lost'];
const states: Readonly<Record<Noun, readonly string[]>> = {
  unit: [...lives, ...workloadStates, ...agentStates],
  machine: [...lives, 'pending', 'allocating', 'running', 'started', 'stopped', 'down', 'error', 'lost'],
  application: [...lives, ...workloadStates],
  relation: [...lives, 'joining', 'joined'],
  storage: [...lives, 'pending', 'attaching', 'attached', 'detaching', 'detached', 'destroying', 'error'],
  instance: ['there', 'gone'],
  model: ['there', 'gone', 'available', 'suspended', 'destroying'],
};

/** Parses `[in] <state> [with <text>]`; a unit may also be `running <hook>`. */
function readPredicate(words: readonly string[], noun: Noun): { state: string; message: string } {
  const [state = '', ...rest] = words[0] === 'in' ? words.slice(1) : words;
  if (state === 'running' && noun === 'unit' && rest.length === 1)
    return { state: 'executing', message: `running ${rest[0]} hook` };
  if (!states[noun].includes(state))
    throw new Error(
      `of a ${noun} one can say that it is ${states[noun].join(', ')}${noun === 'unit' ? ', running <hook>' : ''}; not "${words.join(' ')}"`,
    );
  if (rest.length === 0) return { state, message: '' };
  if (rest[0] !== 'with' || rest.length !== 2)
    throw new Error(`what follows "${state}" is: with '<text of its status>'`);
  return { state, message: rest[1] ?? '' };
}
