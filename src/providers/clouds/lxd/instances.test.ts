/** Starts of LXD instances, and their interruptions. */
import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Clock } from '../../../kit/clock.ts';
import { silentLog } from '../../../kit/log.ts';
import { tagKeys, type Environ, type OpenParams, type StartParams } from '../../contract/provider.ts';
import { createLxdProvider } from './index.ts';
import { startTestLxd, type TestLxd } from '../../../testing/providers/test-lxd.ts';

const never = new AbortController().signal;
/** The test clock sleeps a fiftieth of the time. */
const clock: Clock = {
  now: () => Date.now(),
  sleep: (ms, signal) =>
    new Promise((resolve, reject) => {
      const timer = setTimeout(resolve, ms / 50);
      signal?.addEventListener('abort', () => {
        clearTimeout(timer);
        reject(signal.reason as Error);
      });
    }),
};
const uuids = { controllerUuid: randomUUID(), modelUuid: randomUUID() };
const name = `juju-${uuids.modelUuid.slice(-6)}-0`;

let lxd: TestLxd;
let environ: Environ;

beforeEach(async () => {
  lxd = await startTestLxd();
  environ = open();
});
afterEach(() => lxd.close());

/** Opens the environ as a newly started controller does. */
function open(params: Partial<OpenParams> = {}): Environ {
  const provider = createLxdProvider();
  return provider.open({
    cloud: lxd.spec,
    config: provider.validate({}),
    ...uuids,
    modelName: 'test',
    stateDir: '/nowhere',
    clock,
    log: silentLog,
    ...params,
  });
}

function start(params: Partial<StartParams> = {}): StartParams {
  return {
    machineId: '0',
    nonce: 'nonce 0',
    base: { name: 'debian', channel: '12/stable' },
    constraints: {},
    tags: {},
    agent: { toolsDir: '', dataDir: '/var/lib/juju', agentConf: '', version: '3.6.0' },
    progress: () => undefined,
    ...params,
  };
}

const count = (request: string): number => lxd.requests.filter((each) => each === request).length;
const names = (): string[] => [...lxd.instances.keys()];
/** Creates an instance that no start has requested. */
const plant = async (
  params: Partial<StartParams>,
  status: 'Stopped' | 'Running' = 'Running',
): Promise<void> => {
  await environ.instances.start(start(params), never);
  lxd.instances.get(name)!.status = status;
  lxd.requests.length = 0;
};

test('The request has tags, limits, the root disk and the profiles', async () => {
  const constraints = { cores: 2, mem: 1536, 'root-disk': 20_480, 'root-disk-source': 'fast' };
  const profiles = [
    { name: `juju-test-${uuids.modelUuid.slice(-6)}-a-1`, description: '', config: {}, devices: {} },
  ];
  const tags = { [tagKeys.units]: 'a/0', 'user-data': 'is not to be overwritten' };
  const { hardware } = await environ.instances.start(start({ constraints, profiles, tags }), never);
  expect(lxd.instances.get(name)?.body).toMatchObject({
    type: 'container',
    source: { type: 'image', fingerprint: 'a1'.repeat(32) },
    profiles: ['default', `juju-test-${uuids.modelUuid.slice(-6)}`, profiles[0]!.name],
    devices: { root: { type: 'disk', path: '/', pool: 'fast', size: '20480MiB' } },
    config: {
      'limits.cpu': '2',
      'limits.memory': '1536MiB',
      'user.juju-model-uuid': uuids.modelUuid,
      'user.juju-controller-uuid': uuids.controllerUuid,
      'user.juju-machine-id': '0',
      'user.juju-nonce': 'nonce 0',
      'user.juju-units-deployed': 'a/0',
    },
  });
  expect(lxd.instances.get(name)?.config).not.toHaveProperty(['user.user-data']);
  expect(hardware).toEqual({
    arch: 'amd64',
    cores: 2,
    mem: 1536,
    rootDisk: 20_480,
    rootDiskSource: 'fast',
    virtType: 'container',
  });
});

