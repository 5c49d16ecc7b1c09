/**
 * Existing hosts as people use them: added over ssh, used, killed, booted, and removed, after which they are as before.
 * The controller is a process of this host.
 */
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { root, startWorld, type Ran, type World } from '../world.ts';
import { makeHosts, type TestHost } from './hosts.ts';

const hosts = makeHosts();
let world: World;
/** Two hosts, without and with systemd. */
let plain: TestHost;
let full: TestHost;
let before: Map<TestHost, Readonly<Record<string, string>>>;

beforeAll(async () => {
  [world, plain, full] = await Promise.all([
    startWorld('manual', { patienceMs: 180_000 }),
    hosts.make('plain', { init: 'minimal' }),
    hosts.make('full', { init: 'systemd' }),
  ]);
  before = new Map([plain, full].map((host) => [host, host.files()]));
  await world.grigri('model-config', 'enable-os-refresh-update=false', 'enable-os-upgrade=false');
});
afterAll(async () => {
  try {
    expect(await world.end()).toEqual([]);
  } finally {
    await hosts.end();
  }
});

const add = (user: string, host: TestHost): Promise<Ran> =>
  world.attempt('add-machine', `ssh:${user}@${host.address}`, '--private-key', hosts.key);

async function machineOf(host: TestHost): Promise<string | undefined> {
  const { machines } = await world.status();
  return Object.keys(machines).find((id) => machines[id]!['instance-id'] === `manual:${host.address}`);
}

async function untilMachine(host: TestHost, state: string): Promise<void> {
  await world.until(`${host.name} to be ${state}`, async () => {
    const id = await machineOf(host);
    return id !== undefined && (await world.status()).machines[id]!['juju-status'].current === state;
  });
}

/** Waits until the machine's record is removed and the host is as it was. */
async function untilClean(host: TestHost): Promise<void> {
  await world.until(`${host.name} to have no machine`, async () => (await machineOf(host)) === undefined);
  await world.within(() => Promise.resolve(isAsBefore(host)));
  expect(host.files()).toEqual(before.get(host));
  const processes = (): Promise<string> =>
    host.run('pgrep -fa "juju|agent.mjs" | grep -v -e pgrep -e /run/grigri || :');
  await expect.poll(processes).toBe('');
}

/** Makes sshd read its keys, for which it restarts, and waits until it shows them. */
async function showKeys(host: TestHost): Promise<void> {
  await host.run('kill -HUP $(pgrep -o -x sshd)');
  const shown = "ssh-keyscan -t ed25519 127.0.0.1 2>/dev/null | cut -d' ' -f2,3";
  const own = "cut -d' ' -f1,2 /etc/ssh/ssh_host_ed25519_key.pub";
  await world.until(`the keys of ${host.name}`, async () => {
    await host.run(`[ "$(${shown})" = "$(${own})" ]`);
    return true;
  });
}

function isAsBefore(host: TestHost): boolean {
  return JSON.stringify(host.files()) === JSON.stringify(before.get(host));
}

