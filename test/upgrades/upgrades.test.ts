/**
 * Controllers and agents of one program after those of another, on real machines: the previous release, this build and
 * variants of it. Each test goes on where the one before ended.
 */
import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { root, startWorld, type Ran, type World } from '../world.ts';
import { requestsIn, upgradeOf } from './agents-follow.ts';
import { previousRelease, variant } from './release.ts';

const previous = previousRelease();
const traceAt = '/var/lib/trace';
const hooks = Object.fromEntries(
  ['install', 'start', 'config-changed', 'stop'].map((name) => [
    name,
    `echo "$JUJU_HOOK_NAME $(config-get n)" >>${traceAt}\nwhile [ -e /var/lib/hang ]; do sleep 0.1; done\n` +
      (name === 'start'
        ? 'setsid sleep 100000 >/dev/null 2>&1 </dev/null & echo $! >/var/lib/workload\nstatus-set active'
        : ''),
  ]),
);

let world: World;
/** Program that commands and, from its start on, the controller are of. */
let program = previous ?? root;

const runOf = (folder: string, ...args: string[]): Promise<Ran> =>
  new Promise((resolve) => {
    execFile(
      join(folder, 'bin/grigri'),
      args,
      { env: { ...process.env, JUJU_DATA: join(world.dir, 'client') }, cwd: world.dir, timeout: 150_000 },
      (error, stdout, stderr) => resolve({ code: error ? Number(error.code ?? -1) : 0, stdout, stderr }),
    );
  });
async function grigri(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await runOf(program, ...args);
  if (code !== 0) throw new Error(`grigri ${args.join(' ')}: exit code ${code}\n${stderr}${stdout}`);
  return stdout;
}

/** Kills the controller and has the command line of another program start it again. */
async function switchTo(folder: string): Promise<void> {
  world.killController();
  program = folder;
  await grigri('status');
}

/** Sets the charm's option, and waits until the units have run config-changed with it. */
async function configure(n: number): Promise<void> {
  await grigri('config', 'app', `n=${n}`);
  for (const unit of ['app/0', 'app/1'])
    await world.until(`${unit} to have n=${n}`, async () =>
      (await grigri('ssh', unit, `cat ${traceAt}`)).includes(`config-changed ${n}\n`),
    );
}

const workloads = (): Promise<string[]> =>
  Promise.all(
    ['app/0', 'app/1'].map((unit) =>
      grigri(
        'ssh',
        unit,
        'pid=$(cat /var/lib/workload); kill -0 $pid && echo $pid $(cut -d" " -f22 /proc/$pid/stat)',
      ),
    ),
  );
const upgrade = (): Promise<string> => upgradeOf({ attempt: (...args) => runOf(program, ...args) });
const untilUpgraded = (): Promise<void> =>
  world.until('the agents to have the new program', async () =>
    (await upgrade()).includes('no upgrades available'),
  );
/** Returns the machines by the requests to their agents in the controller's log since `from`. */
const requests = (from: number): string[] => requestsIn(readFileSync(log(), 'utf8').slice(from));
const log = (): string => join(world.controllerDir, 'controller.log');
const logSize = (): number => readFileSync(log(), 'utf8').length;

beforeAll(async () => {
  world = await startWorld('upgrades', {
    runner: {
      dir: mkdtempSync('/tmp/grigri-upgrades-'),
      argv: [join(program, 'bin/grigri')],
      env: {},
    },
  });
  const charm = world.charm('app', { hooks, config: 'options:\n  n: {type: int, default: 0}\n' });
  await grigri('deploy', charm, 'app', '-n', '2');
  for (const unit of ['app/0', 'app/1']) await world.untilUnit(unit, { workload: 'active', agent: 'idle' });
});
afterAll(async () => {
  expect(await world?.end()).toEqual([]);
});

test.runIf(previous)(
  'clients and controllers of the previous release and of this one understand each other',
  async () => {
    const newClient = await runOf(root, 'status', '--format', 'json');
    expect(newClient.code).toBe(0);
    expect(Object.keys((JSON.parse(newClient.stdout) as { applications: object }).applications)).toEqual([
      'app',
    ]);
    await configure(1);
    const told = await runOf(root, 'config', 'app', 'n=2');
    expect(told.code).toBe(0);
    await configure(2);
  },
);

test.runIf(previous)(
  'agents of the previous release follow a new controller, and workloads run on',
  async () => {
    const before = await workloads();
    const from = logSize();
    await switchTo(root);
    // The client of the previous release talks to the new controller, whatever agents there are.
    expect((await runOf(previous!, 'status')).code).toBe(0);
    expect((await runOf(previous!, 'config', 'app', 'n=3')).code).toBe(0);
    await configure(3);
    await untilUpgraded();
    expect(requests(from).sort()).toEqual(['0', '1']);
    expect(await workloads()).toEqual(before);
    await configure(4);
    // No hook but config-changed ran for any of it.
    expect(await grigri('ssh', 'app/0', `grep -c -e install -e start -e stop ${traceAt}`)).toBe('2\n');
    expect(existsSync(join(world.controllerDir, 'tools/before'))).toBe(true);
  },
);

