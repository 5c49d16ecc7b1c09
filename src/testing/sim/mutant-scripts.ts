/** Scripts for bugs that chance shows too seldom. */
import type { Step } from './script.ts';

/** Starts lose their answers; the machine goes soon after. */
export const lostAnswers: readonly Step[] = [20_000, 80_000, 140_000, 200_000].flatMap((atMs, n): Step[] => [
  { atMs: atMs - 1, trouble: 'cloud-answer-lost', rate: 1, forMs: 3_000 },
  { atMs, by: 'alice', model: 0, do: 'add-machine' },
  {
    atMs: atMs + 3_100 + 500 * n,
    by: 'alice',
    model: 0,
    do: 'remove-machine',
    pick: 0,
    fresh: true,
    keep: false,
  },
]);
/** Machines go while every other call of the cloud fails. */
export const failingStops: readonly Step[] = [
  { atMs: 70_000, trouble: 'cloud-transient', rate: 0.5, forMs: 150_000 },
  ...[80_000, 120_000, 160_000].flatMap((atMs): Step[] => [
    { atMs: atMs - 70_000, by: 'alice', model: 0, do: 'add-machine' },
    { atMs, by: 'alice', model: 0, do: 'remove-machine', pick: 0, fresh: false, keep: false },
  ]),
];
/** Machines are started while all there is is looked at, again and again. */
export const lookedAtWhileStarted: readonly Step[] = [
  ...[0, 30_000, 60_000, 90_000].map((atMs): Step => ({
    atMs,
    by: 'alice',
    model: 0,
    do: 'add-machine',
    machines: 4,
  })),
  ...Array.from({ length: 80 }, (_, n): Step => ({
    atMs: 1_000 + n * 1_500,
    by: 'bob',
    model: 0,
    do: 'model-config',
    option: 'provisioner-harvest-mode',
    value: n % 2 === 0 ? 'all' : 'destroyed',
  })),
];
/** Units that may be in any zone. */
export const spread: readonly Step[] = [
  { atMs: 0, by: 'alice', model: 0, do: 'deploy', application: 'db', units: 4 },
];
/** A machine's instance is kept; then instances without a machine are to be stopped. */
export const keptThenHarvested: readonly Step[] = [
  { atMs: 0, by: 'alice', model: 0, do: 'add-machine' },
  { atMs: 100_000, by: 'alice', model: 0, do: 'remove-machine', pick: 0, fresh: false, keep: true },
  {
    atMs: 200_000,
    by: 'alice',
    model: 0,
    do: 'model-config',
    option: 'provisioner-harvest-mode',
    value: 'all',
  },
];
/** For a while the account has no room. */
export const noRoom: readonly Step[] = [
  { atMs: 0, by: 'alice', model: 0, do: 'add-machine' },
  { atMs: 60_000, blow: 'quota', spare: 0, forMs: 200_000 },
  { atMs: 61_000, by: 'alice', model: 0, do: 'add-machine', machines: 2 },
];
export const stray: readonly Step[] = [{ atMs: 60_000, blow: 'stray', place: 0, machine: 'none' }];
/** What no cloud has. */
export const tooLarge: readonly Step[] = [
  { atMs: 0, by: 'alice', model: 0, do: 'add-machine', wishes: { mem: 1_048_576 } },
];
/** Agents are cut off while hooks end; what they sent comes late. */
export const cutOff: readonly Step[] = [
  { atMs: 0, by: 'alice', model: 0, do: 'deploy', application: 'db', units: 3 },
  ...Array.from({ length: 60 }, (_, n): Step => {
    const atMs = 20_000 + n * 5_000;
    return { atMs, by: 'alice', model: 0, do: 'config', application: 'db', option: 'n', value: String(n) };
  }),
  ...[60_000, 200_000].flatMap((atMs) =>
    [0, 1, 2].map((pick): Step => ({
      atMs: atMs + 500 * pick,
      blow: 'cut-off',
      pick,
      forMs: 90_000 + 10_000 * pick,
    })),
  ),
];
