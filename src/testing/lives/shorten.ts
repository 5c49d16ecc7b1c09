/** Shortens the path to a fault by removing moves that are not needed. */
import { violations } from '../invariants.ts';
import { placeOf, takeStep } from './compare.ts';
import { moves } from './duties.ts';
import { sayStep, type Step } from './step.ts';
import { begin, Fault, unfinished, type SmallWorld } from './walk.ts';
import { orphans, World } from './world.ts';

/** Tries to remove moves; commands stay, since they define the state that the world must reach. */
export async function shorten(small: SmallWorld, fault: Fault): Promise<Fault> {
  let shortest = fault;
  const { steps } = fault;
  let kept: readonly Step[] = steps;
  for (let n = steps.length - 1; n >= 0; n--) {
    const fewer = kept.toSpliced(n, 1);
    if (isCommand(small, kept[n])) continue;
    const found = await play(small, fewer);
    if (!found) continue;
    shortest = found;
    kept = fewer;
  }
  return shortest;
}

/** Takes the steps that can be taken, then lets agents and workers finish. */
async function play(small: SmallWorld, steps: readonly Step[]): Promise<Fault | undefined> {
  const world = new World();
  await begin(world, small);
  let place = placeOf(world);
  const taken: Step[] = [];
  const take = async (step: Step): Promise<Fault | undefined> => {
    taken.push(step);
    const after = await takeStep(world, place, step);
    place = after;
    const wrong = [...after.wrong, ...violations(world.view), ...orphans(world)];
    return wrong.length > 0 ? new Fault(small, taken, wrong) : undefined;
  };
  for (const step of steps) {
    if (!isCommand(small, step) && !moves(place.facts).some((one) => sayStep(one) === sayStep(step)))
      continue;
    const fault = await take(step);
    if (fault) return fault;
  }
  const asked = [...taken];
  for (let before = ''; before !== place.text;) {
    before = place.text;
    for (const move of moves(place.facts)) {
      const fault = await take(move);
      if (fault) return fault;
    }
  }
  const wrong = unfinished(
    place.facts,
    asked.filter((step) => isCommand(small, step)).length === small.script.length,
  );
  return wrong.length > 0 ? new Fault(small, asked, wrong) : undefined;
}

function isCommand(small: SmallWorld, step: Step | undefined): boolean {
  return small.script.some((command) => command === step);
}
