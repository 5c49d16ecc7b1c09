/** Isolation of machines: files, limits and firewall. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { startWorld, type World } from '../world.ts';

let world: World;
const used: string[] = [];

beforeAll(async () => {
  world = await startWorld('machines');
});
afterEach(() => world.clear(...used.splice(0)));
afterAll(async () => expect(await world.end()).toEqual([]));

async function deploy(name: string, parts: Parameters<World['charm']>[1], ...flags: string[]): Promise<void> {
  used.push(name);
  await world.grigri('deploy', world.charm(name, parts), ...flags);
  await world.untilUnit(`${name}/0`, { workload: 'active', agent: 'idle' });
}

test('files and packages of a hook are on its machine only', async () => {
  expect(existsSync('/usr/bin/hello')).toBe(false);
  const files = ['/etc/hosts', '/etc/passwd'];
  const before = files.map((file) => readFileSync(file, 'utf8'));
  await deploy('writer', {
    hooks: {
      install: [
        'apt-get update -qq',
        'apt-get install -qqy --no-install-recommends hello',
        'useradd --create-home grigri-tester',
        'echo 192.0.2.1 nowhere >>/etc/hosts',
        'echo x >/etc/grigri-tested',
        'rm /etc/debian_version',
      ].join('\n'),
      start: 'status-set active "$(hello)"',
    },
  });
  expect((await world.unit('writer/0')).message).toBe('Hello, world!');
  expect(files.map((file) => readFileSync(file, 'utf8'))).toEqual(before);
  // Other suites may install packages of their own.
  expect(readFileSync('/var/lib/dpkg/status', 'utf8')).not.toContain('Package: hello\n');
  expect(existsSync('/usr/bin/hello')).toBe(false);
  expect(existsSync('/etc/grigri-tested')).toBe(false);
  expect(existsSync('/home/grigri-tester')).toBe(false);
  expect(existsSync('/etc/debian_version')).toBe(true);
  const within = await world.grigri(
    'ssh',
    'writer/0',
    'id -un grigri-tester; cat /etc/grigri-tested; tail -1 /etc/hosts',
  );
  expect(within.split('\n').slice(0, 3)).toEqual(['grigri-tester', 'x', '192.0.2.1 nowhere']);
});

test('the user ubuntu exists and has the model’s keys', async () => {
  await deploy('entered', { hooks: { start: 'status-set active' } });
  const within = await world.grigri(
    'ssh',
    'entered/0',
    "id -un ubuntu; stat -c '%U %a' ~ubuntu/.ssh/authorized_keys; cat ~ubuntu/.ssh/authorized_keys /etc/sudoers.d/90-juju-ubuntu",
  );
  expect(within.trim().split('\n')).toEqual([
    'ubuntu',
    'ubuntu 600',
    expect.stringMatching(/^ssh-\S+ \S+ juju-client-key$/),
    'ubuntu ALL=(ALL) NOPASSWD:ALL',
  ]);
});

test('the model’s proxies are set in shells, hooks and apt of running machines, and removed again', async () => {
  const seen =
    'cat /etc/juju-proxy.conf /etc/apt/apt.conf.d/95-juju-proxy-settings 2>/dev/null | grep -c 192.0.2.9';
  await deploy('behind', { hooks: { start: 'status-set active', 'config-changed': 'env >/tmp/env' } });
  try {
    await world.grigri('model-config', 'http-proxy=http://192.0.2.9:3128');
    // Proxy settings are there: two variables, and one line for apt.
    await world.until(
      'the proxies to have changed',
      async () => (await world.grigri('ssh', 'behind/0', `${seen} || :`)).trim() === '3',
    );
    expect(await world.grigri('exec', '--unit', 'behind/0', 'echo $HTTP_PROXY $http_proxy')).toContain(
      'http://192.0.2.9:3128 http://192.0.2.9:3128',
    );
    expect(await world.grigri('exec', '--unit', 'behind/0', 'echo $no_proxy')).toMatch(
      /^127\.0\.0\.1,localhost,/m,
    );
  } finally {
    await world.grigri('model-config', '--reset', 'http-proxy');
  }
  await world.until(
    'the proxies to have changed',
    async () => (await world.grigri('ssh', 'behind/0', `${seen} || :`)).trim() === '0',
  );
});

test('a package mirror that does not answer is logged, and delays nothing', async () => {
  await deploy('remote', { hooks: { start: 'status-set active "$(cat /root/boot 2>/dev/null)"' } });
  try {
    await world.grigri('model-config', 'enable-os-refresh-update=true', 'apt-http-proxy=http://127.0.0.1:9');
    // The lists are removed, because a host with recent ones would not ask the mirror.
    const forget =
      'rm -rf /var/lib/apt/lists/* /var/lib/juju/agents/machine-*/booted; echo again >/root/boot; reboot';
    await world.grigri('ssh', 'remote/0', forget).catch(() => undefined);
    await world.untilUnit('remote/0', { workload: 'active', message: 'again', agent: 'idle' });
    await world.until('the log', async () =>
      /the package lists could not (all )?be refreshed/.test(
        await world.grigri('debug-log', '--replay', '--no-tail'),
      ),
    );
  } finally {
    await world.grigri('model-config', '--reset', 'enable-os-refresh-update,apt-http-proxy');
  }
});