describe('two hosts in a model', () => {
  test('hosts become machines: as root without systemd, as a user with passwordless sudo with it', async () => {
    const [asRoot, asUser] = await Promise.all([add('root', plain), add('passwordless', full)]);
    expect([asRoot.code, asUser.code], asRoot.stderr + asUser.stderr).toEqual([0, 0]);
    expect(asRoot.stderr).toMatch(
      /^Logging in on 10\.[\s\S]*debian@12, amd64[\s\S]*downloading the agent[\s\S]*created machine \d\n$/,
    );
    await Promise.all([untilMachine(plain, 'started'), untilMachine(full, 'started')]);
    for (const machine of Object.values((await world.status()).machines))
      expect(machine['machine-status'].message).toBe('Manually provisioned machine');
    // Secrets must not be in the arguments of any process.
    for (const host of [plain, full]) expect(await host.run('ps axww')).not.toContain('apipassword');
  });

  test('ssh and scp reach hosts by the keys that their agents have reported, and accept no others', async () => {
    const [first = '', second = ''] = await Promise.all([machineOf(plain), machineOf(full)]);
    expect((await world.grigri('ssh', first, 'id -un; hostname')).split('\n')[0]).toBe('ubuntu');
    expect(await world.attempt('ssh', first, 'exit 3')).toMatchObject({ code: 3 });
    const file = join(world.dir, 'sent');
    writeFileSync(file, 'content');
    await world.grigri('scp', file, `${first}:/tmp/sent`);
    await world.grigri('scp', `${first}:/tmp/sent`, `${second}:/tmp/sent-on`);
    expect(await world.grigri('ssh', second, 'cat /tmp/sent-on')).toBe('content');
    await world.grigri('ssh', second, 'rm /tmp/sent-on');
    // Host keys differ, as when another host has taken the address.
    await plain.run('cd /etc/ssh && mkdir kept && mv ssh_host_*_key* kept && ssh-keygen -A >&2');
    await showKeys(plain);
    const refused = await world.attempt('ssh', first, 'true');
    expect(refused.code).toBe(255);
    expect(refused.stderr).toContain('Host key verification failed');
    expect(await world.attempt('ssh', '--no-host-key-checks', first, 'true')).toMatchObject({ code: 0 });
    await plain.run('cd /etc/ssh && rm ssh_host_*_key* && mv kept/* . && rmdir kept');
    await showKeys(plain);
    await world.grigri('ssh', first, 'rm /tmp/sent');
  });

  test('hosts are refused a second time, and stay unchanged', async () => {
    for (const [user, host] of [
      ['root', plain],
      ['passwordless', full],
    ] as const) {
      const now = host.files();
      expect(await add(user, host)).toMatchObject({
        code: 1,
        stderr: expect.stringContaining('ERROR machine is already provisioned\n') as string,
      });
      expect(host.files()).toEqual(now);
    }
    expect(Object.keys((await world.status()).machines)).toHaveLength(2);
  });

  test('hosts run units, also after everything in one of them was killed', async () => {
    const charm = world.charm('stays', {
      metadata: 'storage: {data: {type: filesystem, location: /srv/data}}\n',
      hooks: {
        install: 'touch /srv/work; [ -e /srv/data/first ] || hostname >/srv/data/first',
        start: 'status-set active "$(ls /srv)"',
      },
    });
    const placed = [await machineOf(plain), await machineOf(full)].join(',');
    await world.grigri(
      'deploy',
      charm,
      '--base',
      'debian@12',
      '-n',
      '2',
      '--to',
      placed,
      '--storage',
      'data=loop,32M',
    );
    for (const unit of ['stays/0', 'stays/1'])
      await world.untilUnit(unit, { workload: 'active', agent: 'idle' });
    for (const host of [plain, full]) {
      await host.kill();
      await untilMachine(host, 'down');
      await host.boot();
      await untilMachine(host, 'started');
    }
    for (const unit of ['stays/0', 'stays/1']) {
      await world.untilUnit(unit, { workload: 'active', agent: 'idle' });
      // The unit's storage is mounted again, with its size.
      const shown = 'cat /srv/data/first; df --output=fstype,size /srv/data | tail -1';
      expect(await world.grigri('ssh', unit, shown)).toMatch(/^\S+\next4 +[23]\d{4}\n$/);
    }
  });

  test('hosts get the model’s proxies in hooks, shells and the configuration of apt, and lose them again', async () => {
    const seen =
      'cat /etc/juju-proxy.conf /etc/apt/apt.conf.d/95-juju-proxy-settings 2>/dev/null | grep -c 198.51.100 || :';
    const untilSeen = (count: string): Promise<void> =>
      world.until('the proxies to have changed', async () =>
        (await Promise.all([plain, full].map((host) => host.run(seen)))).every(
          (lines) => lines.trim() === count,
        ),
      );
    const inHook = (unit: string): Promise<string> =>
      world.grigri('exec', '--unit', unit, 'echo "http=$http_proxy HTTP=$HTTP_PROXY"');
    await world.grigri(
      'model-config',
      'http-proxy=http://198.51.100.9:3128',
      'apt-http-proxy=http://198.51.100.10:3142',
    );
    // Proxy settings are there: two variables, and one line for apt.
    await untilSeen('3');
    for (const host of [plain, full]) {
      expect(await host.run('apt-config dump Acquire::http::Proxy')).toContain('"http://198.51.100.10:3142"');
      expect(await host.run('sh -lc env')).toContain('http_proxy=http://198.51.100.9:3128\n');
    }
    for (const unit of ['stays/0', 'stays/1'])
      expect(await inHook(unit)).toContain('http=http://198.51.100.9:3128 HTTP=http://198.51.100.9:3128');
    await world.grigri('model-config', '--reset', 'http-proxy,apt-http-proxy');
    await untilSeen('0');
    for (const host of [plain, full])
      expect(await host.run('apt-config dump Acquire::http::Proxy')).not.toContain('198.51.100');
    for (const unit of ['stays/0', 'stays/1']) expect(await inHook(unit)).toContain('http= HTTP=\n');
  });

  test('hosts whose keys have changed are refused until the user accepts the new key', async () => {
    await plain.run('rm /etc/ssh/ssh_host_*; ssh-keygen -q -A');
    await showKeys(plain);
    const files = plain.files();
    before.set(plain, { ...before.get(plain), ...hostKeys(files) });
    const refused = await add('root', plain);
    expect(refused.code).toBe(1);
    const command = /(ssh-keygen -f '([^']*)' -R '[^']*')/.exec(refused.stderr);
    expect(command?.[2]).toBe(join(world.dir, 'client/ssh/known_hosts'));
    expect(plain.files()).toEqual(files);
    await run('sh', '-c', command![1]!);
    expect((await add('root', plain)).stderr).toContain('machine is already provisioned');
  });

  test('hosts are as before when they are removed, also with their model', async () => {
    await world.grigri('remove-application', 'stays', '--no-prompt');
    await world.until(
      'the units to go',
      async () => Object.keys((await world.status()).applications).length === 0,
    );
    for (const host of [plain, full]) await host.run('rm -f /srv/work; rmdir /srv/data');
    const id = await machineOf(plain);
    await world.grigri('remove-machine', '--no-prompt', id!);
    await untilClean(plain);
    await world.grigri('destroy-model', '--no-prompt', 'work');
    await world.within(() => Promise.resolve(isAsBefore(full)));
    expect(full.files()).toEqual(before.get(full));
    await world.grigri('add-model', 'again');
    await world.grigri('model-config', 'enable-os-refresh-update=false', 'enable-os-upgrade=false');
  });
});

