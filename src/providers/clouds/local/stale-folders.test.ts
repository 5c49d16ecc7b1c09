/** Temporary folders that a kill -9 has left are removed by the next process that makes one. */
import { existsSync, mkdirSync, mkdtempSync, rmSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { probeCapabilities } from './capabilities.ts';
import { withRootSources } from './root-sources.ts';

let parent: string;
beforeEach(() => void (parent = mkdtempSync(join(tmpdir(), 'grigri-left-'))));
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(parent, { recursive: true, force: true });
});

function left(name: string): string {
  const folder = join(parent, name);
  mkdirSync(join(folder, 'upper'), { recursive: true });
  utimesSync(folder, 1, 1);
  return folder;
}

test('the folder of a probe of the host that was killed is removed by the next probe', () => {
  const folder = left('.probe-killed');
  probeCapabilities(parent, '/', () => undefined);
  expect(existsSync(folder)).toBe(false);
});

test('packages that were fetched for a root that was never made are removed with the next one', async () => {
  const folder = left('grigri-sources-killed');
  vi.stubEnv('TMPDIR', parent);
  const work = { progress: () => undefined, signal: AbortSignal.abort() };
  const made = withRootSources({ name: 'ubuntu', channel: '24.04' }, work, () => Promise.resolve());
  await made.catch(() => undefined);
  expect(existsSync(folder)).toBe(false);
});
