/** Tests of which files of units leave the machine (unit-agent.md#machine-runs-units). */
import { expect, test } from 'vitest';
import { silentLog } from '../../kit/log.ts';
import { simulatedHosts } from '../../testing/simulated-hooks.ts';
import { Deployer } from './deployer.ts';
import type { MachineWorld } from './world.ts';

const { signal } = new AbortController();

test('a unit that is removed before a new agent has started it leaves no files', async () => {
  const hosts = simulatedHosts();
  for (const unit of ['web/0', 'web/1', 'web/2']) await hosts.open(unit, silentLog);
  const named = new Set(['web/0', 'web/1']);
  const mirror = {
    model: () => undefined,
    unitNames: () => named,
    unit: () => ({ life: 'alive', deployed: true }),
  };
  const deployer = new Deployer({ mirror, hosts, log: silentLog } as unknown as MachineWorld);
  const pass = (): Promise<void> => deployer.reconcile(signal, () => false);

  await pass();
  expect(await hosts.list()).toEqual(['web/0', 'web/1']);
  named.delete('web/1');
  await pass();
  expect(await hosts.list()).toEqual(['web/0']);
});
