/**
 * Tests of machines with systemd, and with a systemd that does not come up. They need root, and are skipped without it.
 */
import { execFile, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { parseBase } from '../../../core/base.ts';
import { systemClock } from '../../../kit/clock.ts';
import { eventually } from '../../../testing/eventually.ts';
import { createWorld, hostCapabilities, startParams, type World } from '../../../testing/provider-world.ts';
import type { Environ, Instance, OpenParams } from '../../contract/provider.ts';
import { createLocalProvider } from './index.ts';
import { readInstance } from './record.ts';
import { packRoot } from '../../../testing/providers/small-root.ts';

const jammy = parseBase('ubuntu@22.04');
const capabilities = hostCapabilities();
const complete = capabilities.sandbox && capabilities.network && capabilities.cgroups !== undefined;
const fallenBack = 'runs without systemd, which did not come up';
/** Clock with which a minute of the provider takes three seconds. */
const fast = { speed: 20 };
const fastClock = `({ now: () => Date.now() * ${fast.speed}, sleep: (ms) => new Promise((done) => setTimeout(done, ms / ${fast.speed})) })`;
const sleeps = '#!/bin/sh\necho tried >>/var/tried\nexec sleep 1000000\n';
const ends = '#!/bin/sh\necho tried >>/var/tried\necho cannot mount cgroups\nexit 1\n';

let world: World;
let environ: Environ & { modelUuid: string };
const provider = createLocalProvider();

const open = (params: Partial<OpenParams> = {}): void => {
  environ = world.open(provider, {
    clock: {
      now: () => Date.now() * fast.speed,
      sleep: (ms) => pause(ms / fast.speed),
    },
    config: provider.validate({ init: 'auto' }),
    ...params,
  });
};
const start = async (machineId = '0'): Promise<Instance> =>
  (await environ.instances.start(startParams(world, machineId, { base: jammy }), world.never)).instance;
const enter = async (id: string, ...command: string[]): Promise<string> => {
  const [program = '', ...args] = await environ.enter!(id, { tty: false });
  return (await promisify(execFile)(program, [...args, ...command])).stdout.trim();
};
/** Waits until the first process is the minimal one: its shell is started through `env`. */
const isMinimal = (id: string): Promise<void> =>
  eventually(async () => expect(await enter(id, 'cat', '/proc/1/comm')).toBe('sh'));
const addRoot = async (systemd: string): Promise<void> => {
  const archive = packRoot(
    world.folder,
    { name: 'ubuntu', release: '22.04' },
    {
      change: (root) => {
        const file = join(root, 'lib/systemd/systemd');
        mkdirSync(dirname(file), { recursive: true });
        mkdirSync(join(root, 'var'), { recursive: true });
        writeFileSync(file, systemd, { mode: 0o755 });
      },
    },
  );
  await environ.images!.add({ base: jammy, archive, progress: () => undefined }, world.never);
};
const folderOf = (id: string): string => join(world.stateDir, environ.modelUuid, id);
/** Kills every process of the machine, as a reboot of the host does. */
const killMachine = async (id: string): Promise<void> => {
  process.kill(Number(readFileSync(join(folderOf(id), 'pid'), 'utf8').split(' ')[0]), 'SIGKILL');
  await eventually(async () =>
    expect((await environ.instances.get([id], world.never))[0]?.status).toBe('stopped'),
  );
};
/** Counts the machine's first processes on this host: each is number 1 in a pid namespace of its own. */
const runningOf = (id: string): number =>
  readdirSync('/proc').filter((pid) => {
    try {
      return (
        /^NSpid:.*\t1$/m.test(readFileSync(`/proc/${pid}/status`, 'utf8')) &&
        readFileSync(`/proc/${pid}/root/etc/hostname`, 'utf8') === `${id}\n`
      );
    } catch {
      return false;
    }
  }).length;

describe.skipIf(!complete)('a machine', () => {
  beforeEach(() => {
    world = createWorld();
    open();
  });
  afterEach(async () => {
    await world.end(provider);
    expect(world.leftovers()).toEqual([]);
  });

  test.skipIf(!existsSync('/lib/systemd/systemd'))(
    'A machine with systemd in its files has it as first process, keeps it, and its agent is a service',
    async () => {
      environ = world.open(provider, { config: provider.validate({ init: 'auto' }) });
      const { id, message } = await start();
      expect(message).not.toContain('systemd');
      expect(await enter(id, 'cat', '/proc/1/comm')).toBe('systemd');
      await eventually(async () =>
        expect(await enter(id, 'sh', '-c', 'systemctl is-system-running || :')).toBe('running'),
      );
      expect(await enter(id, 'systemctl', 'is-active', 'jujud-machine-0.service')).toBe('active');
      await eventually(async () =>
        expect(await enter(id, 'cat', '/var/log/juju/machine-0.log')).toMatch(/^agent /),
      );
      const show = ['show', '-p', 'Environment', '--value', 'jujud-machine-0.service'];
      expect(await enter(id, 'systemctl', ...show)).toBe('LANG=C.UTF-8 container=grigri');
      expect(await enter(id, 'systemctl', 'show', '-p', 'DefaultTimeoutStopUSec', '--value')).toBe('5s');
      expect(await readInstance(folderOf(id))).toMatchObject({ init: 'systemd', started: true });
      expect(await readInstance(folderOf(id))).not.toHaveProperty('trial');
      await killMachine(id);
      environ = world.open(provider, { modelUuid: environ.modelUuid, config: { init: 'minimal' } });
      await start();
      expect(await enter(id, 'cat', '/proc/1/comm')).toBe('systemd');
    },
  );

  test.each([
    ['hangs', sleeps, 'it was not up within 60 s', {}],
    ['ends', ends, 'it ended: cannot mount cgroups', { clock: systemClock }],
  ])(
    'A machine whose systemd %s gets the minimal first process permanently',
    async (_, systemd, trouble, more) => {
      open(more);
      await addRoot(systemd);
      const { id, message, status } = await start();
      expect([status, message]).toEqual(['running', fallenBack]);
      await isMinimal(id);
      await eventually(async () =>
        expect(await enter(id, 'cat', '/var/log/juju/machine-0.log')).toMatch(/^agent /),
      );
      expect(world.heard.filter((line) => line.includes('systemd did not come up')).join('\n')).toContain(
        trouble,
      );
      await killMachine(id);
      const heard = world.heard.length;
      expect((await start()).message).toBe(fallenBack);
      await isMinimal(id);
      expect(await enter(id, 'cat', '/var/tried')).toBe('tried');
      expect(world.heard.slice(heard).join('\n')).not.toContain('the machine gets the minimal');
      expect(runningOf(id)).toBe(1);
    },
  );

  test('A machine configured for systemd fails when systemd does not come up, and leaves nothing', async () => {
    open({ config: provider.validate({ init: 'systemd' }), clock: systemClock });
    await addRoot(ends);
    await expect(start()).rejects.toThrow(/systemd did not come up: it ended: cannot mount cgroups/);
    expect(await environ.instances.list(world.never)).toEqual([]);
  });

  test('A machine with init=minimal never tries systemd', async () => {
    open({ config: provider.validate({ init: 'minimal' }) });
    await addRoot(ends);
    const { id, message } = await start();
    expect(message).toBe('');
    expect(await enter(id, 'sh', '-c', 'cat /var/tried || echo never')).toBe('never');
  });

  /** Milliseconds before, while and after systemd is given up, which takes three seconds here; and a random moment. */
  const moments = [150, 2900, 3100, 3300, Math.floor(Math.random() * 3600)];
  test.each(moments)(
    'A machine falls back to exactly one running first process after the controller was killed at %i ms',
    async (delayMs) => {
      await addRoot(sleeps);
      const id = String(delayMs);
      const child = spawn(process.execPath, ['--input-type=module', '-e', controllerScript(id)], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      const gone = new Promise((resolve) => child.once('exit', resolve));
      await new Promise((resolve, reject) => {
        child.stdout.once('data', resolve);
        child.once('close', (code) => reject(new Error(`the controller ended with ${code}`)));
      });
      await pause(delayMs);
      child.kill('SIGKILL');
      await gone;
      const before = await readInstance(folderOf(`juju-${environ.modelUuid.slice(-6)}-${id}`));
      const instance = await start(id);
      expect([instance.status, instance.message]).toEqual(['running', fallenBack]);
      await isMinimal(instance.id);
      expect(runningOf(instance.id)).toBe(1);
      // A recorded failure is final: later starts do not try systemd again.
      const tries = (await enter(instance.id, 'cat', '/var/tried')).split('\n').length;
      expect(tries).toBeLessThanOrEqual(before?.trial === 'failed' ? 1 : 2);
    },
  );

  const controllerScript = (id: string): string => `
    const { local } = await import(${JSON.stringify(new URL('./index.ts', import.meta.url).href)});
    const { silentLog } = await import(${JSON.stringify(new URL('../../../kit/log.ts', import.meta.url).href)});
    const environ = local.open({ cloud: { name: '', type: 'local', region: '', endpoint: '', config: {} }, config: { init: 'auto' },
      controllerUuid: ${JSON.stringify(world.controllerUuid)}, modelUuid: ${JSON.stringify(environ.modelUuid)},
      modelName: 'test', stateDir: ${JSON.stringify(world.stateDir)}, clock: ${fastClock}, log: silentLog });
    console.log('starts');
    const params = { ...${JSON.stringify(startParams(world, id, { base: jammy }))}, progress: () => undefined };
    await environ.instances.start(params, new AbortController().signal);
    setInterval(() => {}, 1000);`;
});
