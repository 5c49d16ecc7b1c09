/** Instances that LXD cannot describe, or does not stop. */
import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Clock } from '../../../kit/clock.ts';
import { silentLog } from '../../../kit/log.ts';
import { tagKeys, type Environ, type StartParams } from '../../contract/provider.ts';
import type { LxdClient, LxdRequest } from './client.ts';
import { createLxdProvider } from './index.ts';
import { pause, settle } from './operations.ts';
import { startTestLxd, type TestLxd } from '../../../testing/providers/test-lxd.ts';

const never = new AbortController().signal;
/** Divisor for waits of a minute and more: in most tests such a limit must not pass, however slow the machine is. */
let limitDivisor = 1;
/** Short waits take a thousandth of their time. */
const clock: Clock = {
  now: () => Date.now(),
  sleep: (ms, signal) =>
    new Promise((resolve, reject) => {
      const timer = setTimeout(resolve, ms / (ms < 60_000 ? 1000 : limitDivisor));
      signal?.addEventListener('abort', () => {
        clearTimeout(timer);
        reject(signal.reason as Error);
      });
    }),
};
const uuids = { controllerUuid: randomUUID(), modelUuid: randomUUID() };
const nameOf = (machine: string): string => `juju-${uuids.modelUuid.slice(-6)}-${machine}`;

let lxd: TestLxd;
let environ: Environ;

beforeEach(async () => {
  limitDivisor = 1;
  lxd = await startTestLxd();
  const provider = createLxdProvider();
  environ = provider.open({
    cloud: lxd.spec,
    config: provider.validate({}),
    ...uuids,
    modelName: 'test',
    stateDir: '/nowhere',
    clock,
    log: silentLog,
  });
  for (const id of ['0', '1', '2']) await environ.instances.start(start(id), never);
  lxd.requests.length = 0;
});
afterEach(() => lxd.close());

function start(machineId: string): StartParams {
  return {
    machineId,
    nonce: `nonce ${machineId}`,
    base: { name: 'debian', channel: '12/stable' },
    constraints: {},
    tags: { [tagKeys.machine]: machineId },
    agent: { toolsDir: '', dataDir: '/var/lib/juju', agentConf: '', version: '3.6.0' },
    progress: () => undefined,
  };
}

test('An instance on an unreachable member is not gone', async () => {
  lxd.instances.get(nameOf('1'))!.isAway = true;
  const unseen = {
    id: nameOf('1'),
    status: 'unknown',
    message: 'LXD does not reach it on b',
    tags: { [tagKeys.model]: uuids.modelUuid, [tagKeys.machine]: '1' },
  };
  expect(await environ.instances.get([nameOf('0'), nameOf('1'), nameOf('9')], never)).toMatchObject([
    { id: nameOf('0'), status: 'running' },
    unseen,
    undefined,
  ]);
  const listed = await environ.instances.list(never);
  expect(listed).toHaveLength(3);
  expect(listed).toContainEqual(expect.objectContaining({ id: nameOf('1'), status: 'unknown' }));
  // LXD omits instances whose tags it does not know, unless the filter asks for their status.
  expect(new URL(lxd.urls.at(-1)!, 'http://lxd').searchParams.get('filter')).toMatch(/ or status eq Error$/);
});

test('Stopping an instance on an unreachable member fails, and stops the others', async () => {
  lxd.instances.get(nameOf('1'))!.isAway = true;
  const all = ['0', '1', '2'].map(nameOf);
  await expect(environ.instances.stop(all, never)).rejects.toMatchObject({
    class: 'transient',
    message: `instance ${nameOf('1')} cannot be removed: LXD does not reach it on b`,
  });
  expect([...lxd.instances.keys()]).toEqual([nameOf('1')]);
  await expect(environ.instances.stop([nameOf('1')], never)).rejects.toMatchObject({ class: 'transient' });
  await expect(environ.destroyModel(never)).rejects.toThrow(/does not reach it/);
  delete lxd.instances.get(nameOf('1'))!.isAway;
  await environ.destroyModel(never);
  expect([...lxd.instances.keys()]).toEqual([]);
});

test('Foreign instances on an unreachable member are not listed', async () => {
  const body = {
    config: {},
    devices: {},
    profiles: [],
    last_used_at: '',
    body: {},
    status: 'Error',
  } as const;
  for (const name of ['web', 'juju-000000-0']) lxd.instances.set(name, { ...body, name, isAway: true });
  expect(await environ.instances.list(never)).toHaveLength(3);
  await environ.destroyModel(never);
  expect([...lxd.instances.keys()]).toEqual(['web', 'juju-000000-0']);
});

test('A controller is stopped before its machines, and machines that it made meanwhile are stopped too', async () => {
  await environ.instances.start(
    { ...start('9'), tags: { [tagKeys.machine]: '9', [tagKeys.isController]: 'true' } },
    never,
  );
  const controller = nameOf('9');
  lxd.requests.length = 0;
  // The controller, while it lives, replaces each machine that it loses, even when no client can reach it.
  lxd.meddle = (request) => {
    const [, lost] = /^DELETE \/1.0\/instances\/(.*)/.exec(request) ?? [];
    const made = `${nameOf('')}1${lxd.requests.length}`;
    const known = lxd.instances.get(lost ?? '');
    if (known && lxd.instances.has(controller)) lxd.instances.set(made, { ...known, name: made });
    return undefined;
  };
  await environ.destroyController(never);
  expect([...lxd.instances.keys()]).toEqual([]);
  const deleted = lxd.requests.filter((request) => /^DELETE \/1.0\/instances/.test(request));
  expect(deleted[0]).toBe(`DELETE /1.0/instances/${controller}`);
});

test('A single instance is stopped without listing all', async () => {
  await environ.instances.stop([nameOf('0')], never);
  expect([...lxd.instances.keys()]).toEqual([nameOf('1'), nameOf('2')]);
  expect(lxd.requests).not.toContain('GET /1.0/instances');
});

test('an instance that LXD does not end keeps the others waiting for a while, and is named in the error', async () => {
  limitDivisor = 100;
  lxd.meddle = (request) => (request === `DELETE /1.0/instances/${nameOf('0')}` ? 'hang' : undefined);
  await expect(environ.instances.stop(['0', '1', '2'].map(nameOf), never)).rejects.toMatchObject({
    class: 'transient',
    message: expect.stringMatching(/LXD has not removed juju-\w+-0 within 300 s/) as string,
  });
  expect([...lxd.instances.keys()]).toEqual([nameOf('0')]);
});

test("A user's shell in an instance is awaited for one slice at a time", async () => {
  const shell = { id: 'shell', description: 'Executing command', status_code: 103 };
  let slices = 0;
  const client = {
    request: ({ path }: LxdRequest) => {
      if (path === '/1.0/operations')
        return Promise.resolve({
          running: [{ ...shell, resources: { instances: ['/1.0/instances/a?project=x'] } }],
        });
      slices++;
      return Promise.resolve(shell);
    },
  } as unknown as LxdClient;
  await pause(client, 'a', never);
  expect(slices).toBe(1);
  // A creation is awaited until it ends, with a time limit.
  expect(await settle(client, 'a', never)).toBe(false);
  expect(slices).toBeGreaterThan(100);
});
