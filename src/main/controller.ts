/**
 * Process of the controller: `init` creates a data directory from standard input; `run` serves it until SIGTERM, after
 * which machines keep running; `end` removes the cloud resources of a stopped controller; `store-report` and
 * `store-repair` examine and repair the store of a stopped controller.
 */
import { parseArgs } from 'node:util';
import type { InitConfig } from '../wire/controller-init.ts';
import { endController } from './controller/end.ts';
import { initController } from './controller/init.ts';
import { knownProviders, recordProviders } from './controller/known-providers.ts';
import { repairOffline, reportOffline } from './controller/offline-store.ts';
import { runController } from './controller/run.ts';

const usage = 'usage: controller init|run|end|store-report|store-repair --data-dir DIR';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { 'data-dir': { type: 'string' } },
});
const dataDir = values['data-dir'];
if (dataDir === undefined || positionals.length !== 1) {
  console.error(usage);
  process.exit(2);
}

try {
  if (positionals[0] === 'init') {
    const config = JSON.parse(await readInput()) as InitConfig;
    const result = await initController(dataDir, config, await knownProviders(dataDir));
    await recordProviders(dataDir);
    console.log(JSON.stringify(result));
  } else if (positionals[0] === 'run') await runController(dataDir);
  else if (positionals[0] === 'end')
    console.log(JSON.stringify(await endController(dataDir, await knownProviders(dataDir))));
  else if (positionals[0] === 'store-report') console.log(JSON.stringify(await reportOffline(dataDir)));
  else if (positionals[0] === 'store-repair') console.log(JSON.stringify(repairOffline(dataDir)));
  else {
    console.error(usage);
    process.exitCode = 2;
  }
} catch (error) {
  console.error(`ERROR ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
}

async function readInput(): Promise<string> {
  let text = '';
  for await (const chunk of process.stdin.setEncoding('utf8')) text += chunk;
  return text;
}
