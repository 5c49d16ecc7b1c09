/**
 * Long test files of the suites that take CI the most time. A part of such a suite has some of the long files, and all
 * others; without a part the suite runs whole.
 */
import { drawPart } from './part.ts';

export interface LongFiles {
  readonly longestFirst: readonly string[];
  /** Long files that every part has. */
  readonly always: readonly string[];
  /** Number of the others that a part has. */
  readonly count: number;
}

export const longFiles = {
  lxd: {
    longestFirst: [
      'test/lxd/faults.test.ts',
      'test/lxd/contract.test.ts',
      'test/lxd/model.test.ts',
      'test/lxd/storage.test.ts',
      'test/lxd/bootstrap.test.ts',
      'test/lxd/nested-ssh.test.ts',
      'test/lxd/crash.test.ts',
      'test/lxd/spaces.test.ts',
    ],
    always: ['test/lxd/contract.test.ts', 'test/lxd/model.test.ts'],
    count: 2,
  },
  local: {
    longestFirst: [
      'test/local/requirements.test.ts',
      'src/providers/clouds/local/nested.test.ts',
      'test/local/hooks.test.ts',
      'test/local/bases.test.ts',
      'test/local/requirements-orders.test.ts',
      'test/local/bundles.test.ts',
      'test/local/loop-devices.test.ts',
      'test/local/machines.test.ts',
      'test/local/charm-test.test.ts',
      'test/local/leadership.test.ts',
      'test/local/provisioning.test.ts',
      'src/providers/clouds/local/sandbox.test.ts',
      'test/local/resources.test.ts',
      'test/local/networks.test.ts',
      'test/local/storage.test.ts',
      'src/providers/clouds/local/systemd.test.ts',
    ],
    always: ['test/local/requirements.test.ts', 'test/local/machines.test.ts'],
    count: 5,
  },
} as const satisfies Readonly<Record<string, LongFiles>>;

/** Long files that the part leaves out. */
export function leftOut(part: number | undefined, { longestFirst, always, count }: LongFiles): string[] {
  const others = longestFirst.filter((file) => !always.includes(file));
  const drawn = drawPart(part, others, { count, nameOf: String });
  return others.filter((file) => !drawn.includes(file));
}
