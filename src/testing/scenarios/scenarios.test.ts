/** The scenarios of test/scenarios in the simulated world; SEED=7 uses another seed. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createWorld } from '../sim/create-world.ts';
import { parseScenario } from './parse.ts';
import { play } from './play.ts';
import { simStage } from './sim-stage.ts';

const seed = Number(process.env['SEED'] ?? 1);
const folder = join(import.meta.dirname, '../../../test/scenarios');
const scenarios = readdirSync(folder)
  .filter((file) => file.endsWith('.txt'))
  .map((file) => parseScenario(file.replace('.txt', ''), readFileSync(join(folder, file), 'utf8')));

test.each(scenarios.map((one) => [one.title, one] as const))('%s', async (_, scenario) => {
  const world = await createWorld({ seed });
  try {
    using stage = await simStage(world, scenario.name);
    await play(scenario, stage);
    expect(world.failures).toEqual([]);
  } finally {
    await world.stop();
  }
});