test('a memory limit is set in the kernel, where the host allows it', async () => {
  await deploy('small', { hooks: { start: 'status-set active' } }, '--constraints', 'mem=256M');
  const isolation = Object.values((await world.status()).machines)[0]!['machine-status'].message ?? '';
  if (isolation.includes('no limits')) return;
  expect(isolation).toContain('cgroups');
  expect(await world.grigri('show-machine', '--format', 'yaml')).toMatch(/mem=256M/);
  const limits = cgroupFiles(/^memory\.(max|limit_in_bytes)$/).map((file) =>
    readFileSync(file, 'utf8').trim(),
  );
  expect(limits).toEqual([String(256 * 1024 * 1024)]);
});

test('an open port can be reached from the host while its application is exposed', async () => {
  const port = 8099;
  await deploy('site', {
    hooks: {
      start: `setsid python3 -m http.server ${port} >/dev/null 2>&1 </dev/null &\nopen-port ${port}/tcp\nstatus-set active`,
    },
  });
  const isolation = Object.values((await world.status()).machines)[0]!['machine-status'].message ?? '';
  expect(isolation).toContain('firewall');
  const address = (await world.status()).applications['site']!.units!['site/0']!['public-address']!;
  const served = async (): Promise<boolean> =>
    (
      await world.attempt(
        'ssh',
        'site/0',
        `python3 -c 'import socket; socket.create_connection(("127.0.0.1", ${port}))'`,
      )
    ).code === 0;
  await world.until('the page to be served on its machine', served);
  expect(await reaches(address, port)).toBe(false);

  await world.grigri('expose', 'site');
  await world.until('the port to open', () => reaches(address, port));
  expect(await reaches(address, port + 1)).toBe(false);

  await world.grigri('unexpose', 'site');
  await world.until('the port to close', async () => !(await reaches(address, port)));
  expect(await served()).toBe(true);
});

function reaches(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: 700 });
    const end = (reached: boolean) => (): void => {
      socket.destroy();
      resolve(reached);
    };
    socket.once('connect', end(true)).once('error', end(false)).once('timeout', end(false));
  });
}

/** Returns the cgroup files of the machines of this world's model. */
function cgroupFiles(name: RegExp): string[] {
  const model = world.instances()[0]!.split('/')[0]!;
  return readdirSync('/sys/fs/cgroup')
    .flatMap((tree) => [join('/sys/fs/cgroup', tree, 'grigri'), join('/sys/fs/cgroup', 'grigri')])
    .filter((folder, index, all) => existsSync(folder) && all.indexOf(folder) === index)
    .flatMap((folder) =>
      readdirSync(folder)
        .filter((one) => one.startsWith(model))
        .map((one) => join(folder, one)),
    )
    .flatMap((folder) =>
      readdirSync(folder)
        .filter((file) => name.test(file))
        .map((file) => join(folder, file)),
    );
}

test('juju-exec on a machine runs commands as its unit, or without a unit’s context', async () => {
  await deploy('runner', { hooks: { start: 'status-set active' } });
  const inside = async (command: string) => (await world.grigri('ssh', 'runner/0', command)).trim();
  expect(await inside('juju-exec -u runner/0 "status-set active by-hand; echo \\$JUJU_UNIT_NAME"')).toBe(
    'runner/0',
  );
  await world.untilUnit('runner/0', { workload: 'active', message: 'by-hand' });
  expect(await inside('juju-run runner/0 is-leader')).toBe('True');
  expect(await inside('juju-exec --no-context "echo [\\$JUJU_UNIT_NAME]"')).toBe('[]');
  expect(await inside('juju-exec "exit 7" || echo $?')).toBe('7');
  expect(await inside('juju-exec -u other/0 true 2>&1 || true')).toBe(
    'ERROR unit "other/0" not found on this machine',
  );
});
