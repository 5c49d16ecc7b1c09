/** Takes one step in the real world and in the reference model, and compares the results. */
import { clean, clearDue, follow, place, undertake } from './duties.ts';
import { copyFacts, sameFacts, sayFacts, type Facts } from './facts.ts';
import { factsOf } from './project.ts';
import { Refused } from './refused.ts';
import { sayStep, type Step } from './step.ts';
import type { World, WorldState } from './world.ts';

/** State of a world. */
export interface Place {
  readonly facts: Facts;
  /** Facts as text: equal texts mean equal facts. */
  readonly text: string;
}
interface Taken extends Place {
  readonly refused: string | undefined;
  readonly wrong: readonly string[];
}

export function placeOf(world: World): Place {
  const facts = factsOf(world);
  return { facts, text: sayFacts(facts) };
}

/** Takes the step in the world, which is at `place`. */
export async function takeStep(world: World, place: Place, step: Step): Promise<Taken> {
  const before = world.state;
  const refused = await world.take(step);
  if (refused !== undefined) {
    const wrong = [...differingAnswer(place, step, refused)];
    if (!sameState(world.state, before)) wrong.push(`${sayStep(step)} was refused and has changed something`);
    return { ...place, refused, wrong };
  }
  const after = sameState(world.state, before) ? place : placeOf(world);
  return { ...after, refused, wrong: [...differing(place, step, after)] };
}

function sameState(a: WorldState, b: WorldState): boolean {
  return (
    a.store === b.store &&
    a.instances === b.instances &&
    a.lost === b.lost &&
    a.now === b.now &&
    a.volumes === b.volumes
  );
}

function* differingAnswer(place: Place, step: Step, refused: string): Iterable<string> {
  const expected = expectedAfter(place, step);
  if (typeof expected !== 'string') yield `${sayStep(step)} was refused with "${refused}", it is allowed`;
  else if (expected !== refused)
    yield `${sayStep(step)} was refused with "${refused}", it should be with "${expected}"`;
}

function* differing(before: Place, step: Step, after: Place): Iterable<string> {
  const expected = expectedAfter(before, step);
  if (typeof expected === 'string') {
    yield `${sayStep(step)} was done, it should be refused with "${expected}"`;
    return;
  }
  if (sameFacts(expected, after.facts)) return;
  if (step.do === 'clean' || step.do === 'place' || step.do === 'undertake') {
    // The rules state the results of workers, not their order: one act of a worker must lead to the same end.
    if (after.text === before.text)
      yield `${sayStep(step)} does nothing, and this is left to do:\n${difference(after.facts, expected)}`;
  }
  const actual = copyFacts(after.facts);
  for (const facts of [actual, expected]) finish(facts, step);
  if (!sameFacts(expected, actual))
    yield `${sayStep(step)} leads elsewhere (- is, + should be):\n${difference(actual, expected)}`;
}

/** Completes removals, since the rules do not say whether something is removed at once or by the cleaner. */
function finish(facts: Facts, step: Step): void {
  if (step.do.startsWith('remove-')) clearDue(facts);
  if (step.do === 'clean' || step.do === 'undertake') clean(facts);
  if (step.do === 'place') place(facts);
  if (step.do !== 'undertake') return;
  for (let moved = true; moved;) {
    const before = copyFacts(facts);
    undertake(facts);
    clean(facts);
    moved = !sameFacts(before, facts);
  }
}

/** Returns the facts after the step by the rules, or the code of the refusal. */
function expectedAfter({ facts }: Place, step: Step): Facts | string {
  const expected = copyFacts(facts);
  try {
    follow(expected, step);
    return expected;
  } catch (error) {
    if (error instanceof Refused) return error.code;
    throw error;
  }
}

function difference(actual: Facts, expected: Facts): string {
  const actualLines = new Set(sayFacts(actual).split('\n'));
  const expectedLines = new Set(sayFacts(expected).split('\n'));
  return [
    ...[...actualLines].filter((line) => !expectedLines.has(line)).map((line) => `- ${line}`),
    ...[...expectedLines].filter((line) => !actualLines.has(line)).map((line) => `+ ${line}`),
  ].join('\n');
}
