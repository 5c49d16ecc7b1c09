/** Parses a scenario's text. */
import { checkLimit, limits } from '../../core/limits.ts';
import { partsOf } from './match-output.ts';
import { parseConditions } from './parse-conditions.ts';
import type {
  Action,
  Behaviour,
  CharmEndpoint,
  CharmStorage,
  CloudEvent,
  Command,
  Scenario,
  ScenarioCharm,
  Step,
} from './scenario.ts';
import { everyHook, outcomes } from './scenario.ts';
import { splitWords } from '../../kit/words.ts';

/**
 * Parses a scenario. `source`: what errors call its text, such as the path of its file. Errors: JujuError `quota limit
 * exceeded` for a text that is too long; plain Error that begins with `<source>:<line>: `.
 */
export function parseScenario(name: string, text: string, source = name): Scenario {
  checkLimit(limits.scenarioBytes, new TextEncoder().encode(text).length, `scenario ${source}`);
  const steps: Step[] = [];
  let title = '';
  let line = 0;
  try {
    for (const raw of text.split('\n')) {
      line++;
      const words = raw.trim();
      if (words.startsWith('#')) title ||= words.replace(/^#+\s*/, '');
      else if (words.startsWith('>')) addOutput(steps, words.slice(1).trim());
      else if (words !== '') steps.push({ line, text: words, ...parseAction(words) });
    }
    if (title === '') throw new Error('the first line says, after a #, what this is about');
    if (steps.length === 0) throw new Error('a scenario has at least one step');
  } catch (error) {
    throw new Error(`${source}:${line}: ${(error as Error).message}`, { cause: error });
  }
  checkLimit(limits.scenarioSteps, steps.length, `steps of scenario ${source}`);
  return { name, title, steps };
}

type Parser = (words: readonly string[], line: string) => Action | undefined;

const parsers: Readonly<Record<string, Parser>> = {
  $: (_, line) => ({ kind: 'command', command: parseCommand(line.slice(1)), fails: false }),
  '!': (_, line) =>
    /^!\s*\$/.test(line)
      ? { kind: 'command', command: parseCommand(line.replace(/^!\s*\$/, '')), fails: true }
      : undefined,
  charm: (_, line) => ({ kind: 'charm', charm: parseCharm(line) }),
  file: (_, line) => {
    const [, name, content] = /^file ([a-z][a-z0-9-]*\.txt): (.*)$/.exec(line) ?? [];
    return name === undefined ? undefined : { kind: 'file', name, content: content! };
  },
  wait: (words, line) =>
    words[1] === 'until'
      ? { kind: 'wait', conditions: conditionsIn(line.replace(/^wait\s+until\s+/, '')) }
      : undefined,
  expect: (_, line) => ({ kind: 'expect', conditions: conditionsIn(line.replace(/^expect\s+/, '')) }),
  let: parseLet,
  kill: parseKill,
  the: parseCloud,
  zone: parseCloud,
};

const otherStarts = Object.keys(parsers)
  .filter((start) => start !== '$')
  .join(', ');

function parseAction(line: string): Action {
  const words = splitWords(line);
  const first = line.startsWith('!') ? '!' : (words[0] ?? '');
  const parser = Object.hasOwn(parsers, first) ? parsers[first] : undefined;
  const action = parser?.(words, line);
  if (!action)
    throw new Error(
      `"${line}" is nothing that a scenario can say: a command begins with "$ ", other lines with ${otherStarts}`,
    );
  return action;
}

/** Parses `let [<hook> of] <unit> succeed|fail|wait`. */
function parseLet(words: readonly string[]): Action | undefined {
  const named = words[2] === 'of';
  const [unit, said, ...rest] = words.slice(named ? 3 : 1);
  const outcome = outcomes.find((one) => one === said);
  if (!unit || !outcome || rest.length > 0) return undefined;
  return { kind: 'let', unit, hook: (named && words[1]) || everyHook, outcome };
}

function parseKill(_: readonly string[], line: string): Action | undefined {
  if (line === 'kill the controller') return { kind: 'kill-controller' };
  const [, machine, forGood] = /^kill the agent of machine (\S+)( for good)?$/.exec(line) ?? [];
  return machine === undefined ? undefined : { kind: 'kill-agent', machine, forGood: forGood !== undefined };
}

function parseCloud(_: readonly string[], line: string): Action | undefined {
  const event = cloudEvent(line);
  return event && { kind: 'cloud', event };
}

function cloudEvent(line: string): CloudEvent | undefined {
  switch (line) {
    case 'the cloud starts no machines':
    case 'the cloud starts machines again':
      return { kind: 'starts', possible: line.endsWith('again') };
    case 'the cloud refuses the credential':
    case 'the cloud accepts the credential again':
      return { kind: 'credential', accepted: line.endsWith('again') };
    case 'the cloud has room for all machines':
      return { kind: 'room', machines: 0 };
  }
  const [, room] = /^the cloud has room for ([1-9]\d*) machines?$/.exec(line) ?? [];
  if (room !== undefined) return { kind: 'room', machines: Number(room) };
  const [, mem] = /^the cloud has no machine with more than (\d+)M of memory$/.exec(line) ?? [];
  if (mem !== undefined) return { kind: 'largest', mem: Number(mem) };
  const [, machine] = /^the cloud loses the instance of machine (\S+)$/.exec(line) ?? [];
  if (machine !== undefined) return { kind: 'loses', machine };
  const [, zone, how] = /^zone (\S+) (fails|works again)$/.exec(line) ?? [];
  return zone === undefined ? undefined : { kind: 'zone', zone, works: how !== 'fails' };
}

function parseCommand(line: string): Command {
  const argv = splitWords(line);
  if (argv.length === 0) throw new Error('a command is missing');
  return { argv, output: [] };
}

function conditionsIn(line: string): ReturnType<typeof parseConditions> {
  if (line.startsWith('$')) return [{ kind: 'prints', command: parseCommand(line.slice(1)) }];
  return parseConditions(splitWords(line));
}

/** Adds an expected output line (`>`) to the command above it, whether it is run or waited for. */
function addOutput(steps: Step[], output: string): void {
  for (const word of output.split(/\s/)) partsOf(word);
  const last = steps.pop();
  const add = (command: Command): Command => ({ ...command, output: [...command.output, output] });
  if (last?.kind === 'command') steps.push({ ...last, command: add(last.command) });
  else if (
    (last?.kind === 'wait' || last?.kind === 'expect') &&
    last.conditions.some((one) => one.kind === 'prints')
  )
    steps.push({
      ...last,
      conditions: last.conditions.map((one) =>
        one.kind === 'prints' ? { ...one, command: add(one.command) } : one,
      ),
    });
  else throw new Error('there is no command whose output this could be');
}

/** Parses `charm <name>[: <clause>, <clause>…]`. */
function parseCharm(line: string): ScenarioCharm {
  const [, name, , clauses = ''] = /^charm ([a-z][a-z0-9-]*)(: *(.*))?$/.exec(line) ?? [];
  if (name === undefined) throw new Error('a charm is written as: charm <name>: <clause>, <clause>…');
  let subordinate = false;
  const endpoints: CharmEndpoint[] = [];
  const storage: CharmStorage[] = [];
  const resources: string[] = [];
  const hooks: Record<string, Behaviour> = {};
  for (const clause of clauses.split(',').map((one) => one.trim())) {
    const endpoint = /^(provides|requires|needs|peers) (\S+) as (\S+)( in container)?$/.exec(clause);
    const store = /^(stores|may store) ([a-z][a-z0-9-]*)$/.exec(clause);
    const resource = /^has resource ([a-z][a-z0-9-]*)$/.exec(clause)?.[1];
    const behaviour = /^([a-z-]+) (?:(fails|waits)|takes (\d+)s)$/.exec(clause);
    if (clause === '') continue;
    if (clause === 'subordinate') subordinate = true;
    else if (endpoint)
      endpoints.push({
        role: endpoint[1] === 'needs' ? 'requires' : (endpoint[1] as CharmEndpoint['role']),
        name: endpoint[2] ?? '',
        interface: endpoint[3] ?? '',
        container: endpoint[4] !== undefined,
        required: endpoint[1] === 'needs',
      });
    else if (store) storage.push({ name: store[2] ?? '', optional: store[1] !== 'stores' });
    else if (resource !== undefined) resources.push(resource);
    else if (behaviour)
      hooks[behaviour[1] ?? ''] = behaviour[2]
        ? { kind: 'led', first: behaviour[2] === 'fails' ? 'fail' : 'wait' }
        : { kind: 'takes', seconds: Number(behaviour[3]) };
    else throw new Error(`"${clause}" is nothing that can be said of a charm`);
  }
  return { name, subordinate, endpoints, storage, resources, hooks };
}
