/**
 * Long test files of the suites that take CI the most time. A part of such a suite has some of the long files, and all
 * other files; without a part the suite runs whole.
 */
import { drawPart } from './part.ts';

interface LongFiles {
  readonly longestFirst: readonly string[];
  /** Long files that every part has. */
  readonly always: readonly string[];
  /** Number of the other long files that a part has. */
  readonly count: number;
}

export const longFiles = {
  lxd: {
    longestFirst: [
      'test/lxd/faults.test.ts',
      'test/lxd/contract.test.ts',
      'test/lxd/model.test.ts',
      'test/lxd/storage.test.ts',
      'test/lxd/upgrades.test.ts',
      'test/lxd/bootstrap.test.ts',
      'test/lxd/migration.test.ts',
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
      'test/local/three-tiers.test.ts',
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

/**
 * Files of `npm test` that take the most time, the longest first: a long file that began last would run alone at the
 * end. Among them are files that start many processes, which costs the less the smaller the worker still is.
 */
export const longInNpmTest: readonly string[] = [
  'src/testing/migration-offers.test.ts',
  'src/cli/backup-seals.test.ts',
  'src/controller/workers/remote-model.test.ts',
  'src/testing/migration-faults.test.ts',
  'src/providers/contract.test.ts',
  'test/ci/ci.test.ts',
  'src/providers/clouds/lxd/instances.test.ts',
  'src/providers/clouds/local/degrade.test.ts',
  'src/providers/toolkit/user-data/user-data.test.ts',
  'src/hooks/tool-table.test.ts',
  'src/main/controller/command-runner.test.ts',
  'src/cli/commands/local-image.test.ts',
  'src/testing/migration-offers-faults.test.ts',
  'src/cli/formats.test.ts',
  'src/cli/commands/model-file.test.ts',
  'src/cli/what-if.test.ts',
  'src/cli/ssh/copy.test.ts',
  'src/main/controller/spare-room.test.ts',
  'src/providers/clouds/lxd/connect.test.ts',
  'src/providers/elsewhere.test.ts',
  'src/cli/removal.test.ts',
  'src/cli/users.test.ts',
  'src/testing/secrets-in-clear.test.ts',
  'src/controller/server/newcomers.test.ts',
  'src/operate/model-file/apply-crash.property.test.ts',
  'src/testing/sim/world.test.ts',
  'src/testing/sim/run-script.test.ts',
  'src/cli/commands/constraints.test.ts',
  'src/cli/bundle/deploy-bundle.test.ts',
  'src/testing/scenarios/scenarios.test.ts',
  'src/providers/clouds/lxd/away.test.ts',
  'src/controller/server/limits.test.ts',
  'src/agent/controller-link.test.ts',
];

/** Returns the long files that the part leaves out. */
export function leftOut(part: number | undefined, { longestFirst, always, count }: LongFiles): string[] {
  const others = longestFirst.filter((file) => !always.includes(file));
  const drawn = drawPart(part, others, { count, nameOf: String });
  return others.filter((file) => !drawn.includes(file));
}
