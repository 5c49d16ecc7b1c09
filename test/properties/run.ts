/**
 * `npm run test:properties`: the tests that `npm test` runs in a hurry, at full length, with the usual seed and then
 * with a new one; as a part, with the new seed alone. `FAST_CHECK_SEED=…`: with the given seed alone.
 */
import { spawnSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { partMax, partOf } from '../part.ts';

const given = process.env['FAST_CHECK_SEED'];
const part = partOf();
const drawn = part === undefined ? ['1', String(randomInt(partMax))] : [String(part)];
const seeds = given === undefined ? drawn : [given];
let failed = 0;
for (const seed of seeds) {
  console.log(`FAST_CHECK_SEED=${seed}`);
  const args = ['run', '--config', 'test/properties/vitest.config.ts', ...process.argv.slice(2)];
  const { status } = spawnSync('vitest', args, {
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { ...process.env, FAST_CHECK_SEED: seed },
  });
  if (status !== 0) failed++;
}
process.exitCode = failed > 0 ? 1 : 0;