test('sudo may ask for a password on the terminal, and a host that was down while it was force-removed cleans itself', async () => {
  const asking = await onTerminal(
    ['add-machine', `ssh:asked@${plain.address}`, '--private-key', hosts.key],
    /password for asked: $/,
    'open sesame\n',
  );
  expect(asking.code, asking.stdout).toBe(0);
  await untilMachine(plain, 'started');
  expect(asking.stdout).not.toContain('open sesame');
  await plain.kill();
  await untilMachine(plain, 'down');
  await world.grigri('remove-machine', '--no-prompt', '--force', '--no-wait', (await machineOf(plain))!);
  await world.until('the machine to go', async () => (await machineOf(plain)) === undefined);
  await plain.boot();
  await untilClean(plain);
});

test('add-machine without a terminal says what is missing and leaves nothing', async () => {
  const refused = await add('asked', full);
  expect(refused.code).toBe(1);
  expect(refused.stderr).toMatch(/sudo on 10\..* asks asked for a password: run this on a terminal/);
  await untilClean(full);
});

describe('installations that fail leave nothing', () => {
  test('an installation leaves nothing when the disk is full', async () => {
    await full.run('mkdir -p /var/lib/juju && mount -t tmpfs -o size=8m tmpfs /var/lib/juju');
    const failed = await add('passwordless', full);
    expect(failed.code).toBe(1);
    expect(failed.stderr).toMatch(
      /ERROR cannot install the agent on .*(disk full|cannot be unpacked|No space)/i,
    );
    await full.run('while umount /var/lib/juju 2>/dev/null; do :; done; rm -rf /var/lib/juju');
    await untilClean(full);
  });

  test('an installation leaves nothing when the controller cannot be reached', async () => {
    const here = Object.values(networkInterfaces())
      .flat()
      .filter((one) => one?.family === 'IPv4' && !one.internal && !isNear(one.address, full.address))
      .map((one) => one!.address);
    const each = (verb: string): Promise<string> =>
      full.run(here.map((address) => `ip route ${verb} unreachable ${address}`).join('; '));
    await each('add');
    const failed = await add('passwordless', full);
    await each('del');
    expect(failed.code).toBe(1);
    expect(failed.stderr).toContain('ERROR cannot install the agent');
    await untilClean(full);
  });

  test.each([
    ['it is interrupted', 'SIGINT', 130],
    ['the client is killed', 'SIGKILL', null],
  ] as const)('%s', async (_, signal, code) => {
    const client = spawn(
      join(root, 'bin/grigri'),
      ['add-machine', `ssh:passwordless@${full.address}`, '--private-key', hosts.key],
      { env: { ...process.env, JUJU_DATA: join(world.dir, 'client') }, stdio: ['ignore', 'ignore', 'pipe'] },
    );
    let output = '';
    client.stderr.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      if (output.includes('downloading the agent')) client.kill(signal);
    });
    const ended = await new Promise<number | null>((resolve) => client.once('close', resolve));
    expect(ended, output).toBe(code);
    if (signal === 'SIGKILL') {
      await world.within(() => Promise.resolve(isAsBefore(full)));
      await world.grigri('remove-machine', '--no-prompt', (await machineOf(full))!);
    }
    await untilClean(full);
  });
});

