import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdir, readFile, rm, symlink } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Environ, PortRule } from '../../contract/provider.ts';
import { createWorld, hostCapabilities, startParams, type World } from '../../../testing/provider-world.ts';
import { cgroupFolders } from './cgroups.ts';
import { createLocalProvider } from './index.ts';
import { bridgeName } from './network.ts';
import { readModel } from './record.ts';
import { run } from './run.ts';
import { addressOf, gatewayOf } from './subnets.ts';

/** Path of Node inside a machine. */
const runtime = '/run/grigri/tools/runtime';
const capabilities = hostCapabilities();
const complete = capabilities.sandbox && capabilities.network && capabilities.cgroups !== undefined;

/** The tests create real machines on this host; they need root, and are skipped without it. */
describe.skipIf(!complete)('a sandbox', () => {
  let world: World;
  let environ: Environ & { modelUuid: string };
  const provider = createLocalProvider();
  const children: ChildProcess[] = [];

  beforeEach(() => {
    world = createWorld();
    // A systemd would add processes to those that the tests count (systemd.test.ts covers it).
    environ = world.open(provider, { config: { init: 'minimal' } });
  });
  afterEach(async () => {
    for (const child of children.splice(0)) child.kill('SIGKILL');
    await world.end(provider);
    expect(world.leftovers()).toEqual([]);
  });

  const start = async (machineId = '0', params = {}): Promise<{ id: string; address: string }> => {
    const { instance } = await environ.instances.start(startParams(world, machineId, params), world.never);
    return { id: instance.id, address: instance.addresses[0]?.value ?? '' };
  };
  const enter = async (id: string, ...command: string[]): Promise<string> => {
    const [program = '', ...args] = await environ.enter!(id, { tty: false });
    return await new Promise((resolve, reject) => {
      execFile(program, [...args, ...command], (error, stdout, stderr) =>
        error ? reject(new Error(stderr, { cause: error })) : resolve(stdout.trim()),
      );
    });
  };
  const serve = async (id: string, port: number): Promise<void> => {
    const [program = '', ...args] = await environ.enter!(id, { tty: false });
    const server = `require('net').createServer(s => s.end('hello')).listen(${port}, () => console.log('listens'))`;
    const child = spawn(program, [...args, runtime, '-e', server], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    children.push(child);
    await new Promise((resolve, reject) => {
      child.stdout.once('data', resolve);
      child.once('close', (code) => reject(new Error(`the server in the machine ended with ${code}`)));
    });
  };

  test('A sandbox reports every kind of isolation it has', async () => {
    await start();
    const [instance] = await environ.instances.list(world.never);
    expect(instance?.isolation).toBe('namespaces+overlay+network+firewall+cgroups');
  });

  test('A sandbox has its own name, processes, address and private folders', async () => {
    const { id, address } = await start();
    expect(await enter(id, 'hostname')).toBe(id);
    expect(await enter(id, 'cat', '/etc/hostname')).toBe(id);
    expect(await enter(id, 'getent', 'hosts', id)).toMatch(new RegExp(`^${address} `));
    expect(await enter(id, 'ip', '-4', '-o', 'addr', 'show', 'eth0')).toContain(`${address}/22`);
    // The three processes are init, the agent's sleep, and the shell that counts.
    await until(async () => (await enter(id, 'sh', '-c', 'set -- /proc/[0-9]*; echo $#')) === '3');
    expect(await enter(id, 'sh', '-c', 'ls -A /home /root /tmp | grep -v :')).toBe('');
    expect(await enter(id, 'sh', '-c', 'echo $LANG $HOME $PWD')).toBe('C.UTF-8 /root /root');
    expect(await enter(id, 'cat', '/var/lib/juju/agents/machine-0/agent.conf')).toBe(
      startParams(world, '0').agent.agentConf.trim(),
    );
    expect(await enter(id, 'stat', '-c', '%a', '/var/lib/juju/agents/machine-0/agent.conf')).toBe('600');
    await until(async () =>
      /^agent \S+\/agent.mjs machine --data-dir \/var\/lib\/juju --machine 0$/.test(
        await enter(id, 'cat', '/var/log/juju/machine-0.log'),
      ),
    );
    expect(existsSync('/usr/sbin/policy-rc.d') && (await enter(id, 'ls', '/usr/sbin'))).not.toMatch(
      /policy-rc/,
    );
  });

  test('A sandbox keeps its writes from the host and from other machines', async () => {
    const zero = await start('0');
    const one = await start('1');
    const files = ['/etc/grigri-test', '/usr/bin/grigri-test', '/var/lib/grigri-test', '/root/grigri-test'];
    await enter(zero.id, 'sh', '-c', `for f in ${files.join(' ')}; do echo mine >$f; done; rm /etc/passwd`);
    expect(await enter(zero.id, 'cat', ...files)).toBe('mine\nmine\nmine\nmine');
    for (const file of files) {
      expect(existsSync(file)).toBe(false);
      expect(await enter(one.id, 'sh', '-c', `test -e ${file} || echo absent`)).toBe('absent');
    }
    expect(existsSync('/etc/passwd')).toBe(true);
  });

  test('A sandbox can neither write the tools nor read the controller’s files', async () => {
    const secret = '/var/lib/grigri-test-private';
    const link = `${secret}-link`;
    environ = world.open(provider, { privateDirs: [link] });
    await mkdir(secret);
    await symlink(secret, link);
    try {
      writeFileSync(join(secret, 'key'), 'secret');
      const { id } = await start();
      expect(await enter(id, 'ls', '-A', secret)).toBe('');
      expect(await enter(id, 'sh', '-c', `ls ${world.stateDir} 2>&1 || :`)).toMatch(/No such file/);
      await expect(enter(id, 'touch', '/run/grigri/tools/agent.mjs')).rejects.toThrow(/Read-only/);
      await expect(enter(id, 'sh', '-c', 'echo 1 >/proc/sys/kernel/panic')).rejects.toThrow(/Read-only/);
      await enter(id, 'sh', '-c', 'echo 1 >/proc/sys/net/ipv4/ip_forward');
    } finally {
      await rm(link);
      await rm(secret, { recursive: true });
    }
  });

  test('A sandbox is reached from outside on open ports only, and from its model on every port', async () => {
    const { firewall } = environ;
    if (firewall.mode !== 'instance') throw new Error('no firewall');
    const zero = await start('0');
    const one = await start('1');
    const stranger = await world.open(provider).instances.start(startParams(world, '0'), world.never);
    await serve(zero.id, 8080);
    const rule: PortRule = { fromPort: 8000, toPort: 8090, protocol: 'tcp', sourceCidrs: [] };
    const answers = (host: string): Promise<string> => ask(host, 8080);
    const answersOne = (): Promise<string> => enter(one.id, runtime, '-e', askScript(zero.address, 8080));

    expect(await answers(zero.address)).toBe('nothing');
    await until(async () => (await answersOne()) === 'hello');
    await firewall.set(zero.id, [rule], world.never);
    await until(async () => (await answers(zero.address)) === 'hello');
    await firewall.set(zero.id, [{ ...rule, sourceCidrs: ['192.0.2.0/24'] }], world.never);
    expect(await answers(zero.address)).toBe('nothing');
    await firewall.set(
      zero.id,
      [{ ...rule, sourceCidrs: [`${gatewayOf(`${zero.address}/22`)}/32`, '192.0.2.0/24'] }],
      world.never,
    );
    await until(async () => (await answers(zero.address)) === 'hello');
    await firewall.set(zero.id, [{ ...rule, protocol: 'udp' }], world.never);
    expect(await answers(zero.address)).toBe('nothing');
    await until(async () => (await answersOne()) === 'hello');
    expect(stranger.instance.addresses[0]?.cidr).not.toBe(
      (await environ.instances.get([zero.id], world.never))[0]?.addresses[0]?.cidr,
    );
  });

  test('A sandbox is protected from another model’s open network by its firewall', async () => {
    const other = world.open(provider);
    const { id, address } = await start();
    const stranger = await other.instances.start(startParams(world, '0'), world.never);
    await serve(id, 8080);
    const [program = '', ...args] = await other.enter!(stranger.instance.id, { tty: false });
    const asked = (): Promise<string> =>
      new Promise((resolve) =>
        execFile(program, [...args, runtime, '-e', askScript(address, 8080)], (_, out) =>
          resolve(out.trim()),
        ),
      );
    expect(await asked()).toBe('nothing');
    if (environ.firewall.mode !== 'instance') throw new Error('no firewall');
    // The source address is the stranger's own, without masquerading by the host.
    const sourceCidrs = [`${stranger.instance.addresses[0]?.value}/32`];
    await environ.firewall.set(
      id,
      [{ fromPort: 8080, toPort: 8080, protocol: 'tcp', sourceCidrs }],
      world.never,
    );
    await until(async () => (await asked()) === 'hello');
  });

  test('A sandbox has the limits of its constraints', async () => {
    const constraints = { mem: 300, cores: 1 };
    const { hardware } = await environ.instances.start(startParams(world, '0', { constraints }), world.never);
    expect(hardware).toMatchObject({ mem: 300, cores: 1 });
    const layout = capabilities.cgroups!;
    const values = cgroupFolders(layout, `${environ.modelUuid}-0`).flatMap((folder) =>
      ['memory.max', 'memory.limit_in_bytes', 'cpu.max', 'cpu.cfs_quota_us']
        .map((file) => join(folder, file))
        .filter((file) => existsSync(file))
        .map((file) => readFileSync(file, 'utf8').trim()),
    );
    expect(values).toEqual([String(300 * 1024 * 1024), layout.version === 2 ? '100000 100000' : '100000']);
    const [instance] = await environ.instances.list(world.never);
    const groups = await readFile(
      `/proc/${await pidOf(world, environ.modelUuid, instance?.id ?? '')}/cgroup`,
      'utf8',
    );
    expect(groups).toContain(`/grigri/${environ.modelUuid}-0`);
    // An entering process is limited too: outside of the machine's groups, its cgroup would read `/../..` from within.
    expect(await enter(instance?.id ?? '', 'cat', '/proc/self/cgroup')).not.toContain('..');
  });

  test('A sandbox that died starts again with the same nonce, address, files and open ports', async () => {
    const { id, address } = await start();
    await enter(id, 'sh', '-c', 'echo kept >/etc/grigri-test; echo gone >/tmp/grigri-test');
    if (environ.firewall.mode !== 'instance') throw new Error('no firewall');
    await environ.firewall.set(
      id,
      [{ fromPort: 8080, toPort: 8080, protocol: 'tcp', sourceCidrs: [] }],
      world.never,
    );
    process.kill(await pidOf(world, environ.modelUuid, id), 'SIGKILL');
    await until(async () => (await environ.instances.get([id], world.never))[0]?.status === 'stopped');
    await expect(environ.enter!(id, { tty: false })).rejects.toThrow('not running');
    expect(await start()).toEqual({ id, address });
    expect(await enter(id, 'cat', '/etc/grigri-test')).toBe('kept');
    expect(await enter(id, 'sh', '-c', 'ls /tmp')).toBe('');
    await serve(id, 8080);
    await until(async () => (await ask(address, 8080)) === 'hello');
  });

  test('A sandbox starts again at the same address after a restart of the host', async () => {
    const { id, address } = await start();
    await enter(id, 'sh', '-c', 'echo kept >/etc/grigri-test');
    // A reboot removes processes, interfaces and nft tables.
    process.kill(await pidOf(world, environ.modelUuid, id), 'SIGKILL');
    await until(async () => (await environ.instances.get([id], world.never))[0]?.status === 'stopped');
    const { subnet = '' } = (await readModel(join(world.stateDir, environ.modelUuid))) ?? {};
    await run(['ip', 'link', 'delete', bridgeName(environ.modelUuid)]);
    await run(['nft', 'delete', 'table', 'inet', `grigri_${addressOf(subnet).replaceAll('.', '_')}`]);
    expect(await start()).toEqual({ id, address });
    expect(await enter(id, 'cat', '/etc/grigri-test')).toBe('kept');
    await serve(id, 22);
    await until(async () => (await ask(address, 22)) === 'hello');
  });

  test('A sandbox with an interrupted removal is removed before it starts again', async () => {
    const { id } = await start();
    await enter(id, 'sh', '-c', 'echo old >/etc/grigri-test');
    writeFileSync(join(world.stateDir, environ.modelUuid, id, 'removing'), '');
    await start();
    expect(await enter(id, 'sh', '-c', 'ls /etc/grigri-test 2>&1 || :')).toMatch(/No such file/);
  });

  test.each([
    ['record', 'instance.json'],
    ['folder', '.'],
  ])('A sandbox that lost its %s is ended and removed', async (_, lost) => {
    const [stopped, destroyed] = [await start('0'), await start('1')];
    const folderOf = ({ id }: { id: string }): string => join(world.stateDir, environ.modelUuid, id);
    const pids: number[] = [];
    for (const one of [stopped, destroyed]) {
      pids.push(await pidOf(world, environ.modelUuid, one.id));
      await rm(join(folderOf(one), lost), { recursive: true });
    }
    const namesOf = (machine: string): string[] =>
      world.leftovers().filter((line) => new RegExp(`^gv.*00${machine}$|^[0-9a-f-]*-${machine}$`).test(line));
    const kept = namesOf('1');
    expect(namesOf('0')).toHaveLength(kept.length);
    await environ.instances.stop([stopped.id], world.never);
    await until(() => Promise.resolve(!existsSync(`/proc/${pids[0]}`)));
    expect(existsSync(`/proc/${pids[1]}`)).toBe(true);
    expect(existsSync(folderOf(stopped))).toBe(false);
    expect(namesOf('0')).toEqual([]);
    expect(namesOf('1')).toEqual(kept);
    await environ.destroyModel(world.never);
    await until(() => Promise.resolve(!existsSync(`/proc/${pids[1]}`)));
    expect(world.leftovers()).toEqual([]);
  });

  test('A sandbox with a lost record is ended before it starts again', async () => {
    const { id, address } = await start();
    const pid = await pidOf(world, environ.modelUuid, id);
    await rm(join(world.stateDir, environ.modelUuid, id, 'instance.json'));
    // Ids of another model and of a container must not match.
    await environ.instances.stop(['juju-000000-0', `${id}-lxd-0`], world.never);
    expect(existsSync(`/proc/${pid}`)).toBe(true);
    expect(await start()).toEqual({ id, address });
    await until(() => Promise.resolve(!existsSync(`/proc/${pid}`)));
  });

  test('A sandbox keeps its files when its second start fails', async () => {
    const { id } = await start();
    await enter(id, 'sh', '-c', 'echo kept >/etc/grigri-test');
    process.kill(await pidOf(world, environ.modelUuid, id), 'SIGKILL');
    await until(async () => (await environ.instances.get([id], world.never))[0]?.status === 'stopped');
    const agent = { ...startParams(world, '0').agent, toolsDir: join(world.folder, 'absent') };
    await expect(start('0', { agent })).rejects.toThrow(/did not start.*absent/s);
    await start();
    expect(await enter(id, 'cat', '/etc/grigri-test')).toBe('kept');
  });

  test('A sandbox leaves nothing when its first start fails', async () => {
    const agent = { ...startParams(world, '0').agent, toolsDir: join(world.folder, 'absent') };
    await expect(start('0', { agent })).rejects.toMatchObject({ name: 'ProviderError', class: 'transient' });
    expect(await environ.instances.list(world.never)).toEqual([]);
    expect(existsSync(join(world.stateDir, environ.modelUuid, `juju-${environ.modelUuid.slice(-6)}-0`))).toBe(
      false,
    );
  });

  test('A sandbox restarts its agent when that was killed, and reaps orphans', async () => {
    const { id } = await start();
    const log = '/var/log/juju/machine-0.log';
    await enter(id, 'sh', '-c', '(sleep 0.01 &) ; (sleep 0.02 &)');
    await enter(id, 'sh', '-c', 'kill -9 $(cat /proc/1/task/1/children)');
    await until(async () => (await enter(id, 'grep', '-c', '^agent ', log)) === '2');
    await until(
      async () => (await enter(id, 'sh', '-c', 'cat /proc/[0-9]*/stat | grep -c " Z " || :')) === '0',
    );
  });

  test('A sandbox ends even when a command that entered it is stopped', async () => {
    const { id } = await start();
    const brought = enter(id, 'sh', '-c', 'kill -STOP $$').catch(() => 'ended');
    await until(
      async () => (await enter(id, 'sh', '-c', 'cat /proc/[0-9]*/stat | grep -c " T " || :')) === '1',
    );
    await environ.instances.stop([id], world.never);
    expect(await brought).toBe('ended');
  });

  test('A sandbox reboots on request, with new processes and a new boot id, as the same machine', async () => {
    const { id } = await start();
    const bootId = (): Promise<string> => enter(id, 'cat', '/proc/sys/kernel/random/boot_id');
    const before = await bootId();
    expect(before).not.toBe((await readFile('/proc/sys/kernel/random/boot_id', 'utf8')).trim());
    await enter(id, 'shutdown', '-r', 'now').catch(() => 'killed by the reboot');
    await until(
      async () => (await enter(id, 'grep', '-c', '^agent ', '/var/log/juju/machine-0.log')) === '2',
    );
    expect(await bootId()).not.toBe(before);
    await expect(enter(id, 'shutdown', '-h', 'now')).rejects.toThrow('only reboot');
  });

  test('A sandbox survives a controller killed at any moment, and is adopted', async () => {
    for (const delayMs of [40, 80, 120, 160, 200, 260, 320, 400]) {
      const id = String(delayMs);
      const script = `
        const { local } = await import(${JSON.stringify(new URL('./index.ts', import.meta.url).href)});
        const { systemClock } = await import(${JSON.stringify(new URL('../../../kit/clock.ts', import.meta.url).href)});
        const { silentLog } = await import(${JSON.stringify(new URL('../../../kit/log.ts', import.meta.url).href)});
        const environ = local.open({ cloud: { name: '', type: 'local', region: '', endpoint: '', config: {} }, config: { init: 'minimal' },
          controllerUuid: ${JSON.stringify(world.controllerUuid)}, modelUuid: ${JSON.stringify(environ.modelUuid)},
          modelName: 'test', stateDir: ${JSON.stringify(world.stateDir)}, clock: systemClock, log: silentLog });
        console.log('starts');
        const params = { ...${JSON.stringify(startParams(world, id))}, progress: () => undefined };
        await environ.instances.start(params, new AbortController().signal);
        setInterval(() => {}, 1000);`;
      const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      children.push(child);
      await new Promise((resolve, reject) => {
        child.stdout.once('data', resolve);
        child.once('close', (code) => reject(new Error(`the server in the machine ended with ${code}`)));
      });
      await pause(delayMs);
      child.kill('SIGKILL');
      await new Promise((resolve) => child.once('exit', resolve));
      // A machine that ends just then is no machine: the provisioner starts it again.
      const { id: adopted } = await start(id).catch((error: unknown) => {
        expect(error).toMatchObject({ class: 'transient' });
        return start(id);
      });
      expect(await enter(adopted, 'hostname')).toBe(adopted);
    }
    expect(await environ.instances.list(world.never)).toHaveLength(8);
    const inits = (await environ.instances.list(world.never)).map(({ status }) => status);
    expect(new Set(inits)).toEqual(new Set(['running']));
  });
});

const askScript = (host: string, port: number): string =>
  `const s = require('net').connect(${port}, '${host}'); s.setTimeout(1500, () => s.destroy(new Error()));
   s.on('error', () => console.log('nothing')); s.on('data', (d) => console.log(String(d)))`;

function ask(host: string, port: number): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(port, host);
    // Firewalled connections are dropped instead of refused, so the test only waits for a timeout.
    socket.setTimeout(1500, () => socket.destroy(new Error('no answer')));
    socket.on('error', () => resolve('nothing'));
    socket.on('data', (data) => resolve(data.toString()));
  });
}

async function pidOf(world: World, modelUuid: string, id: string): Promise<number> {
  return Number((await readFile(join(world.stateDir, modelUuid, id, 'pid'), 'utf8')).split(' ')[0]);
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  for (;;) {
    if (await holds().catch(() => false)) return;
    await pause(50);
  }
}
