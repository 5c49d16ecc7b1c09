/**
 * The scenarios of this folder (17 of them, as a part) on real machines, several at once, each in a model of its own.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isForSimulationOnly, type Scenario } from '../../src/operate/scenario/scenario.ts';
import { playOrReport, readScenarios } from '../../src/testing/scenarios/play-or-report.ts';
import { drawPart, partOf, sayPart } from '../part.ts';
import { startWorld, type World } from '../world.ts';
import { localStage } from './local-stage.ts';

let world: World;
beforeAll(async () => {
  // --force waits for a minute by itself.
  world = await startWorld('scenarios', { patienceMs: 3 * 60_000 });
});
afterAll(async () => expect((await world?.end()) ?? []).toEqual([]));

const all = readScenarios().filter((scenario) => !isForSimulationOnly(scenario));
/** Scenarios that kill the controller would disturb the others. */
const isAlone = ({ steps }: Scenario): boolean => steps.some(({ kind }) => kind === 'kill-controller');
const part = partOf();
const draw = (from: readonly Scenario[], count: number): Scenario[] =>
  drawPart(part, from, { count, nameOf: ({ name }) => name });
const alone = draw(all.filter(isAlone), 2);
const together = draw(
  all.filter((one) => !isAlone(one)),
  15,
);
if (part !== undefined) console.log(sayPart(part, [...together, ...alone], all, 'scenarios'));

describe.concurrent('scenarios that run concurrently', () => {
  test.each(together.map((one) => [one.title, one] as const))('%s', (_, scenario) => playLocally(scenario));
});

describe('scenarios that run alone', () => {
  test.each(alone.map((one) => [one.title, one] as const))('%s', (_, scenario) => playLocally(scenario));
});

async function playLocally(scenario: Scenario): Promise<void> {
  const stage = await localStage(world, scenario.name);
  try {
    await playOrReport(scenario, stage);
  } finally {
    await stage.end();
  }
}
