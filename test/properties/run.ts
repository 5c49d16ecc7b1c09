/**
 * `npm run test:properties`: the tests that `npm test` runs in a hurry, at full length, with the usual seed and then with
 * a new one. `FAST_CHECK_SEED=…`: with that alone.
 */
import { spawnSync } from 'node:child_process';
import { randomInt } from 'node:crypto';

const given = process.env['FAST_CHECK_SEED'];
const seeds = given === undefined ? ['1', String(randomInt(2 ** 31))] : [given];
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
