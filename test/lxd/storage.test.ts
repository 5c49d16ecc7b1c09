/**
 * Storage in LXD's volumes: it moves from a unit to another with its data, while the controller is killed after each
 * kind of request, and stays when its model releases it.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { World } from '../world.ts';
import { addProxied, base, containers, hurry, startBoxes } from './places.ts';
import { startProxy, type Passing, type Proxy } from './proxy.ts';
import { lxd } from './server.ts';

let proxy: Proxy;
let world: World & { readonly uuid: string };

beforeAll(async () => {
  proxy = await startProxy(lxd.socket, join(lxd.folder, 'storage.socket'));
  world = await startBoxes('lxdstorage', (one) => addProxied(one, 'proxied', proxy.socket));
  await hurry(world);
});
// Undefined when startWorld failed, which is then the failure to report.
afterAll(async () => {
  proxy?.reset({});
  expect((await world?.end()) ?? []).toEqual([]);
  expect(await containers(world?.uuid ?? '')).toEqual([]);
  await proxy?.close();
});

const keeper = {
  metadata: `storage: ${JSON.stringify({
    data: { type: 'filesystem', location: '/srv/data', multiple: { range: '0-1' } },
  })}\n`,
  hooks: {
    install: 'status-set active; [ ! -e /srv/data ] || [ -e /srv/data/first ] || echo hello >/srv/data/first',
    'data-storage-attached': 'echo "$JUJU_STORAGE_ID at $(storage-get location)" >>/root/attached',
    'data-storage-detaching': 'echo "left by $JUJU_UNIT_NAME" >>/srv/data/first',
  },
};

interface Volume {
  readonly name: string;
  readonly config: Readonly<Record<string, string>>;
  readonly used_by?: readonly string[] | null;
}

async function volumes(): Promise<readonly Volume[]> {
  return await lxd.query<Volume[]>('/1.0/storage-pools/default/volumes/custom?recursion=1');
}

async function statusOf(id: string): Promise<string> {
  const listed = JSON.parse((await world.grigri('storage', '--format', 'json')) || '{}') as {
    readonly storage?: Readonly<Record<string, { readonly status: { readonly current: string } }>>;
  };
  return listed.storage?.[id]?.status.current ?? 'gone';
}

/** Kills the controller once LXD has carried out the request; the next command starts it again. Returns how often. */
function killAfter(isIt: (passing: Passing) => boolean): () => number {
  let kills = 0;
  proxy.reset({
    after(passing) {
      if (kills > 0 || !isIt(passing)) return 'pass';
      kills++;
      process.kill(Number(readFileSync(join(world.controllerDir, 'controller.pid'), 'utf8')), 'SIGKILL');
      return 'cut';
    },
  });
  return () => kills;
}

const isVolume = ({ path }: Passing): boolean => path.includes('/volumes/custom');
const isChange = ({ method, path }: Passing): boolean =>
  method === 'PUT' && /^\/1\.0\/instances\/[^/?]+(\?|$)/.test(path);

async function inside(unit: string, command: string): Promise<string> {
  return (await world.grigri('ssh', unit, command)).trim();
}

test('a volume moves from one unit to another with its data, over kills of the controller', async () => {
  const created = killAfter((passing) => passing.method === 'POST' && isVolume(passing));
  await world.grigri(
    'deploy',
    world.charm('keeper', keeper),
    ...base,
    '--force',
    '--storage',
    'data=lxd,64M',
  );
  await world.until('a kill after the creation', () => Promise.resolve(created() === 1));
  const attached = killAfter(isChange);
  await world.untilUnit('keeper/0', { workload: 'active', agent: 'idle' });
  expect(attached()).toBe(1);
  expect(await volumes()).toHaveLength(1);
  expect(await inside('keeper/0', 'sudo cat /root/attached; findmnt -no TARGET /srv/data')).toBe(
    'data/0 at /srv/data\n/srv/data',
  );

  const detached = killAfter(isChange);
  await world.grigri('remove-unit', 'keeper/0', '--no-prompt');
  await world.until('the detached storage', async () => (await statusOf('data/0')) === 'detached');
  expect(detached()).toBe(1);
  proxy.reset({});
  expect((await volumes())[0]?.used_by ?? []).toEqual([]);

  await world.grigri('add-unit', 'keeper', '--attach-storage', 'data/0');
  await world.untilUnit('keeper/1', { workload: 'active', agent: 'idle' });
  expect(await inside('keeper/1', 'cat /srv/data/first')).toBe('hello\nleft by keeper/0');

  // It leaves a unit that stays, and comes back.
  await world.grigri('detach-storage', 'data/0');
  await world.until('the storage that was let go', async () => (await statusOf('data/0')) === 'detached');
  await world.grigri('attach-storage', 'keeper/1', 'data/0');
  await world.until('the storage in its place', async () => (await statusOf('data/0')) === 'attached');
  expect(await inside('keeper/1', 'cat /srv/data/first')).toBe('hello\nleft by keeper/0\nleft by keeper/1');
});

test('a removed machine leaves its volume, a destroyed one is gone, and a model may release the rest', async () => {
  const { machine } = await world.unit('keeper/1');
  await world.grigri('remove-machine', machine, '--force', '--no-wait', '--no-prompt');
  await world.until('the detached storage', async () => (await statusOf('data/0')) === 'detached');
  const [volume] = await volumes();
  expect(volume?.used_by ?? []).toEqual([]);

  await world.grigri('remove-application', 'keeper', '--no-prompt');
  const refused = await world.attempt('destroy-model', 'boxes', '--no-prompt');
  expect(refused.code).not.toBe(0);
  const released = killAfter((passing) => passing.method === 'PUT' && isVolume(passing));
  // The command loses its connection with the controller; the next one starts it.
  await world.attempt('destroy-model', 'boxes', '--no-prompt', '--release-storage');
  await world.until('the end of the model', async () => !(await world.grigri('models')).includes('boxes'));
  expect(released()).toBe(1);
  const [kept] = await volumes();
  expect(kept?.name).toBe(volume?.name);
  expect(Object.keys(kept?.config ?? {}).filter((key) => key.startsWith('user.'))).toEqual([]);
  await lxd.lxc('storage', 'volume', 'delete', 'default', volume!.name);
});
