/** The example provider (docs/writing-a-provider.md), loaded by GRIGRI_PROVIDERS. */
import { execFile } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { root, startWorld, type World } from '../world.ts';

const dir = mkdtempSync(join(tmpdir(), 'grigri-external-'));
const client = join(dir, 'client');
const module = join(root, 'examples/provider/provider.ts');
let world: World;

beforeAll(async () => {
  world = await startWorld('external', {
    runner: { dir, argv: [join(root, 'bin/grigri')], env: { GRIGRI_PROVIDERS: module } },
    cloud: ['unshare', '--data-dir', join(dir, 'controller'), '--config', 'api-port=0'],
  });
});
afterAll(async () => expect(await world.end()).toEqual([]));

/** Runs the command with another GRIGRI_PROVIDERS. */
function asOther(providers: string, ...args: string[]): ReturnType<World['attempt']> {
  return new Promise((resolve) =>
    execFile(
      join(root, 'bin/grigri'),
      args,
      { env: { ...process.env, JUJU_DATA: client, GRIGRI_PROVIDERS: providers }, timeout: 60_000 },
      (error, stdout, stderr) => resolve({ code: error ? Number(error.code) : 0, stdout, stderr }),
    ),
  );
}

test('the example provider deploys units, and ssh reaches its machines', async () => {
  await world.grigri('deploy', join(root, 'examples/kv'), '-n', '2');
  for (const unit of ['kv/0', 'kv/1']) await world.untilUnit(unit, { workload: 'active', agent: 'idle' });
  const status = await world.status();
  const names = Object.values(status.machines).map((machine) => machine['instance-id']);
  expect(new Set(names).size).toBe(2);
  expect((await world.grigri('ssh', 'kv/0', 'hostname')).trim()).toBe(names[0]);
});

test('a controller keeps its provider when it is started without GRIGRI_PROVIDERS', async () => {
  world.killController();
  expect(await asOther('', 'add-unit', 'kv')).toMatchObject({ code: 0 });
  await world.untilUnit('kv/2', { workload: 'active', agent: 'idle' });
});

test('a provider module that cannot be loaded is named in the error', async () => {
  const { code, stderr } = await asOther('/nowhere/cloud.ts', 'bootstrap', 'unshare');
  expect([code, stderr]).toEqual([
    1,
    expect.stringContaining('cannot load the provider /nowhere/cloud.ts (GRIGRI_PROVIDERS): ') as string,
  ]);
});
