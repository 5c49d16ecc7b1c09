/** Images that LXD does not have, from a simplestreams server of the model's own. */
import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { systemClock } from '../../src/kit/clock.ts';
import { silentLog } from '../../src/kit/log.ts';
import { createLxdProvider } from '../../src/providers/clouds/lxd/index.ts';
import type { Environ, StartParams } from '../../src/providers/contract/provider.ts';
import { startImageServer, type ImageServer } from './image-server.ts';
import { lxd } from './server.ts';

/** A project with its own images and the default project's profiles. */
const project = 'grigri-images';
const arch = process.arch === 'arm64' ? 'arm64' : 'amd64';
const never = new AbortController().signal;
let server: ImageServer;

beforeAll(async () => {
  server = await startImageServer(['debian/13/cloud', 'debian/trixie/cloud']);
  await lxd.lxc('project', 'create', project, '-c', 'features.images=true', '-c', 'features.profiles=false');
});
afterAll(async () => {
  await server?.close();
  await lxd.attempt('project', 'delete', project);
});
afterEach(async () => {
  for (const { fingerprint } of await images())
    await lxd.lxc('image', 'delete', fingerprint, '--project', project);
});

interface Image {
  readonly fingerprint: string;
  readonly auto_update: boolean;
  readonly aliases: readonly { readonly name: string }[];
}
const images = (): Promise<Image[]> => lxd.query(`/1.0/images?recursion=1&project=${project}`);

function open(): Environ {
  const provider = createLxdProvider();
  return provider.open({
    cloud: {
      name: 'lxd',
      type: 'lxd',
      region: '',
      endpoint: lxd.socket,
      config: {},
      caCertificates: [server.caCert],
    },
    config: provider.validate({ project, 'image-metadata-url': server.url }),
    controllerUuid: randomUUID(),
    modelUuid: randomUUID(),
    modelName: 'images',
    stateDir: '/nowhere',
    clock: systemClock,
    log: silentLog,
  });
}

function start(machineId: string, params: Partial<StartParams> = {}): StartParams {
  return {
    machineId,
    nonce: `nonce ${machineId}`,
    base: { name: 'debian', channel: '13/stable' },
    constraints: {},
    tags: {},
    agent: { toolsDir: '', dataDir: '/var/lib/juju', agentConf: '', version: '3.6.0' },
    progress: () => undefined,
    ...params,
  };
}

test('an image is fetched once for all starts that wait for it, and kept under an alias of the controller', async () => {
  const environ = open();
  server.slowDown(60_000_000);
  const heard: string[] = [];
  const impatient = new AbortController();
  const progress = (message: string): void => {
    heard.push(message);
    if (/rootfs: \d+%/.test(message)) impatient.abort(new Error('enough'));
  };
  try {
    await environ.precheck({ base: start('0').base, constraints: {} });
    const [one, two, three] = await Promise.allSettled([
      environ.instances.start(start('0', { progress }), never),
      environ.instances.start(start('1'), never),
      environ.instances.start(start('2'), impatient.signal),
    ]);
    expect([one, two]).toMatchObject([{ status: 'fulfilled' }, { status: 'fulfilled' }]);
    expect(three).toMatchObject({ status: 'rejected', reason: { message: 'enough' } });
    expect(server.downloads()).toBe(1);
    expect(heard.filter((message) => /image debian\/13\/cloud.*rootfs: \d+%/.test(message))).not.toEqual([]);
    const [image] = await images();
    expect(image).toMatchObject({ auto_update: true, aliases: [{ name: `juju/debian@13/${arch}` }] });
    await environ.instances.start(start('3'), never);
    expect(server.downloads()).toBe(1);
    expect(await environ.instances.list(never)).toHaveLength(3);
  } finally {
    await environ.destroyController(never);
    server.slowDown(Infinity);
  }
});

test('a download that no start waits for any more is aborted, and leaves nothing', async () => {
  const environ = open();
  server.slowDown(10_000_000);
  const abort = new AbortController();
  const progress = (message: string): void => {
    if (/rootfs: \d+%/.test(message)) abort.abort(new Error('enough'));
  };
  const starting = environ.instances.start(start('0', { progress }), abort.signal);
  await expect(starting).rejects.toThrow('enough');
  const running = async (): Promise<unknown[]> => {
    const path = `/1.0/operations?recursion=1&project=${project}`;
    return (await lxd.query<Record<string, unknown[]>>(path))['running'] ?? [];
  };
  await expect.poll(running).toEqual([]);
  expect(await images()).toEqual([]);
  expect(await environ.instances.list(never)).toEqual([]);
  server.slowDown(Infinity);
});

test('an image that no server has is a bad request that names what was tried', async () => {
  const environ = open();
  const base = { name: 'plan9', channel: '4/stable' };
  const starting = environ.instances.start(start('0', { base }), never);
  await expect(starting).rejects.toMatchObject({ class: 'bad request' });
  await expect(starting).rejects.toThrow(`LXD has no alias juju/plan9@4/${arch}, plan9/4/cloud/${arch}`);
  await expect(starting).rejects.toThrow(`${server.url} has none of plan9/4/cloud/${arch}, plan9/4/cloud`);
  expect(await environ.instances.list(never)).toEqual([]);
});

test('a download is retried later when the image server breaks it off', async () => {
  const environ = open();
  server.slowDown(10_000_000);
  const progress = (message: string): void => {
    if (/rootfs: \d+%/.test(message)) void server.close();
  };
  const base = { name: 'debian', channel: '13/stable' };
  const starting = environ.instances.start(start('0', { base, progress }), never);
  await expect(starting).rejects.toMatchObject({ class: 'transient' });
  expect(await environ.instances.list(never)).toEqual([]);
});
