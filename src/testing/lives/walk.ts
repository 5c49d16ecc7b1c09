/**
 * Explores every order in which the steps of a small world can happen: a command of the operator's script, or a move
 * of an agent or worker, one at a time. A visited state is not explored again, so that each transition is checked
 * once, however many interleavings lead over it.
 */
import { seen, violations } from '../invariants.ts';
import { moves } from './duties.ts';
import { placeOf, takeStep, type Place } from './compare.ts';
import type { Facts } from './facts.ts';
import { sayStep, type Command, type Step } from './step.ts';
import { lostVolumes, orphans, World, type WorldState } from './world.ts';

export interface SmallWorld {
  readonly name: string;
  /** Commands, after each of which agents and workers finish. */
  readonly begin: readonly Command[];
  /** Commands in this order, each at any time. */
  readonly script: readonly Command[];
}

export interface Walked {
  readonly states: number;
  /** Number of steps that changed something. */
  readonly transitions: number;
  /** Number of steps that were refused, or changed nothing. */
  readonly idle: number;
  /** Number of different orders of steps from the beginning to an end. */
  readonly interleavings: number;
  /** Number of states in which no step is possible. */
  readonly quiet: number;
  /** Steps to the farthest state. */
  readonly depth: number;
}

/** Violation; `steps` lead to it from the world's beginning. */
export class Fault extends Error {
  readonly steps: readonly Step[];
  readonly wrong: readonly string[];
  constructor(world: SmallWorld, steps: readonly Step[], wrong: readonly string[]) {
    const said = steps.map((step) => `  ${sayStep(step)}`);
    super(`${world.name}, after ${steps.length} steps:\n${said.join('\n')}\n${wrong.join('\n')}`);
    this.steps = steps;
    this.wrong = wrong;
  }
}

interface Frame {
  readonly place: Place;
  readonly state: WorldState;
  /** Index in the script. */
  readonly done: number;
  readonly key: number;
  readonly steps: readonly Step[];
  next: number;
  /** Step that led to this state. */
  readonly by: Step | undefined;
  interleavings: number;
  isQuiet: boolean;
}

/** Explores every state of the world. Throws Fault; an Error beyond `most` states. */
export async function walk(small: SmallWorld, most = Infinity): Promise<Walked> {
  const world = new World();
  await begin(world, small);
  const figures = { states: 0, transitions: 0, idle: 0, quiet: 0, depth: 0 };
  /** State → number of interleavings from it to an end; NaN while it is being explored. */
  const known = new Map<number, number>();
  const stack: Frame[] = [];
  const fail = (wrong: readonly string[], ...last: Step[]): never => {
    const steps = [...stack.flatMap(({ by }) => by ?? []), ...last];
    throw new Fault(small, steps, wrong);
  };
  const enter = (place: Place, done: number, key: number, by: Step | undefined): void => {
    const command = small.script[done];
    const steps = [...moves(place.facts), ...(command ? [command] : [])];
    figures.states++;
    known.set(key, NaN);
    stack.push({ place, state: world.state, done, key, steps, next: 0, by, interleavings: 0, isQuiet: true });
    figures.depth = Math.max(figures.depth, stack.length - 1);
  };
  const start = placeOf(world);
  enter(start, 0, hash(`${start.text}|0`), undefined);

  for (let frame = stack.at(-1); frame; frame = stack.at(-1)) {
    const step = frame.steps[frame.next++];
    if (!step) {
      if (frame.isQuiet) {
        figures.quiet++;
        const wrong = unfinished(frame.place.facts, small.script.length === frame.done);
        if (wrong.length > 0) fail(wrong);
      }
      // States at an end have no further steps, and count as one interleaving.
      frame.interleavings ||= 1;
      known.set(frame.key, frame.interleavings);
      stack.pop();
      const above = stack.at(-1);
      if (above) above.interleavings += frame.interleavings;
      continue;
    }
    world.state = frame.state;
    const taken = await takeStep(world, frame.place, step);
    if (taken.wrong.length > 0) fail(taken.wrong, step);
    const isCommand = frame.next === frame.steps.length && frame.done < small.script.length;
    if (!isCommand && taken.text === frame.place.text) {
      figures.idle++;
      continue;
    }
    figures.transitions++;
    if (!isCommand) frame.isQuiet = false;
    const done = frame.done + (isCommand ? 1 : 0);
    const key = hash(`${taken.text}|${done}`);
    const interleavings = known.get(key);
    if (interleavings === undefined) {
      const wrong = [...checkState(world, frame.state), ...orphans(world), ...lostVolumes(world)];
      if (wrong.length > 0) fail(wrong, step);
      if (figures.states >= most) throw new Error(`${small.name} has more than ${most} states`);
      enter(taken, done, key, step);
    } else if (Number.isNaN(interleavings)) fail(['agents and workers go in a circle'], step);
    else frame.interleavings += interleavings;
  }
  return { ...figures, interleavings: known.get(hash(`${start.text}|0`)) ?? 0 };
}

