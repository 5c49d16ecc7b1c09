/**
 * Measures how a unit reads 10,000 secrets, each from the start of secret-get's process to its end, against config-get,
 * which asks no controller: `node bench/secrets.ts [--quick]`. First each secret is read for the first time, which
 * makes the unit track it durably; then all are read again. Needs a C compiler for the program that measures.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { agentWorld, compile, driverSource } from './agent-world.ts';
import { exitCode, pairs, report } from './floor.ts';

const quick = process.argv.includes('--quick');
const secrets = quick ? 200 : 10_000;
/** Pairs, with the warm-up; together they read all secrets. */
const rounds = quick ? 5 : 10;

process.exitCode = await main();

async function main(): Promise<number> {
  await using world = await agentWorld({ secrets, storages: 2 });
  const driver = compile(world.folder, 'driver', driverSource);
  if (driver === undefined) {
    console.log('secrets: no C compiler: unjudged');
    return 2;
  }
  const ports = join(world.folder, 'ports');
  writeFileSync(ports, 'port\n');
  const share = secrets / rounds;
  const timed = async (file: string, first: number, calls: number, tool: string): Promise<number> =>
    Number(await world.inUnit(`${driver} ${file} ${first} ${calls} "$(command -v ${tool})"`));
  const reading = () => {
    let round = 0;
    return () => timed(world.secretIds, share * round++, share, 'secret-get');
  };
  const config = (): Promise<number> => timed(ports, 0, Math.min(share, 200), 'config-get');
  const verdicts = [
    report('secrets: first secret-get / config-get', await pairs(config, reading(), rounds - 1), {
      atMost: 3,
    }),
    report('secrets: secret-get / config-get', await pairs(config, reading(), rounds - 1), { atMost: 3 }),
  ];
  return exitCode(verdicts);
}
