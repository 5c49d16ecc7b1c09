import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createWorld, type World } from '../../../testing/provider-world.ts';
import { createLocalProvider } from './index.ts';
import { instanceFolder, instanceIdFor } from './record.ts';

let world: World;
const provider = createLocalProvider({
  probe: () => ({ sandbox: false, network: false, cgroups: undefined, loops: false }),
});
beforeEach(() => void (world = createWorld()));
afterEach(() => world.end(provider));

test('Empty instance folders left by kills are removed when instances are listed; others stay', async () => {
  const params = world.openParams(provider, { config: {} });
  const environ = provider.open(params);
  const folders = ['1', '2', '3'].map((machine) =>
    instanceFolder(params.stateDir, params.modelUuid, instanceIdFor(params.modelUuid, machine)),
  );
  for (const folder of folders) mkdirSync(folder, { recursive: true });
  writeFileSync(join(folders[2]!, 'removing'), '');
  expect(await environ.instances.list(new AbortController().signal)).toEqual([]);
  await expect.poll(() => folders.map((folder) => existsSync(folder))).toEqual([false, false, true]);
});
