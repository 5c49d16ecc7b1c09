/** The scenarios of test/scenarios in the simulated world, in `npm test` some of them; SEED=7 uses another seed. */
import { expect, test } from 'vitest';
import { parseScenario } from '../../operate/scenario/parse.ts';
import { createWorld } from '../sim/create-world.ts';
import { some } from '../thorough.ts';
import { endsEmpty, playOrReport, readScenarios } from './play-or-report.ts';
import { simStage } from './sim-stage.ts';

const seed = Number(process.env['SEED'] ?? 1);

test.each(some(readScenarios(), 5).map((one) => [one.title, one] as const))('%s', async (_, scenario) => {
  const world = await createWorld({ seed });
  try {
    using stage = await simStage(world, scenario.name);
    await playOrReport(scenario, stage);
    expect(world.failures).toEqual([]);
  } finally {
    await world.stop();
  }
});

test.each([
  ['$ status', false],
  ['wait until nothing is left', true],
  ['wait until nothing is left\nwait until unit web/0 is gone', false],
  ['wait until model is gone', true],
])('a scenario ends empty when its last wait says so: %j', (lines, ends) => {
  expect(endsEmpty(parseScenario('s', `# t\n${lines}`))).toBe(ends);
});
