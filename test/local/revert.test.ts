/** A model on real machines that is edited, and returned to what it was. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startWorld, type World } from '../world.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld('revert');
});
afterAll(async () => {
  expect((await world?.end()) ?? []).toEqual([]);
});

const web = (message: string): string =>
  world.charm('web', {
    metadata: 'requires:\n  db: {interface: kv}\n',
    hooks: {
      start: `status-set active ${message}`,
      'upgrade-charm': `status-set active ${message}`,
      'db-relation-joined': 'true',
    },
  });

async function newest(): Promise<number> {
  const commits = JSON.parse(await world.grigri('history', '-n', '1', '--format', 'json')) as {
    revision: number;
  }[];
  return commits.at(-1)!.revision;
}

test('a refreshed, scaled and related model returns to its charm, scale and relations, and its workloads settle', async () => {
  const store = world.charm('store', {
    metadata: 'provides:\n  db: {interface: kv}\n',
    hooks: { start: 'status-set active' },
  });
  await world.grigri('deploy', web('one'), 'web');
  await world.grigri('deploy', store, 'store');
  await world.grigri('integrate', 'web', 'store');
  await world.untilUnit('web/0', { workload: 'active', message: 'one', agent: 'idle' });
  await world.untilUnit('store/0', { workload: 'active', agent: 'idle' });
  const then = await newest();
  await world.grigri('refresh', 'web', '--path', web('two'));
  await world.untilUnit('web/0', { workload: 'active', message: 'two', agent: 'idle' });
  await world.grigri('add-unit', 'web');
  await world.grigri('remove-application', 'store', '--no-prompt');
  await world.grigri('deploy', store, 'other');
  await world.until('store is gone', async () => !('store' in (await world.status()).applications));
  await world.untilUnit('web/1', { workload: 'active', message: 'two', agent: 'idle' });

  await world.grigri('revert', '--to', String(then), '--no-prompt', '--wait', 'active', '--timeout', '4m');
  await world.untilUnit('web/0', { workload: 'active', message: 'one', agent: 'idle' });
  await world.until('the rest is gone', async () => {
    const { applications } = await world.status();
    return !('other' in applications) && Object.keys(applications['web']?.units ?? {}).length === 1;
  });
  expect(Object.keys((await world.status()).applications).sort()).toEqual(['store', 'web']);
  expect(await world.grigri('revert', '--to', String(then), '--dry-run')).toMatch(/^Nothing to change/);
});
