/**
 * Demonstration of the main use case with the CLI: `npm start` bootstraps a controller on this host, deploys the
 * examples and shows the resulting page; `npm stop` removes everything.
 */
import { spawn } from 'node:child_process';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { dataDir } from '../cli/files/data-dir.ts';
import { makeFolderSync } from '../kit/make-folder.ts';

const root = join(import.meta.dirname, '../..');
const controller = 'demo';
const model = `${controller}:admin/shop`;
/** Directory of the client's files; `npm stop` removes it if the demo created it. */
const clientDir = dataDir(process.env, homedir());
const marker = join(clientDir, 'made-by-npm-start');
const timeoutMs = 10 * 60_000;

interface Unit {
  'workload-status': { current: string; message?: string };
  subordinates?: Record<string, Unit>;
  'public-address'?: string;
  'open-ports'?: string[];
}
interface Status {
  applications: Record<string, { units?: Record<string, Unit> }>;
}

switch (process.argv[2]) {
  case 'start':
    await start();
    break;
  case 'stop':
    await stop();
    break;
  default:
    console.error('usage: demo start|stop');
    process.exitCode = 2;
}

async function start(): Promise<void> {
  if (!existsSync(clientDir)) {
    makeFolderSync(clientDir, 0o700);
    writeFileSync(marker, 'npm stop removes this directory when no controller is left in it\n');
  }
  if (await isRunning()) {
    console.log(`Controller "${controller}" is already running.\n`);
  } else {
    await grigri('bootstrap', 'local', controller, '--no-switch');
    // The examples' charms install no packages.
    await grigri(
      'add-model',
      'shop',
      '--controller',
      controller,
      '--config',
      'enable-os-refresh-update=false',
    );
    for (const [name, ...options] of [['kv', '-n', '2'], ['web'], ['shipper']] as const)
      await grigri('deploy', '-m', model, join(root, 'examples', name), ...options);
    await grigri('integrate', '-m', model, 'web', 'kv');
    await grigri('integrate', '-m', model, 'shipper', 'web');
    await grigri('expose', '-m', model, 'web');
  }
  const url = await whenActive();
  await grigri('switch', model);
  console.log(`\n$ curl ${url}\n${await page(url)}`);
  console.log('$ grigri status');
  await grigri('status', '-m', model);
  console.log(`
The web application: ${url}
Next:
  bin/grigri status --watch 2s          watch the status
  bin/grigri add-unit web               add a machine with the web application
  bin/grigri config kv greeting="Hi"    change the page
  bin/grigri ssh web/0                  open a shell on the machine
  bin/grigri debug-log --replay         show the logs of charms and agents
  bin/grigri local-image add ubuntu@24.04
                                        give machines the files of Ubuntu, as many charms expect
  npm stop                              remove everything`);
}

async function stop(): Promise<void> {
  const before = JSON.parse(await output('controllers', '--format', 'json')) as {
    controllers: Record<string, unknown> | null;
  };
  if (!before.controllers?.[controller]) {
    console.log(`Controller "${controller}" does not exist: nothing to stop.`);
    return;
  }
  await grigri('kill-controller', controller, '--no-prompt');
  const { controllers } = JSON.parse(await output('controllers', '--format', 'json')) as typeof before;
  if (existsSync(marker) && Object.keys(controllers ?? {}).length === 0)
    rmSync(clientDir, { recursive: true });
}

async function isRunning(): Promise<boolean> {
  try {
    await output('status', '-m', model, '--format', 'json');
    return true;
  } catch {
    return false;
  }
}

/** Fetches the page, retrying: the server may be restarting, since the store has one more replica. */
async function page(url: string): Promise<string> {
  for (let n = 1; ; n++) {
    try {
      return await (await fetch(url)).text();
    } catch (error) {
      if (n === 20) throw new Error(`no page at ${url}`, { cause: error });
      await sleep(250);
    }
  }
}

/** Waits until every unit is active, printing changes. Returns the web application's address. */
async function whenActive(): Promise<string> {
  const shown = new Map<string, string>();
  for (const deadline = Date.now() + timeoutMs; ;) {
    const status = JSON.parse(await output('status', '-m', model, '--format', 'json')) as Status;
    const units = Object.values(status.applications).flatMap((application) =>
      Object.entries(application.units ?? {}).flatMap(([name, unit]) => [
        [name, unit] as const,
        ...Object.entries(unit.subordinates ?? {}),
      ]),
    );
    for (const [name, unit] of units) {
      const { current, message = '' } = unit['workload-status'];
      const text = `${current.padEnd(11)} ${message}`;
      if (shown.get(name) !== text) console.log(`  ${name.padEnd(10)} ${text}`);
      shown.set(name, text);
      if (current === 'error')
        throw new Error(`${name} failed: ${message}; see bin/grigri debug-log --replay`);
    }
    const web = units.find(([name]) => name.startsWith('web/'))?.[1];
    const port = web?.['open-ports']?.[0]?.split('/')[0];
    if (
      units.length >= 4 &&
      units.every(([, unit]) => unit['workload-status'].current === 'active') &&
      web &&
      port
    )
      return `http://${web['public-address']}:${port}/`;
    if (Date.now() > deadline)
      throw new Error('not every unit became active in ten minutes; see bin/grigri status');
    await sleep(500);
  }
}

/** Runs the CLI and shows its output. Errors: when it fails. */
function grigri(...args: string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(join(root, 'bin/grigri'), args, { stdio: ['ignore', 'inherit', 'inherit'] });
    child.once('error', reject);
    child.once('close', (code) =>
      code === 0 ? resolve() : reject(new Error(`grigri ${args.join(' ')} exited with ${code}`)),
    );
  });
}

function output(...args: string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(join(root, 'bin/grigri'), args, { stdio: ['ignore', 'pipe', 'ignore'] });
    let text = '';
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
    child.once('error', reject);
    child.once('close', (code) =>
      code === 0 ? resolve(text) : reject(new Error(`grigri ${args.join(' ')} exited with ${code}`)),
    );
  });
}
