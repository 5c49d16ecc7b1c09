import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readBootId, recordReboot } from './boot-id.ts';

test('a boot has one id until a reboot is recorded', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'grigri-boot-'));
  const file = join(dir, 'agents', 'machine-0', 'boot');
  const first = await readBootId(file);
  expect(await readBootId(file)).toBe(first);
  await recordReboot(file);
  expect(await readBootId(file)).not.toBe(first);
  await rm(dir, { recursive: true });
});