test('a model of the cloud manual has only machines that were added by ssh', async () => {
  const file = join(world.dir, 'clouds.yaml');
  writeFileSync(file, 'clouds: {my-hosts: {type: manual, auth-types: [empty], regions: {default: {}}}}\n');
  await world.grigri('add-cloud', 'my-hosts', file, '--controller', world.name, '--force');
  await world.grigri('add-model', 'hosts', 'my-hosts');
  await world.grigri('model-config', 'enable-os-refresh-update=false', 'enable-os-upgrade=false');
  await world.grigri('add-machine');
  await world.until('the machine to be refused', async () =>
    Object.values((await world.status()).machines).some((one) =>
      one['machine-status'].message?.includes('add-machine ssh:'),
    ),
  );
  const added = await add('root', plain);
  expect(added.code, added.stderr).toBe(0);
  await untilMachine(plain, 'started');
  await world.grigri('destroy-model', '--no-prompt', 'hosts');
  await world.within(() => Promise.resolve(isAsBefore(plain)));
  expect(plain.files()).toEqual(before.get(plain));
});

/** Whether the address is in the host's own network, through which it is reached. */
function isNear(address: string, host: string): boolean {
  const network = (one: string): string => one.split('.').slice(0, 3).join('.');
  return network(address) === network(host);
}

function hostKeys(files: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(files).filter(([path]) => path.startsWith('etc/ssh/ssh_host_')));
}

function run(program: string, ...args: string[]): Promise<number | null> {
  return new Promise((resolve, reject) => {
    spawn(program, args, { stdio: 'ignore' }).once('error', reject).once('close', resolve);
  });
}

/** Runs the command on a terminal of its own; `answer` is typed at `question`. */
async function onTerminal(
  args: readonly string[],
  question: RegExp,
  answer: string,
): Promise<{ readonly code: number | null; readonly stdout: string }> {
  const line = [join(root, 'bin/grigri'), ...args].map((word) => `'${word}'`).join(' ');
  const child = spawn('script', ['-qec', line, '/dev/null'], {
    env: { ...process.env, JUJU_DATA: join(world.dir, 'client') },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  let stdout = '';
  let asked = false;
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
    if (asked || !question.test(stdout)) return;
    asked = true;
    // sudo discards input from before its prompt.
    void sleep(1000).then(() => child.stdin.write(answer));
  });
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { code, stdout };
}
