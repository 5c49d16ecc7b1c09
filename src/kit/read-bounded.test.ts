import { createReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { limits } from '../core/limits.ts';
import { readBounded } from './read-bounded.ts';

test('a text that comes in pieces is read as a whole', async () => {
  const pieces = [Buffer.from('gr'), Buffer.from([0xc3]), Buffer.from([0xa9]), Buffer.from('e')];
  expect(await readBounded(Readable.from(pieces), 'stdin', 9)).toBe('grée');
});

test('a device that never ends is refused at the limit, by its name', async () => {
  const device = createReadStream('/dev/zero');
  await expect(readBounded(device, '/dev/zero', limits.givenText.max)).rejects.toThrow(
    '/dev/zero: larger than 16 MiB',
  );
  expect(device.destroyed).toBe(true);
});