test('A virtual machine uses an image for virtual machines, and gets its firewall by cloud-init', async () => {
  await environ.instances.start(start({ constraints: { 'virt-type': 'virtual-machine' } }), never);
  const { body, config } = lxd.instances.get(name)!;
  expect([body['type'], config['user.vendor-data']]).toEqual([
    'virtual-machine',
    expect.stringMatching(/^#cloud-config\n/),
  ]);
  expect(lxd.requests.filter((request) => request.endsWith('/files'))).toEqual([]);
});

test.each([
  [{ zone: 'one' }, 'one'],
  [{ zone: 'one', placement: 'zone=one' }, 'one'],
  // A bare member name is LXD's own form of the directive.
  [{ zone: 'one', placement: 'two' }, 'two'],
])('A start with %o targets cluster member %s', async (params, member) => {
  lxd.members.set('one', 'Online').set('two', 'Online');
  await environ.instances.start(start(params), never);
  expect(lxd.urls).toContain(`/1.0/instances?target=${member}`);
});

describe('an existing instance with the name of a start', () => {
  test('An existing instance is adopted when it has the same nonce', async () => {
    await plant({});
    await open().instances.start(start(), never);
    expect([count('POST /1.0/instances'), count(`DELETE /1.0/instances/${name}`)]).toEqual([0, 0]);
  });

  test('An existing instance is started when it has stopped, also when it has an agent', async () => {
    for (const existing of [false, true]) {
      await plant({}, 'Stopped');
      const { instance } = await open().instances.start(start({ existing }), never);
      expect([instance.id, instance.status, count('POST /1.0/instances')]).toEqual([name, 'running', 0]);
    }
  });

  test('An existing instance is replaced when it has another nonce', async () => {
    await plant({ nonce: 'older' });
    const { instance } = await open().instances.start(start(), never);
    expect(instance.tags[tagKeys.nonce]).toBe('nonce 0');
    expect(names()).toEqual([name]);
  });

  test('An existing instance is neither replaced nor changed when the start expects its agent', async () => {
    await plant({ nonce: 'older' });
    await expect(open().instances.start(start({ existing: true }), never)).rejects.toMatchObject({
      class: 'transient',
      message: expect.stringContaining('no longer exists') as string,
    });
    expect(lxd.instances.get(name)?.config['user.juju-nonce']).toBe('older');
  });

  test('An existing instance is left alone, and named in the error, when it has another owner', async () => {
    await plant({});
    const other = open({ controllerUuid: randomUUID() });
    await expect(other.instances.start(start(), never)).rejects.toMatchObject({
      class: 'bad request',
      message: expect.stringContaining(name) as string,
    });
    await other.instances.stop([name], never);
    expect(names()).toEqual([name]);
  });

  test('An existing instance is awaited while it is being created', async () => {
    lxd.operationMs = 300;
    lxd.meddle = (request) => (/PUT|wait/.test(request) ? 'cut before' : undefined);
    await expect(environ.instances.start(start(), never)).rejects.toMatchObject({ class: 'transient' });
    lxd.meddle = () => undefined;
    await open().instances.start(start(), never);
    expect(names()).toEqual([name]);
  });

  test('An instance is created again when LXD was killed during its creation', async () => {
    lxd.operationMs = 300;
    lxd.meddle = (request) => {
      if (request === 'POST /1.0/instances') lxd.meddle = () => 'cut before';
      return undefined;
    };
    await expect(environ.instances.start(start(), never)).rejects.toMatchObject({ class: 'transient' });
    lxd.restart();
    lxd.meddle = () => undefined;
    lxd.operationMs = 5;
    expect(await environ.instances.list(never)).toMatchObject([{ id: name, status: 'allocating' }]);
    lxd.requests.length = 0;
    await open().instances.start(start(), never);
    expect([count(`DELETE /1.0/instances/${name}`), count('POST /1.0/instances')]).toEqual([1, 1]);
    expect(await environ.instances.list(never)).toMatchObject([{ id: name, status: 'running' }]);
  });
});

/** Number of requests of a complete start. */
async function requestsOfStart(): Promise<number> {
  const before = lxd.requests.length;
  await environ.instances.start(start(), never);
  const requests = lxd.requests.length - before;
  await environ.instances.stop([name], never);
  await environ.destroyModel(never);
  return requests;
}

for (const lost of ['cut before', 'cut after'] as const) {
  test(`A controller killed at any request of a start (${lost}) starts it once`, async () => {
    const requests = await requestsOfStart();
    expect(requests).toBeGreaterThan(10);
    for (let n = 0; n < requests; n++) {
      const first = lxd.requests.length + n;
      // Every later request fails, as after the controller's death.
      lxd.meddle = (_, before) => (before < first ? undefined : before === first ? lost : 'cut before');
      lxd.operationMs = n % 2 === 0 ? 5 : 40;
      await open()
        .instances.start(start(), never)
        .catch(() => undefined);
      lxd.meddle = () => undefined;
      const { instance } = await open().instances.start(start(), never);
      expect([n, instance.status, names()]).toEqual([n, 'running', [name]]);
      await environ.destroyModel(never);
      expect([n, names()]).toEqual([n, []]);
    }
  });
}

test('A start that is aborted at any of its requests leaves nothing', async () => {
  const requests = await requestsOfStart();
  for (let n = 0; n < requests; n++) {
    const abort = new AbortController();
    const at = lxd.requests.length + n;
    lxd.meddle = (_, before) => void (before === at && abort.abort(new Error(`aborted at ${n}`)));
    await expect(open().instances.start(start(), abort.signal)).rejects.toThrow(`aborted at ${n}`);
    expect([n, names()]).toEqual([n, []]);
    lxd.meddle = () => undefined;
    // The profile is removed too, so that each start has the same number of requests.
    await environ.destroyModel(never);
  }
});

test('Concurrent starts with the same nonce create one instance', async () => {
  lxd.operationMs = 50;
  await Promise.all([1, 2, 3].map(() => environ.instances.start(start(), never)));
  expect([count('POST /1.0/instances'), names()]).toEqual([1, [name]]);
});

const failures: readonly (readonly [operation: string, words: string, as: string])[] = [
  [
    'Creating instance',
    'Failed creating instance from image: write rootfs: no space left on device',
    'quota',
  ],
  [
    'Creating instance',
    'Failed checking if instance creation allowed: Reached maximum number of instances of type "container" in project "p"',
    'quota',
  ],
  ['Creating instance', 'Failed creating instance record: Invalid value: x', 'bad request'],
  ['Creating instance', 'Failed loading storage pool: Storage pool not found', 'bad request'],
  ['Creating instance', 'Cluster member "one" is offline', 'zonal'],
  ['Starting instance', 'Failed to run: forkstart: exit status 1', 'transient'],
  ['Starting instance', 'Failed preparing container for start: no space left on device', 'quota'],
];
for (const [operation, words, as] of failures) {
  test(`${operation}: "${words}" is ${as}, and leaves nothing`, async () => {
    lxd.failures.set(operation, words);
    await expect(environ.instances.start(start(), never)).rejects.toMatchObject({
      class: as,
      message: expect.stringContaining(words) as string,
    });
    expect(names()).toEqual([]);
    await environ.instances.start(start(), never);
    expect(names()).toEqual([name]);
  });
}

test('A failed start whose remains could not be removed is transient, and they are looked for again', async () => {
  lxd.failures.set('Starting instance', 'Failed: no space left on device');
  lxd.meddle = (request) => (request.startsWith('DELETE') ? { status: 500, error: 'broken' } : undefined);
  await expect(environ.instances.start(start(), never)).rejects.toMatchObject({
    class: 'transient',
    message: expect.stringMatching(
      /no space left on device; and its resources could not be removed: broken/,
    ) as string,
  });
  expect(await environ.instances.list(never)).toMatchObject([{ id: name }]);
});

describe('stopping', () => {
  test('Stopping waits for other operations on the instance', async () => {
    await plant({}, 'Stopped');
    lxd.operationMs = 200;
    const starting = open()
      .instances.start(start(), never)
      .catch((error: unknown) => error);
    while (count(`PUT /1.0/instances/${name}/state`) === 0) await clock.sleep(100);
    await open().instances.stop([name], never);
    await starting;
    expect(names()).toEqual([]);
  });

  test('Stopping ignores ids that cannot be instances, and never uses them as paths', async () => {
    await environ.instances.stop(['../../profiles/default', 'a b', ''], never);
    expect(await environ.instances.get(['../profiles'], never)).toEqual([undefined]);
    expect(lxd.requests).toEqual([]);
  });

  test('Stopping fails for a protected instance, with the reason', async () => {
    await plant({});
    lxd.meddle = (request) =>
      request.startsWith('DELETE') ? { status: 400, error: 'Instance is protected' } : undefined;
    await expect(environ.instances.stop([name], never)).rejects.toMatchObject({
      message: `instance ${name}: Instance is protected`,
    });
  });
});
