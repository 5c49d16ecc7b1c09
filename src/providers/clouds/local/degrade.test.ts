import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  constants,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readlinkSync,
  rmSync,
} from 'node:fs';
import { join } from 'node:path';
import { buildSync } from 'esbuild';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { isolationText } from './capabilities.ts';
import { createLocalProvider } from './index.ts';
import { createWorld, hostCapabilities, startParams, type World } from '../../../testing/provider-world.ts';

let world: World;
beforeEach(() => {
  world = createWorld();
});
afterEach(async () => {
  await world.end(createLocalProvider());
  expect(world.leftovers()).toEqual([]);
});

test('A host reports which isolation it lacks', () => {
  const cgroups = { version: 2, root: '/sys/fs/cgroup' } as const;
  const texts = [
    isolationText({ sandbox: true, network: true, cgroups, loops: true }),
    isolationText({ sandbox: true, network: true, cgroups, loops: true }, true),
    isolationText({ sandbox: true, network: true, cgroups: undefined, loops: true }),
    isolationText({ sandbox: true, network: false, cgroups, loops: true }),
    isolationText({ sandbox: true, network: true, cgroups, loops: false }),
    isolationText({ sandbox: false, network: false, cgroups: undefined, loops: false }),
  ];
  expect(texts).toEqual([
    'namespaces+overlay+network+firewall+cgroups',
    'namespaces+overlay+network+cgroups',
    'namespaces+overlay+network+firewall (no limits)',
    'namespaces+overlay+cgroups (no network of its own, no firewall)',
    'namespaces+overlay+network+firewall+cgroups (no sizes of volumes)',
    'process (no root: shares files, network, processes)',
  ]);
});

test.each([true, false])('Containers are available only with a network of their own: %s', (network) => {
  const provider = createLocalProvider({
    probe: () => ({ sandbox: true, network, cgroups: undefined, loops: false }),
  });
  const { containers, constraints } = world.open(provider);
  expect(containers?.types).toEqual(network ? ['lxd'] : undefined);
  expect(constraints.unsupported.includes('container')).toBe(!network);
  expect(constraints.vocabulary.container).toEqual(network ? ['none', 'lxd'] : undefined);
});

test.each([true, false])('Machines have loop devices when the host has them: %s', (loops) => {
  const provider = createLocalProvider({
    probe: () => ({ sandbox: true, network: false, cgroups: undefined, loops }),
  });
  expect(world.open(provider).noLoops).toBe(loops ? undefined : 'machines of this host cannot have any');
});

test('A machine without any isolation is a process tree with a folder of its own', async () => {
  const provider = createLocalProvider({
    probe: () => ({ sandbox: false, network: false, cgroups: undefined, loops: false }),
  });
  const environ = world.open(provider);
  const { instance } = await environ.instances.start(startParams(world, '0'), world.never);
  expect(instance.addresses).toEqual([{ value: '127.0.0.1', type: 'ipv4', scope: 'local-machine' }]);
  expect(environ.firewall).toEqual({ mode: 'none' });
  const folder = join(world.stateDir, environ.modelUuid, instance.id);
  expect(readFileSync(join(folder, 'data/agents/machine-0/agent.conf'), 'utf8')).toBe(
    startParams(world, '0').agent.agentConf,
  );
  const [program = '', ...args] = await environ.enter!(instance.id, { tty: false });
  expect(execFileSync(program, [...args, 'pwd'], { encoding: 'utf8' }).trim()).toBe(folder);
  // Processes that left the session and lost their parent still belong to the machine.
  execFileSync(program, [...args, 'sh', '-c', 'setsid sleep 100000 >/dev/null 2>&1 &']);
  await environ.instances.stop([instance.id], world.never);
  expect(existsSync(folder)).toBe(false);
  expect(world.leftovers()).toEqual([]);
});

test('A process tree with a lost record is ended and removed', async () => {
  const provider = createLocalProvider({
    probe: () => ({ sandbox: false, network: false, cgroups: undefined, loops: false }),
  });
  const environ = world.open(provider);
  const { instance } = await environ.instances.start(startParams(world, '0'), world.never);
  const folder = join(world.stateDir, environ.modelUuid, instance.id);
  rmSync(join(folder, 'instance.json'));
  await environ.instances.stop([instance.id], world.never);
  expect(existsSync(folder)).toBe(false);
  expect(world.leftovers()).toEqual([]);
});

test.skipIf(!hostCapabilities().sandbox)(
  'A sandbox without a network of its own uses the host’s',
  async () => {
    const provider = createLocalProvider({
      probe: () => ({ sandbox: true, network: false, cgroups: undefined, loops: false }),
    });
    const environ = world.open(provider);
    const { instance } = await environ.instances.start(startParams(world, '0'), world.never);
    expect(instance.addresses).toEqual([{ value: '127.0.0.1', type: 'ipv4', scope: 'local-machine' }]);
    expect(environ.firewall).toEqual({ mode: 'none' });
    const [program = '', ...args] = await environ.enter!(instance.id, { tty: false });
    const within = (...command: string[]): string =>
      execFileSync(program, [...args, ...command], { encoding: 'utf8' }).trim();
    expect(within('hostname')).toBe(instance.id);
    expect(within('readlink', '/proc/self/ns/net')).toBe(readlinkSync('/proc/self/ns/net'));
    expect(() => within('sh', '-c', 'echo 1 >/proc/sys/net/ipv4/ip_forward')).toThrow(/Read-only/);
  },
);

/**
 * The test runs the real probe as an unprivileged user: as `nobody` when the tests are run by root. That user may be
 * unable to read a clone in a private folder, so the program and its runtime are copied to a public one.
 */
test('A plain user gets process machines', async () => {
  // tmpdir() may be private as well.
  const home = mkdtempSync('/tmp/grigri-nobody-');
  try {
    const stateDir = join(home, 'state');
    mkdirSync(stateDir);
    chmodSync(home, 0o755);
    chmodSync(stateDir, 0o777);
    const runtime = join(home, 'node');
    copyFileSync(process.execPath, runtime, constants.COPYFILE_FICLONE);
    const script = `
      import { createWorld, startParams } from '../../../testing/provider-world.ts';
      import { local } from './index.ts';
      const world = createWorld();
      const environ = world.open(local, { stateDir: ${JSON.stringify(stateDir)} });
      const { instance } = await environ.instances.start(startParams(world, '0'), world.never);
      const listed = await environ.instances.list(world.never);
      await environ.destroyController(world.never);
      await world.end(local);
      console.log(JSON.stringify({ uid: process.getuid(), instance, listed, mode: environ.firewall.mode, left: world.leftovers() }));`;
    const program = join(home, 'program.mjs');
    buildSync({
      stdin: { contents: script, resolveDir: import.meta.dirname, loader: 'ts' },
      bundle: true,
      platform: 'node',
      format: 'esm',
      banner: { js: "import { createRequire } from 'node:module'; const require = createRequire('/');" },
      outfile: program,
    });
    const asNobody = ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups', runtime, program];
    const [first = '', ...args] = process.getuid?.() === 0 ? asNobody : [runtime, program];
    const output = JSON.parse(
      execFileSync(first, args, { encoding: 'utf8', cwd: home, env: { PATH: process.env['PATH'] } }),
    ) as {
      uid: number;
      instance: { isolation: string; status: string };
    };
    expect(output.uid).not.toBe(0);
    expect(output).toMatchObject({
      instance: { isolation: 'process (no root: shares files, network, processes)', status: 'running' },
      listed: [output.instance],
      mode: 'none',
      left: [],
    });
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
});
