/**
 * Process of the controller: `init` creates a data directory from standard input; `run` serves it until SIGTERM, after
 * which machines keep running, and with `--init` creates it first; `check` tells whether this program can serve it;
 * `end` removes the cloud resources of a stopped controller; `store-report` and `store-repair` examine and repair the
 * store of a stopped controller; `restore` puts a backup in its place.
 */
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { jujuVersion } from '../core/juju-version.ts';
import type { Provider } from '../providers/contract/provider.ts';
import { schema } from '../store/sqlite/schema.ts';
import type { InitConfig, InitResult } from '../wire/controller-init.ts';
import { endController } from './controller/end.ts';
import { dataPaths, readSettings } from './controller/data-dir.ts';
import { initController, refuseExisting } from './controller/init.ts';
import { installTools } from './controller/install-tools.ts';
import { knownProviders, recordProviders } from './controller/known-providers.ts';
import { restoreOffline, type RestoreRequest } from './controller/restore.ts';
import { repairOffline, reportOffline } from './controller/offline-store.ts';
import { runController } from './controller/run.ts';
import { makeFolder } from '../kit/make-folder.ts';
import { errorText } from '../kit/system-error.ts';

const usage = 'usage: controller init|run|check|end|restore|store-report|store-repair --data-dir DIR';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { 'data-dir': { type: 'string' }, init: { type: 'boolean' } },
});
const dataDir = values['data-dir'];
if (dataDir === undefined || positionals.length !== 1) {
  console.error(usage);
  process.exit(2);
}

try {
  if (positionals[0] === 'init') {
    const providers = await knownProviders(dataDir);
    console.log(JSON.stringify(await init(dataDir, await readInput(), providers)));
  } else if (positionals[0] === 'run' && values.init) await initAndRun(dataDir);
  else if (positionals[0] === 'run') await runController(dataDir, await knownProviders(dataDir));
  else if (positionals[0] === 'check') console.log(JSON.stringify(await checkProgram(dataDir)));
  else if (positionals[0] === 'end')
    console.log(JSON.stringify(await endController(dataDir, await knownProviders(dataDir))));
  else if (positionals[0] === 'store-report') console.log(JSON.stringify(await reportOffline(dataDir)));
  else if (positionals[0] === 'restore')
    console.log(
      JSON.stringify(await restoreOffline(dataDir, JSON.parse(await readInput()) as RestoreRequest)),
    );
  else if (positionals[0] === 'store-repair') console.log(JSON.stringify(repairOffline(dataDir)));
  else {
    console.error(usage);
    process.exitCode = 2;
  }
} catch (error) {
  console.error(`ERROR ${errorText(error)}`);
  // A start that failed half way leaves workers and connections, which would keep the process.
  process.exit(1);
}

/** Loads what a start needs before the store is open. Returns the newest format of the store that is known. */
async function checkProgram(folder: string): Promise<{ version: string; format: number }> {
  readSettings(folder);
  await knownProviders(folder);
  return { version: jujuVersion, format: schema.length };
}

async function init(
  folder: string,
  text: string,
  providers: ReadonlyMap<string, Provider>,
): Promise<InitResult> {
  const result = await initController(folder, JSON.parse(text) as InitConfig, providers);
  await recordProviders(folder);
  return result;
}

/**
 * Reads the configuration as one line, answers with one, the result or `{error}`, and serves after the line `run`. The
 * process ends when its starter is gone before that.
 */
async function initAndRun(folder: string): Promise<void> {
  process.stdout.on('error', () => undefined);
  const providers = await knownProviders(folder);
  const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
  const next = async (): Promise<string> => String((await lines.next()).value ?? '');
  const config = await next();
  try {
    await refuseExisting(folder);
    await makeFolder(folder, 0o700);
    // More than 100 MB are copied while this thread makes the files.
    const [result] = await Promise.allSettled([
      init(folder, config, providers),
      installTools(dataPaths(folder).tools),
    ]);
    if (result.status === 'rejected') throw result.reason;
    console.log(JSON.stringify(result.value));
  } catch (error) {
    console.log(JSON.stringify({ error: error instanceof Error ? error.message : String(error) }));
    process.exitCode = 1;
    return;
  }
  if ((await next()) === 'run') await runController(folder, providers);
}

async function readInput(): Promise<string> {
  let text = '';
  for await (const chunk of process.stdin.setEncoding('utf8')) text += chunk;
  return text;
}
