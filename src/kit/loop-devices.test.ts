import { closeSync, mkdtempSync, openSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { attachLoop, detachLoop, freeLoops, hasLoops, loopsOf } from './loop-devices.ts';

describe.skipIf(!hasLoops())('loop devices (skipped without /dev/loop-control)', () => {
  test('a device that disappears when another process has looked at it is not given out', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'grigri-loops-'));
    const file = join(folder, 'disk');
    writeFileSync(file, '');
    truncateSync(file, 1024 ** 2);
    try {
      const device = await attachLoop(file, false);
      // An open device is in use, as with `losetup --list`, which opens every device of the host for a moment.
      const look = openSync(device, 'r');
      await detachLoop(device);
      const attached = attachLoop(file, false);
      await Promise.race([attached, sleep(300)]);
      closeSync(look);
      const next = await attached;
      expect(await loopsOf(file)).toEqual([next]);
    } finally {
      await freeLoops(file);
      rmSync(folder, { recursive: true });
    }
  });
});