/** Sets a world up at its beginning. Errors: Fault. */
export async function begin(world: World, small: SmallWorld): Promise<void> {
  const steps: Step[] = [];
  const take = async (step: Step): Promise<boolean> => {
    steps.push(step);
    const before = placeOf(world);
    const taken = await takeStep(world, before, step);
    if (taken.wrong.length > 0)
      throw new Fault({ ...small, name: `begin ${small.name}` }, steps, taken.wrong);
    if (taken.text === before.text) steps.pop();
    return taken.text !== before.text;
  };
  for (const command of small.begin) {
    await take(command);
    for (let moved = true; moved;) {
      moved = false;
      for (const move of moves(placeOf(world).facts)) moved = (await take(move)) || moved;
    }
  }
}

function checkState(world: World, before: WorldState): string[] {
  const after = world.state;
  world.state = before;
  const old = seen(world.view);
  world.state = after;
  return violations(world.view, old);
}

/**
 * Violations at an end, when agents and workers have finished: nothing may be dying, except what waits for a lost
 * agent and the operator's next command.
 */
export function unfinished(facts: Facts, isOver: boolean): string[] {
  if (facts.lost.size > 0 && !isOver) return [];
  const wrong: string[] = [];
  for (const kind of ['applications', 'units', 'machines', 'relations'] as const)
    for (const [name, { life, deadline }] of facts[kind]) {
      if (life !== 'alive') wrong.push(`nobody ever ends ${kind.slice(0, -1)} ${name}, which is ${life}`);
      if (life === 'alive' && deadline !== undefined) wrong.push(`${kind} ${name} is forced and alive`);
    }
  for (const [name, { machine, problem, application }] of facts.units)
    if (machine === '' && !problem && !facts.applications.get(application)?.pending)
      wrong.push(`nobody ever places unit ${name}`);
  for (const [id, { own, unit, machine, mounted, ending }] of facts.storages) {
    if (ending !== '') wrong.push(`nobody ever ends storage ${id}`);
    else if (unit !== '' ? !mounted && facts.units.get(unit)?.machine !== '' : own ? mounted : machine !== '')
      wrong.push(`nobody ever ${unit === '' ? 'detaches' : 'mounts'} storage ${id}`);
  }
  if (facts.model && facts.model.life !== 'alive') wrong.push('nobody ever ends the model');
  return wrong;
}

/** Returns a hash of 53 bits (cyrb53): two of a million states collide with a probability of 1 : 20,000. */
function hash(text: string): number {
  let h1 = 0xdeadbeef;
  let h2 = 0x41c6ce57;
  for (let n = 0; n < text.length; n++) {
    const code = text.charCodeAt(n);
    h1 = Math.imul(h1 ^ code, 2654435761);
    h2 = Math.imul(h2 ^ code, 1597334677);
  }
  h1 = Math.imul(h1 ^ (h1 >>> 16), 2246822507) ^ Math.imul(h2 ^ (h2 >>> 13), 3266489909);
  h2 = Math.imul(h2 ^ (h2 >>> 16), 2246822507) ^ Math.imul(h1 ^ (h1 >>> 13), 3266489909);
  return 4294967296 * (2097151 & h2) + (h1 >>> 0);
}