test('the first agent waits for its hook, and the others for it', async () => {
  const before = await workloads();
  const other = variant(join(world.dir, 'other'), '// Another build.');
  for (const unit of ['app/0', 'app/1']) await grigri('ssh', unit, 'touch /var/lib/hang');
  await grigri('config', 'app', 'n=5');
  const ran = async (unit: string): Promise<boolean> =>
    (await grigri('ssh', unit, `cat ${traceAt}`)).includes('config-changed 5\n');
  await world.until('both hooks to run', async () => (await ran('app/0')) && (await ran('app/1')));
  const pids = ['0', '1'].map((machine) => world.agentPid(machine));
  const from = logSize();
  await switchTo(other);
  // The model keeps its program until it is upgraded.
  await sleep(2000);
  expect(requests(from)).toEqual([]);
  expect(await upgrade()).toMatch(/^started upgrade to /);
  await world.until('an agent to be asked', () => Promise.resolve(requests(from).length > 0));
  const [first = ''] = requests(from);
  const second = first === '0' ? '1' : '0';
  expect(await upgrade()).toContain(
    `agents are being upgraded: 0 have the new program, 2 do not yet; it waits for machine ${first}`,
  );
  expect(['0', '1'].map((machine) => world.agentPid(machine))).toEqual(pids);
  await grigri('ssh', first, 'rm /var/lib/hang');
  await world.until('the second agent to be asked', () => Promise.resolve(requests(from).length > 1));
  expect(requests(from)).toEqual([first, second]);
  expect(world.agentPid(second)).toBe(pids[Number(second)]);
  await grigri('ssh', second, 'rm /var/lib/hang');
  await untilUpgraded();
  // The hooks ran once: no agent was ended within one.
  for (const unit of ['app/0', 'app/1'])
    expect(await grigri('ssh', unit, `grep -c 'config-changed 5' ${traceAt}`)).toBe('1\n');
  expect(await workloads()).toEqual(before);
});

test.each([
  [
    'does not load',
    "throw new TypeError('does not load');",
    'it cannot run on this machine: TypeError: does not load',
  ],
  [
    'ends at its start',
    "if (!process.argv.includes('check')) process.exit(7);",
    'it ended 3 times before it had reached the controller',
  ],
])(
  'a new agent that %s is left for the one before, and the other machines keep theirs',
  async (name, begin, why) => {
    const before = await workloads();
    const pids = ['0', '1'].map((machine) => world.agentPid(machine));
    const bad = variant(join(world.dir, name.replaceAll(' ', '-')), begin);
    const good = program;
    await switchTo(bad);
    await world.until('the upgrade to stop', async () => (await upgrade()).includes('has stopped'));
    const words = await upgrade();
    const machine = /stopped at machine (\d)/.exec(words)?.[1] ?? '';
    expect(words).toContain(
      `, which goes on with the program that it had: ${why}; 0 have the new one, 2 do not`,
    );
    const { machines } = await world.status();
    expect((machines[machine]!['juju-status'] as { message?: string }).message).toContain(why);
    const other = machine === '0' ? 1 : 0;
    expect(world.agentPid(String(other))).toBe(pids[other]);
    await configure(name.length + 10);
    expect(await workloads()).toEqual(before);
    await switchTo(good);
    await untilUpgraded();
    await configure(name.length + 30);
  },
);

test('an upgrade that has stopped is tried again when that is asked for', async () => {
  const bad = variant(
    join(world.dir, 'sometimes'),
    `if (!process.argv.includes('check') && !(await import('node:fs')).existsSync('/var/lib/fixed')) process.exit(7);`,
  );
  await switchTo(bad);
  await world.until('the upgrade to stop', async () => (await upgrade()).includes('has stopped'));
  for (const machine of ['0', '1']) await grigri('ssh', machine, 'touch /var/lib/fixed');
  await grigri('upgrade-model', '--reset-previous-upgrade').catch(() => '');
  await untilUpgraded();
  await configure(50);
});

test('agents that are killed at any step of an upgrade come up with a program, and then with the new one', async () => {
  if (program === previous) await switchTo(root);
  await untilUpgraded();
  const before = await workloads();
  for (let step = 0; step < 4; step++) {
    await switchTo(variant(join(world.dir, `killed-${step}`), `// ${step}`));
    await upgrade();
    // The steps of the first agent take some 2 s together, and those of the second as much.
    await sleep(300 + 700 * step);
    for (const machine of ['0', '1']) {
      const pid = world.agentPid(machine);
      if (pid !== undefined) process.kill(pid, 'SIGKILL');
    }
    await untilUpgraded();
    await configure(60 + step);
  }
  expect(await workloads()).toEqual(before);
});

test('units and machines of upgraded agents are removed', async () => {
  await grigri('remove-application', 'app', '--no-prompt');
  await world.until('the machines to be gone', () => Promise.resolve(world.instances().length === 0));
});
