import { expect, test } from 'vitest';
import { unitPaths } from './paths.ts';

test.each([
  ['/var/lib/juju', undefined],
  ['/home/somebody/.local/share/grigri/controllers/c/machines/m', '/tmp/grigri-0123456789ab'],
])(
  'the socket of a unit whose application has a name of 75 letters has a path that the kernel takes, in %s',
  (dataDir, runDir) => {
    const socket = (unit: string): string => unitPaths(dataDir, unit, runDir).socket;
    const name = 'a'.repeat(75);
    expect(Buffer.byteLength(socket(`${name}/0`))).toBeLessThanOrEqual(107);
    expect(socket(`${name}/0`)).not.toBe(socket(`${name}/1`));
  },
);
