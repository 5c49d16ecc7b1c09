/**
 * A deployment by a user without privileges: machines are process trees, status says so, and nothing of them is left.
 * Root becomes such a user for this test.
 */
import {
  chmodSync,
  chownSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
} from 'node:fs';
import { get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freePort } from '../free-port.ts';
import { root, startWorld, type World } from '../world.ts';

let world: World;
let clone: string;
/** User's folder for temporary files. */
let temporary: string;
const isRoot = process.getuid!() === 0;
const nobody = isRoot ? 65534 : process.getuid!();

beforeAll(async () => {
  clone = mkdtempSync(join(tmpdir(), 'grigri-clone-'));
  chmodSync(clone, 0o755);
  copyClone();
  const dir = mkdtempSync(join(tmpdir(), 'grigri-unprivileged-'));
  const home = join(dir, 'home');
  mkdirSync(home);
  temporary = mkdtempSync(join(tmpdir(), 'grigri-temporary-'));
  for (const path of [dir, home, temporary]) chownSync(path, nobody, isRoot ? nobody : -1);
  const become = isRoot ? ['setpriv', `--reuid=${nobody}`, `--regid=${nobody}`, '--clear-groups'] : [];
  world = await startWorld('unprivileged', {
    runner: { dir, argv: [...become, join(clone, 'bin/grigri')], env: { HOME: home, TMPDIR: temporary } },
  });
});
afterAll(async () => {
  // Undefined when startWorld failed, which is then the failure to report.
  const left = (await world?.end()) ?? [];
  for (const path of [clone, temporary]) rmSync(path, { recursive: true, force: true });
  expect(left).toEqual([]);
});

test('a web application works, and its daemons end with it', async () => {
  const [kvPort, webPort] = [await freePort(), await freePort()];
  await world.grigri('deploy', join(clone, 'examples/kv'), '--config', `port=${kvPort}`);
  await world.grigri('deploy', join(clone, 'examples/web'), '--config', `port=${webPort}`);
  await world.grigri('integrate', 'web', 'kv');
  await world.untilUnit('kv/0', { workload: 'active', agent: 'idle' });
  await world.untilUnit('web/0', { workload: 'active', agent: 'idle' });
  await world.until('the page', async () =>
    (await page(webPort)).includes('<h1>Hello from the key-value store</h1>'),
  );

  const { machines } = await world.status();
  expect(Object.keys(machines)).toEqual(['0', '1']);
  for (const machine of Object.values(machines))
    expect(machine['machine-status'].message).toContain(
      'isolation: process (no root: shares files, network, processes)',
    );
  expect((await world.grigri('exec', '--unit', 'web/0', '--', 'id -u')).trim()).toBe(String(nobody));
  expect((await world.grigri('ssh', 'kv/0', 'id -u')).trim()).toBe(String(nobody));
  await expect.poll(daemons).toHaveLength(2);

  await world.grigri('remove-application', 'kv', 'web', '--no-prompt');
  await world.until('all to be gone', async () => {
    const now = await world.status();
    return Object.keys(now.applications).length + Object.keys(now.machines).length === 0;
  });
  await world.until('the files to be gone', () => Promise.resolve(world.instances().length === 0));
  await expect.poll(daemons).toEqual([]);
});

test('a charm that needs a disk is refused, since a controller without privileges cannot make one', async () => {
  const charm = world.charm('disks', { metadata: 'storage: {disk: {type: block}}\n' });
  chownSync(charm, nobody, isRoot ? nobody : -1);
  const { code, stderr } = await world.attempt('deploy', charm);
  expect(code).toBe(1);
  expect(stderr).toContain(
    'storage "disk" cannot be of pool "loop": it needs loop devices, and machines of this host cannot have any',
  );
});

test('daemons that nothing stops are killed with their machine, and with the controller', async () => {
  const charm = world.charm('careless', {
    hooks: {
      // The daemon leaves its session and its parent, and has no reference to them.
      install:
        'python3 -c "import os,time\nif os.fork(): os._exit(0)\nos.setsid()\nif os.fork(): os._exit(0)\nos.execvp(\\"sleep\\", [\\"sleep\\", \\"54321\\"])" </dev/null >/dev/null 2>&1',
      start: 'status-set active',
    },
  });
  chownSync(charm, nobody, isRoot ? nobody : -1);
  await world.grigri('deploy', charm, '-n', '2');
  for (const unit of ['careless/0', 'careless/1'])
    await world.untilUnit(unit, { workload: 'active', agent: 'idle' });
  await expect.poll(sleepers).toHaveLength(2);
  await world.grigri('remove-unit', 'careless/0', '--no-prompt');
  await world.until('one machine to be gone', () => Promise.resolve(world.instances().length === 1));
  await expect.poll(sleepers).toHaveLength(1);
  await expect.poll(runDirs).toHaveLength(1);
  expect(await world.end()).toEqual([]);
  await expect.poll(sleepers).toEqual([]);
  await expect.poll(runDirs).toEqual([]);
});

/** Copies the files of a clone, since the working tree itself may be readable by root only. */
function copyClone(): void {
  for (const name of ['bin', 'dist', 'examples', 'package.json'])
    cpSync(join(root, name), join(clone, name), { recursive: true });
  for (const name of readdirSync(join(root, 'node_modules')).filter((one) => one.startsWith('node-linux-')))
    cpSync(join(root, 'node_modules', name), join(clone, 'node_modules', name), { recursive: true });
}

/** Returns the daemons of the examples, found by the folder of their machine. */
function daemons(): string[] {
  return running().filter((cmdline) => cmdline.includes('src/server.py'));
}

/** Returns the folders of the agents' sockets. */
function runDirs(): string[] {
  return readdirSync(temporary).filter((name) => /^grigri-[0-9a-f]{12}$/.test(name));
}

function sleepers(): string[] {
  return running().filter((cmdline) => cmdline.startsWith('sleep 54321'));
}

function running(): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => read(`/proc/${pid}/environ`).includes(`GRIGRI_INSTANCE=${world.dir}/`))
    .map((pid) => read(`/proc/${pid}/cmdline`).replaceAll('\0', ' '));
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

function page(port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    get({ host: '127.0.0.1', port, path: '/' }, (response) => {
      let body = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => (body += chunk));
      response.on('end', () => resolve(body));
    }).on('error', reject);
  });
}
