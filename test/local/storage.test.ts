/** Storage on real machines: made before install, moved from one unit to another with its data, and removed. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startWorld, type World } from '../world.ts';

let world: World;

beforeAll(async () => {
  world = await startWorld('storage');
});
afterAll(async () => expect(await world.end()).toEqual([]));

const keeper = {
  metadata: `storage: ${JSON.stringify({
    data: { type: 'filesystem', location: '/srv/data', multiple: { range: '0-1' } },
    cache: { type: 'filesystem', multiple: { range: '0+' } },
  })}\n`,
  hooks: {
    install:
      'status-set active "$(cat /root/attached) $(storage-list | tr "\\n" " ")"; [ -e /srv/data/first ] || echo hello >/srv/data/first',
    'data-storage-attached':
      'echo "$JUJU_STORAGE_ID $JUJU_STORAGE_KIND $(storage-get location)" >>/root/attached',
    'data-storage-detaching': 'echo "$JUJU_STORAGE_ID" >>/srv/data/detached',
    'cache-storage-attached': 'echo "$JUJU_STORAGE_LOCATION" >>/root/caches',
  },
};

async function inside(unit: string, command: string): Promise<string> {
  return (await world.grigri('ssh', unit, command)).trim();
}

interface Listed {
  readonly storage?: Readonly<Record<string, { readonly status: { readonly current: string } }>>;
}

async function statusOf(id: string): Promise<string> {
  const listed = JSON.parse((await world.grigri('storage', '--format', 'json')) || '{}') as Listed;
  return listed.storage?.[id]?.status.current ?? 'gone';
}

test('storage of the cloud moves from one unit to another with its data', async () => {
  await world.grigri('deploy', world.charm('keeper', keeper), '--storage', 'data=local,100M');
  const { message } = await world.untilUnit('keeper/0', { workload: 'active', agent: 'idle' });
  expect(message?.trim()).toBe('data/0 filesystem /srv/data data/0');
  expect(await statusOf('data/0')).toBe('attached');

  // Storage that is added later goes to the machine itself, and survives nothing.
  await world.grigri('add-storage', 'keeper/0', 'cache=tmpfs,2,8M');
  await world.until('the caches', async () => (await statusOf('cache/2')) === 'attached');
  await world.until(
    'the hooks',
    async () => (await inside('keeper/0', 'sort /root/caches')).split('\n').length === 2,
  );
  expect(await inside('keeper/0', 'df --output=fstype,target | grep cache')).toMatch(
    /^tmpfs +\/var\/lib\/juju\/storage\/cache\/1\ntmpfs +\/var\/lib\/juju\/storage\/cache\/2$/,
  );

  await world.grigri('remove-unit', 'keeper/0', '--no-prompt');
  await world.until('the detached storage', async () => (await statusOf('data/0')) === 'detached');
  expect(await statusOf('cache/1')).toBe('gone');

  await world.grigri('add-unit', 'keeper', '--attach-storage', 'data/0');
  await world.untilUnit('keeper/1', { workload: 'active', agent: 'idle' });
  expect(await inside('keeper/1', 'cat /srv/data/first /srv/data/detached')).toBe('hello\ndata/0');

  await world.grigri('remove-application', 'keeper', '--no-prompt', '--destroy-storage');
  await world.until('its end', async () => (await statusOf('data/0')) === 'gone');
});
