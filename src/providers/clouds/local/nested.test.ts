import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { buildSync } from 'esbuild';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { parseBase } from '../../../core/base.ts';
import { systemClock } from '../../../kit/clock.ts';
import { silentLog } from '../../../kit/log.ts';
import {
  firstRules,
  type Environ,
  type Instance,
  type PortRule,
  type StartParams,
  type StartResult,
} from '../../contract/provider.ts';
import { eventually } from '../../../testing/eventually.ts';
import { createWorld, hostCapabilities, startParams, type World } from '../../../testing/provider-world.ts';
import { baseOfRoot } from './root-files.ts';
import { createLocalProvider } from './index.ts';
import { createNestedBroker } from './nested.ts';
import { askFromHost, askScript } from '../../../testing/providers/ask-port.ts';
import { nestedDriver } from '../../../testing/providers/nested-driver.ts';
import { packRoot } from '../../../testing/providers/small-root.ts';

/** Path of Node inside a machine. */
const runtime = '/run/grigri/tools/runtime';
const capabilities = hostCapabilities();
const complete = capabilities.sandbox && capabilities.network && capabilities.cgroups !== undefined;

/** The tests create real machines on this host; they need root, and are skipped without it. */
describe.skipIf(!complete)('containers on a local machine', () => {
  let world: World;
  let environ: Environ & { modelUuid: string };
  let host: { id: string; address: string };
  const provider = createLocalProvider();
  const children: ChildProcess[] = [];

  beforeEach(async () => {
    world = createWorld();
    environ = world.open(provider);
    buildSync({
      stdin: { contents: nestedDriver, resolveDir: import.meta.dirname, loader: 'ts' },
      outfile: join(world.toolsDir, 'broker.mjs'),
      bundle: true,
      platform: 'node',
      format: 'esm',
      target: 'node24',
    });
    host = await startMachine('0');
  });
  afterEach(async () => {
    for (const child of children.splice(0)) child.kill('SIGKILL');
    await world.end(provider);
    expect(world.leftovers()).toEqual([]);
  });

  const startMachine = async (
    machineId: string,
    params: Partial<StartParams> = {},
  ): Promise<{ id: string; address: string }> => {
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
  const asked = (verb: string, ...args: unknown[]): string =>
    JSON.stringify({ controllerUuid: world.controllerUuid, modelUuid: environ.modelUuid, verb, args });
  const broker = async (verb: string, ...args: unknown[]): Promise<unknown> => {
    const text = await enter(host.id, runtime, '/run/grigri/tools/broker.mjs', asked(verb, ...args));
    return JSON.parse(text) as unknown;
  };
  const startContainer = async (
    machineId: string,
    params: Partial<StartParams> = {},
  ): Promise<{ id: string; address: string; result: StartResult }> => {
    const address = await environ.containers!.takeAddress!(machineId, world.never);
    const start = startParams(world, machineId, { address, ...params });
    const result = (await broker('start', start)) as StartResult;
    return { id: result.instance.id, address: address.value, result };
  };
  const serve = async (id: string, port: number): Promise<void> => {
    const [program = '', ...args] = await environ.enter!(id, { tty: false });
    const server = `require('net').createServer(s => s.end(s.remoteAddress)).listen(${port}, '0.0.0.0', () => console.log('listens'))`;
    const child = spawn(program, [...args, runtime, '-e', server], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    children.push(child);
    await new Promise((resolve, reject) => {
      child.stdout.once('data', resolve);
      child.once('close', (code) => reject(new Error(`the server in the machine ended with ${code}`)));
    });
  };
  const ask = (id: string, address: string, port: number): Promise<string> =>
    enter(id, runtime, '-e', askScript(address, port));
  const open = async (rules: readonly PortRule[]): Promise<void> => {
    if (environ.firewall.mode !== 'instance') throw new Error('no firewall');
    await environ.firewall.set(host.id, rules, world.never);
  };
  const answersOnSsh = async (id: string, address: string): Promise<void> => {
    await open([{ ...firstRules[0]!, to: address }]);
    await serve(id, 22);
    await eventually(async () => expect(await askFromHost(address, 22)).not.toBe('nothing'));
  };

  test('Containers are sandboxes with their own name, files, processes and address of the model', async () => {
    expect(await broker('types')).toEqual(['lxd']);
    await enter(host.id, 'sh', '-c', 'echo of the machine >/etc/grigri-test');
    const { id, address, result } = await startContainer('0/lxd/0');
    expect(id).toBe(`${host.id}-lxd-0`);
    expect(result.instance).toMatchObject({
      status: 'running',
      isolation: 'namespaces+overlay+network+firewall+cgroups',
      addresses: [{ value: address, scope: 'local-cloud', interfaceName: 'eth0' }],
      tags: { 'juju-machine-id': '0/lxd/0', 'juju-model-uuid': environ.modelUuid },
    });
    expect(await enter(id, 'hostname')).toBe(id);
    expect(await enter(id, 'getent', 'hosts', id)).toMatch(new RegExp(`^${address} `));
    expect(await enter(id, 'ip', '-4', '-o', 'addr', 'show', 'eth0')).toContain(`${address}/22`);
    // The three processes are init, the agent's sleep, and the shell that counts.
    await eventually(async () =>
      expect(await enter(id, 'sh', '-c', 'set -- /proc/[0-9]*; echo $#')).toBe('3'),
    );
    expect(await enter(id, 'sh', '-c', 'ls -A /home /root /tmp | grep -v :')).toBe('');
    // The container's files start from the lower root, without changes of its machine.
    expect(await enter(id, 'sh', '-c', 'test -e /etc/grigri-test || echo absent')).toBe('absent');
    await eventually(async () =>
      expect(await enter(id, 'cat', '/var/log/juju/machine-0-lxd-0.log')).toMatch(
        /machine --data-dir \/var\/lib\/juju --machine 0\/lxd\/0$/,
      ),
    );
    expect(await enter(id, 'sh', '-c', `ls ${world.stateDir} 2>&1 || :`)).toMatch(/No such file/);
    await enter(id, 'sh', '-c', 'echo x >/dev/null; head -c 4 /dev/urandom >/etc/mine');
    expect(await enter(host.id, 'sh', '-c', 'test -e /etc/mine || echo absent')).toBe('absent');
    // Containers cannot have containers.
    expect(await enter(id, 'sh', '-c', 'test -e /run/grigri/lower || echo absent')).toBe('absent');
  });

  test('Containers reach each other, their machine, other machines and the internet, and are reached by them', async () => {
    const other = await startMachine('1');
    const zero = await startContainer('0/lxd/0');
    const one = await startContainer('0/lxd/1');
    for (const { id } of [host, other, zero, one]) await serve(id, 9000);
    const all = [host, other, zero, one];
    for (const from of all) {
      for (const to of all) {
        if (from === to) continue;
        // The server sees the client's own address, without masquerading.
        await eventually(async () =>
          expect(`${from.id} to ${to.id}: ${await ask(from.id, to.address, 9000)}`).toBe(
            `${from.id} to ${to.id}: ${from.address}`,
          ),
        );
      }
    }
    // Traffic from the model's gateway, the way to the internet, may go anywhere.
    expect(await routeOf(zero.id)).toMatchObject({ dev: 'eth0', prefsrc: zero.address });
  });

  test('Containers are reached from outside on their own open ports, not on those of others', async () => {
    const zero = await startContainer('0/lxd/0');
    const one = await startContainer('0/lxd/1');
    for (const { id } of [host, zero, one]) await serve(id, 8080);
    for (const { id } of [host, zero, one]) await serve(id, 22);
    const reached = async (port: number): Promise<boolean[]> =>
      await Promise.all(
        [host, zero, one].map(async ({ address }) => (await askFromHost(address, port)) !== 'nothing'),
      );
    const untilReached = (port: number, expected: boolean[]): Promise<void> =>
      eventually(async () => expect(await reached(port)).toEqual(expected));
    await untilReached(8080, [false, false, false]);
    await open([{ ...firstRules[0]!, to: zero.address }]);
    await untilReached(22, [false, true, false]);
    await open([{ ...firstRules[0]!, toContainers: true }]);
    await untilReached(22, [false, true, true]);
    const rule: PortRule = { fromPort: 8080, toPort: 8080, protocol: 'tcp', sourceCidrs: [] };
    await open([{ ...rule, to: zero.address }]);
    await untilReached(8080, [false, true, false]);
    await open([rule]);
    await untilReached(8080, [true, false, false]);
    const { gateway } = await routeOf(one.id);
    await open([rule, { ...rule, to: one.address, sourceCidrs: [`${gateway}/32`, '2001:db8::/32'] }]);
    await untilReached(8080, [true, false, true]);
    await open([]);
    await untilReached(8080, [false, false, false]);
  });

  test('Containers leave other forwarding of their machine alone', async () => {
    await startContainer('0/lxd/0');
    const other = await startMachine('1');
    // The setup resembles docker's: a private network of the charm within the machine, masqueraded with its address.
    const cable = 'link add charm0 type veth peer name eth0 netns charm';
    await enter(
      host.id,
      'sh',
      '-ec',
      `ip netns add charm; ip ${cable}; ip addr add 172.17.0.1/24 dev charm0; ip link set charm0 up
       ip -n charm addr add 172.17.0.2/24 dev eth0; ip -n charm link set eth0 up; ip -n charm route add default via 172.17.0.1
       nft add table ip charm; nft 'add chain ip charm out { type nat hook postrouting priority srcnat; }'
       nft add rule ip charm out ip saddr 172.17.0.0/24 oifname eth0 masquerade`,
    );
    await serve(other.id, 9000);
    const within = ['nsenter', '--net=/run/netns/charm', runtime, '-e', askScript(other.address, 9000)];
    await eventually(async () => expect(await enter(host.id, ...within)).toBe(host.address));
  });

  test('Containers use the image of their base, also one added later; without one they report it', async () => {
    const base = parseBase('ubuntu@22.04');
    const archive = packRoot(world.folder, { name: 'ubuntu', release: '22.04' });
    await environ.images!.add({ base, archive, progress: () => undefined }, world.never);
    const { id, result } = await startContainer('0/lxd/0', { base });
    expect(result.instance.message).toBe('');
    expect(await enter(id, 'cat', '/etc/small')).toBe('ubuntu 22.04');
    expect(await enter(host.id, 'sh', '-c', 'test -e /etc/small || echo absent')).toBe('absent');
    await expect(environ.images!.remove(base)).rejects.toThrow('machines run on ubuntu@22.04');
    await broker('stop', [id]);
    await environ.images!.remove(base);
    const unlike = await startContainer('0/lxd/1', { base: parseBase('ubuntu@20.04') });
    const { message, base: actual } = unlike.result.instance;
    expect(actual ?? message, 'the base of its machine').toEqual(
      (await baseOfRoot('/')) ?? 'runs on files of an unknown base',
    );
  });

  test('Containers with a lost record are ended', async () => {
    const { id } = await startContainer('0/lxd/0');
    const other = await startContainer('0/lxd/1');
    const left = (): Promise<string> =>
      enter(
        host.id,
        'sh',
        '-c',
        `ls /run/netns; ip neigh show proxy; ls /sys/class/net | grep gc-; find /sys/fs/cgroup /run/grigri/cgroup -name '*-lxd-*' | sort`,
      );
    const before = (await left()).split('\n').length;
    await enter(host.id, 'rm', join('/var/lib/juju/containers', environ.modelUuid, id, 'instance.json'));
    await broker('stop', [id]);
    const after = await left();
    expect(after).not.toContain('0-lxd-0');
    expect(after.split('\n')).toHaveLength(before / 2);
    expect(await enter(other.id, 'hostname')).toBe(other.id);
  });

  test('Containers have limits within those of their machine', async () => {
    host = await startMachine('2', { constraints: { mem: 600, cores: 1 } });
    const { id, result } = await startContainer('2/lxd/0', { constraints: { mem: 200, cores: 1 } });
    expect(result.hardware).toMatchObject({ mem: 200, cores: 1 });
    for (const [constraints, why] of [
      [{ mem: 601 }, "mem=601M is more than its machine's 600M"],
      [{ cores: 2 }, "cores=2 is more than its machine's 1"],
      [{ mem: 2 }, 'mem=2M is too small: a machine with its agent needs 96M'],
    ] as const)
      await expect(startContainer('2/lxd/1', { constraints })).rejects.toThrow(why);
    const { result: whole } = await startContainer('2/lxd/1', { constraints: { mem: 600 } });
    expect(whole.hardware).toMatchObject({ mem: 600, cores: 1 });
    if (capabilities.cgroups?.version === 1) {
      const groups = '/run/grigri/cgroup';
      const name = `grigri/${environ.modelUuid}-2-lxd-0`;
      const read = (file: string): Promise<string> => enter(host.id, 'cat', `${groups}/${file}`);
      expect(await read(`memory/${name}/memory.limit_in_bytes`)).toBe(String(200 * 1024 * 1024));
      expect(await read(`cpu/${name}/cpu.cfs_quota_us`)).toBe('100000');
    }
    // An entering process is limited too: outside of the container's groups, its cgroup would read `/../..` from
    // within.
    expect(await enter(id, 'cat', '/proc/self/cgroup')).not.toContain('..');
    expect(await enter(id, 'cat', '/proc/1/cgroup')).not.toContain('..');
  });

  test('Containers that were killed, or ended by a reboot of their machine, start again with the same nonce', async () => {
    const { id, address } = await startContainer('0/lxd/0');
    await enter(id, 'sh', '-c', 'echo kept >/etc/grigri-test');
    // The repeated start adopts the running container.
    const pid = await firstPid(id);
    expect((await startContainer('0/lxd/0')).id).toBe(id);
    expect(await firstPid(id)).toBe(pid);
    await enter(host.id, 'kill', '-9', pid);
    await eventually(async () => expect((await instances())[0]?.status).toBe('stopped'));
    await expect(environ.enter!(id, { tty: false })).rejects.toThrow('not running');
    expect(await startContainer('0/lxd/0')).toMatchObject({ id, address });
    expect(await enter(id, 'cat', '/etc/grigri-test')).toBe('kept');

    await enter(host.id, 'shutdown', '-r', 'now').catch(() => 'killed by the reboot');
    await eventually(async () => {
      // The controller restarts a machine with systemd.
      const [machine] = await environ.instances.get([host.id], world.never);
      if (machine?.status === 'stopped') await startMachine('0');
      expect((await instances())[0]?.status).toBe('stopped');
    });
    expect(await startContainer('0/lxd/0')).toMatchObject({ id, address });
    expect(await enter(id, 'cat', '/etc/grigri-test')).toBe('kept');
    await answersOnSsh(id, address);
  });

  test('Containers start again at the address that they are given now', async () => {
    const { id, address: before } = await startContainer('0/lxd/0');
    await enter(host.id, 'kill', '-9', await firstPid(id));
    await eventually(async () => expect((await instances())[0]?.status).toBe('stopped'));
    const address = await environ.containers!.takeAddress!('0/lxd/1', world.never);
    const { result } = await startContainer('0/lxd/0', { address });
    expect(result.instance.addresses).toMatchObject([{ value: address.value }]);
    expect((await instances()).map(({ addresses }) => addresses[0]?.value)).toEqual([address.value]);
    expect(await enter(id, 'ip', '-4', '-o', 'addr', 'show', 'eth0')).toContain(`${address.value}/22`);
    expect(await enter(host.id, 'sh', '-c', 'ip route; ip neigh show proxy')).not.toContain(before);
    await answersOnSsh(id, address.value);
  });

  test('Containers survive an agent killed at any moment, and are adopted', async () => {
    const killed = ['0.15', '0.25', '0.35', '0.5', '0.7'];
    for (const [n, seconds] of killed.entries()) {
      const machineId = `0/lxd/${n}`;
      const address = await environ.containers!.takeAddress!(machineId, world.never);
      const params = asked('start', startParams(world, machineId, { address }));
      const command = ['timeout', '--signal=KILL', seconds, runtime, '/run/grigri/tools/broker.mjs', params];
      await enter(host.id, ...command).catch(() => 'killed');
      const { id } = await startContainer(machineId);
      expect(await enter(id, 'hostname')).toBe(id);
      await answersOnSsh(id, address.value);
    }
    expect((await instances()).map(({ status }) => status)).toEqual(killed.map(() => 'running'));
  });

  test('Containers are removed with all their resources when they are stopped', async () => {
    const zero = await startContainer('0/lxd/0');
    const one = await startContainer('0/lxd/1');
    await broker('stop', [zero.id, 'juju-000000-7-lxd-7']);
    expect((await instances()).map(({ id }) => id)).toEqual([one.id]);
    expect(await broker('get', [zero.id, one.id])).toMatchObject([null, { status: 'running' }]);
    const left = await enter(
      host.id,
      'sh',
      '-c',
      `ip -br link; ip neigh show proxy; ip netns; find /run/grigri/cgroup -name '*-lxd-*'; ls /var/lib/juju/containers/*; ps ax -o args | grep -c machine-0-lxd-0.log`,
    ).catch((error: Error) => error.message);
    expect(left).not.toContain(zero.address);
    expect(left).not.toContain('0-lxd-0');
    expect(left).toContain('0-lxd-1');
    await expect(environ.enter!(zero.id, { tty: false })).rejects.toThrow('not found');
  });

  test('Containers leave nothing when their first start fails', async () => {
    const address = await environ.containers!.takeAddress!('0/lxd/0', world.never);
    await expect(startContainer('0/lxd/0', { address: { ...address, cidr: '' } })).rejects.toThrow(
      /bad request: container 0\/lxd\/0 got no address/,
    );
    expect(await instances()).toEqual([]);
    expect(await enter(host.id, 'sh', '-c', 'ip netns; ls /var/lib/juju/containers/*')).not.toContain('lxd');
  });

  test('Containers keep their addresses until these are released, or their machine is removed', async () => {
    const { takeAddress, releaseAddresses } = environ.containers!;
    const take = async (machineId: string): Promise<string> =>
      (await takeAddress!(machineId, world.never)).value;
    const [first, again] = await Promise.all([take('0/lxd/0'), take('0/lxd/0')]);
    expect(again).toBe(first);
    const second = await take('0/lxd/1');
    expect(new Set([host.address, first, second]).size).toBe(3);
    await releaseAddresses!(['0/lxd/0', '0/lxd/7'], world.never);
    expect(await take('0/lxd/2')).toBe(first);
    expect(await take('0/lxd/1')).toBe(second);
    await environ.instances.stop([host.id], world.never);
    expect((await startMachine('3')).address).toBe(host.address);
    expect(await take('3/lxd/0')).toBe(first);
  });

  const routeOf = async (id: string): Promise<{ gateway: string; dev: string; prefsrc: string }> => {
    const [route] = JSON.parse(await enter(id, 'ip', '-j', 'route', 'get', '192.0.2.1')) as [
      { gateway: string; dev: string; prefsrc: string },
    ];
    return route;
  };
  const instances = async (): Promise<readonly Instance[]> => (await broker('list')) as Instance[];
  const firstPid = async (id: string): Promise<string> => {
    const text = await enter(host.id, 'sh', '-c', `cat /var/lib/juju/containers/*/${id}/pid`);
    return text.split(' ')[0] ?? '';
  };
});

test.each([
  { name: 'A machine that shows no lower root', nested: 'lower root' as const },
  { name: 'A machine of a provider that has no nested machines', nested: undefined },
])('$name has no containers', ({ nested }) => {
  const asked = {
    nested,
    controllerUuid: 'c',
    modelUuid: 'm',
    dataDir: '/nowhere',
    toolsDir: '/nowhere',
    clock: systemClock,
    log: silentLog,
  };
  expect(createNestedBroker(asked)).toBeUndefined();
});
