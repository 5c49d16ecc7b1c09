/**
 * kill -9 on the real thing: the controller while 20 units deploy, and machine agents in the middle of hooks, at
 * random moments. Everything converges, each hook is committed exactly once, no sandbox is orphaned.
 */
import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startDaemon } from '../../src/cli/daemon.ts';

const root = join(import.meta.dirname, '../..');
const name = `crash-${process.pid}`;
const data = mkdtempSync(join(tmpdir(), 'grigri-crash-'));
const controllerDir = join(data, 'controller');
const kills = 20;
const patienceMs = 15 * 60_000;

beforeAll(async () => {
  await grigri(
    'bootstrap',
    'local',
    name,
    '--data-dir',
    controllerDir,
    '--config',
    'api-port=0',
    '--add-model',
    'work',
  );
});
afterAll(async () => {
  await grigri('kill-controller', name, '--no-prompt');
  rmSync(data, { recursive: true });
});

test(`the controller, killed ${kills} times while 20 units deploy`, async () => {
  await grigri('deploy', join(import.meta.dirname, 'charm'), 'many', '-n', '20');
  for (let n = 0; n < kills; n++) {
    await sleep(Math.random() * 2000);
    process.kill(Number(readFileSync(join(controllerDir, 'controller.pid'), 'utf8')), 'SIGKILL');
    await startDaemon({ dataDir: controllerDir });
  }
  await allActive(20);
  const counts = await committed('many');
  expect(Object.keys(counts)).toHaveLength(20);
  for (const [unit, hooks] of Object.entries(counts)) {
    expect(hooks, unit).toMatchObject({ install: '1', start: '1', 'others-relation-created-': '1' });
    for (const [hook, times] of Object.entries(hooks)) expect([unit, hook, times]).toEqual([unit, hook, '1']);
  }
  expect(instances()).toHaveLength(20);
});

test(`machine agents, killed ${kills} times in the middle of a hook`, async () => {
  await grigri('deploy', join(import.meta.dirname, 'charm'), 'one', '--config', 'slow=0.3');
  await allActive(21);
  const machine = (await status()).applications['one']!.units['one/0']!.machine;
  for (let n = 1; n <= kills; n++) {
    await grigri('config', 'one', `n=${n}`);
    await sleep(Math.random() * 1500);
    const pid = agentPid(machine);
    if (pid !== undefined) process.kill(pid, 'SIGKILL');
  }
  await until(
    'the last change',
    async () => (await committed('one'))['one/0']?.[`config-changed-${kills}`] === '1',
  );
  const hooks = (await committed('one'))['one/0']!;
  for (const [hook, times] of Object.entries(hooks)) expect([hook, times]).toEqual([hook, '1']);
});

test('a machine that crashes whole is started again, with its files, its address and its unit', async () => {
  const before = (await status()).machines['20']!;
  const [folder] = instances().filter((path) => path.endsWith('-20'));
  const first = Number(readFileSync(join(controllerDir, 'machines', folder!, 'pid'), 'utf8').split(' ')[0]);
  process.kill(first, 'SIGKILL');
  await until(
    'the agent to go',
    async () => (await status()).machines['20']!['juju-status'].current !== 'started',
  );
  await allActive(21);
  expect((await status()).machines['20']!['dns-name']).toBe(before['dns-name']);
  expect((await committed('one'))['one/0']!['install']).toBe('1');
});

test('what was deployed goes again, and no sandbox stays', async () => {
  await grigri('remove-application', '--no-prompt', 'many', 'one');
  await until('the last machine to go', async () => Object.keys((await status()).machines).length === 0);
  expect(instances()).toEqual([]);
});

interface Status {
  machines: Record<string, { 'dns-name': string; 'juju-status': { current: string } }>;
  applications: Record<
    string,
    {
      units: Record<
        string,
        { machine: string; 'workload-status': { current: string }; 'juju-status': { current: string } }
      >;
    }
  >;
}

async function status(): Promise<Status> {
  return JSON.parse(await grigri('status', '--format', 'json')) as Status;
}

async function allActive(count: number): Promise<void> {
  await until(`${count} active units`, async () => {
    const units = Object.values((await status()).applications).flatMap((one) => Object.values(one.units));
    return (
      units.length === count &&
      units.every(
        (unit) => unit['workload-status'].current === 'active' && unit['juju-status'].current === 'idle',
      )
    );
  });
}

/** Unit → hook → how often it was committed. */
async function committed(application: string): Promise<Record<string, Record<string, string>>> {
  const out = await grigri(
    'exec',
    '--application',
    application,
    '--format',
    'json',
    '--',
    'state-get --format json',
  );
  const results = JSON.parse(out) as Record<string, { results: { stdout: string } }>;
  return Object.fromEntries(
    Object.entries(results).map(([unit, { results: one }]) => [
      unit,
      JSON.parse(one.stdout) as Record<string, string>,
    ]),
  );
}

/** Machines that the local provider has files of. */
function instances(): string[] {
  return readdirSync(join(controllerDir, 'machines'), { recursive: true, encoding: 'utf8' }).filter((path) =>
    /(^|\/)juju-[0-9a-f]{6}-\d+$/.test(path),
  );
}

/** The machine's agent, seen from the host. */
function agentPid(machine: string): number | undefined {
  for (const entry of readdirSync('/proc')) {
    if (!/^\d+$/.test(entry)) continue;
    try {
      const argv = readFileSync(`/proc/${entry}/cmdline`, 'utf8').split('\0');
      if (
        // Not the machine's first process, which has the agent's command as its arguments.
        argv[1]?.endsWith('agent.mjs') &&
        argv[argv.indexOf('--machine') + 1] === machine &&
        isOurs(Number(entry))
      )
        return Number(entry);
    } catch {
      // It ended meanwhile.
    }
  }
  return undefined;
}

/** Several controllers may have a machine of the same number: the agent's own configuration tells. */
function isOurs(pid: number): boolean {
  const conf = readdirSync(`/proc/${pid}/root/var/lib/juju/agents`).find((one) => one.startsWith('machine-'));
  return readFileSync(`/proc/${pid}/root/var/lib/juju/agents/${conf}/agent.conf`, 'utf8').includes(
    controllerUuid(),
  );
}

function controllerUuid(): string {
  return (JSON.parse(readFileSync(join(controllerDir, 'controller.json'), 'utf8')) as { uuid: string }).uuid;
}

async function until(what: string, check: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + patienceMs;
  for (let last: unknown; ; await sleep(1000)) {
    try {
      if (await check()) return;
    } catch (error) {
      last = error;
    }
    if (Date.now() > deadline)
      throw new Error(`waited in vain for ${what}\n${await grigri('status')}`, { cause: last });
  }
}

async function grigri(...args: string[]): Promise<string> {
  const env = { ...process.env, JUJU_DATA: join(data, 'client') };
  const { stdout } = await promisify(execFile)(join(root, 'bin/grigri'), args, {
    env,
    maxBuffer: 64 * 1024 * 1024,
  });
  return stdout;
}
