import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { systemClock } from '../../kit/clock.ts';
import { silentLog } from '../../kit/log.ts';
import { unitPaths } from '../paths.ts';
import { unitHosts } from './unit-host.ts';

test('the state of a unit outlives its agent, is for root alone, and goes with the unit', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'unit-host-'));
  const never = (): never => {
    throw new Error('nothing is fetched');
  };
  const hosts = unitHosts({
    dataDir,
    version: '3.6.28',
    arch: 'amd64',
    clock: systemClock,
    fetchCharm: never,
    fetchResource: never,
  });
  const host = await hosts.open('web/0', silentLog);
  expect(await hosts.savedState('web/0')).toBeUndefined();
  // What a killed agent has left of a write.
  const { savedState } = unitPaths(dataDir, 'web/0');
  await writeFile(`${savedState}.tmp`, 'half');
  await host.saveState('one');
  await host.saveState('two');
  expect((await readdir(dirname(savedState))).filter((name) => name.includes('.tmp'))).toEqual([]);
  await host.close();
  expect(await hosts.savedState('web/0')).toBe('two');
  expect((await stat(savedState)).mode & 0o777).toBe(0o600);
  await host.remove();
  expect(await hosts.savedState('web/0')).toBeUndefined();
  await rm(dataDir, { recursive: true });
});
