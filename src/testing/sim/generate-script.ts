import { applicationNames } from './charms.ts';
import { createRandom, type Random } from './random.ts';
import type { Blow, By, Command, Forced, Script, Step, Trouble } from './script.ts';
import { faultKinds, type FaultKind } from './world.ts';

/** Places for models: each holds one at a time. */
export const modelPlaces = 2;
/** Pairs of charms that can be related; the ends' applications are chosen among each charm's two. */
const related: readonly (readonly [string, string])[] = [
  ['web', 'db'],
  ['web', 'cache'],
  ['logger', 'web'],
  ['logger', 'db'],
  ['monitor', 'db'],
  ['monitor', 'web'],
  // Both could be each other's host, too.
  ['monitor:feed', 'logger:feed'],
];
const hooks = [
  'install',
  'start',
  'config-changed',
  'relation-created',
  'relation-joined',
  'relation-changed',
  'relation-departed',
  'relation-broken',
  'stop',
  'remove',
];

/**
 * What is done to a world of this seed: a small model is built, then operators act and things go wrong for so many
 * hours. The same arguments give the same script.
 */
export function generateScript({ seed, hours }: { seed: number; hours: number }): Script {
  const chance = new Chance(seed);
  const endMs = hours * 3_600_000;
  const steps: Step[] = [...beginning(chance)];
  let atMs = 30_000;
  while (atMs < endMs) {
    const by: By = chance.is(0.7) ? 'alice' : 'bob';
    // Most of what happens, happens in the first model.
    steps.push({ atMs, by, model: chance.is(0.85) ? 0 : 1, ...command(chance) });
    // Bursts: what meets in the same instant is what nobody thought of.
    atMs += Math.round(chance.is(0.35) ? chance.below(1_500) : chance.below(30_000));
  }
  steps.push(...troubles(chance, endMs), ...blows(chance, endMs));
  return { seed, hours, steps: steps.toSorted((a, b) => a.atMs - b.atMs) };
}

function beginning(chance: Chance): Step[] {
  const begin = (atMs: number, command: Command, model = 0): Step => ({
    atMs,
    by: 'alice',
    model,
    ...command,
  });
  const pairs = related.filter(() => chance.is(0.4));
  return [
    begin(0, { do: 'deploy', application: 'db', units: 1 + chance.below(3) }),
    begin(0, { do: 'deploy', application: 'web', units: 1 + chance.below(2) }),
    begin(0, { do: 'deploy', application: 'logger', units: 0 }),
    begin(10, { do: 'deploy', application: 'db', units: 1 }, 1),
    ...pairs.map((ends) => begin(chance.below(60_000), { do: 'integrate', ends })),
  ];
}

type Maker = (chance: Chance) => Command;
const commands: readonly (readonly [weight: number, make: Maker])[] = [
  [
    10,
    (chance) => ({
      do: 'deploy',
      application: application(chance),
      units: 1 + chance.below(2),
      ...to(chance),
    }),
  ],
  [9, (chance) => ({ do: 'add-unit', application: application(chance), units: 1, ...to(chance) })],
  [
    12,
    (chance) => ({
      do: 'remove-unit',
      application: application(chance),
      pick: chance.below(4),
      ...force(chance),
    }),
  ],
  [7, (chance) => ({ do: 'remove-application', application: application(chance), ...force(chance) })],
  [14, (chance) => ({ do: 'integrate', ends: pair(chance) })],
  [7, (chance) => ({ do: 'remove-relation', ends: pair(chance), ...force(chance) })],
  [3, () => ({ do: 'add-machine' })],
  [
    6,
    (chance) => ({
      do: 'remove-machine',
      pick: chance.below(6),
      keep: chance.is(0.1),
      ...force(chance, 0.5),
    }),
  ],
  [
    7,
    (chance) => ({
      do: 'config',
      application: application(chance),
      option: 'n',
      value: String(chance.below(1000)),
    }),
  ],
  [
    2,
    (chance) => ({
      do: 'config',
      application: application(chance),
      option: 'slow',
      value: chance.of(['0', '20', '90']),
    }),
  ],
  [
    6,
    (chance) => ({
      do: 'config',
      application: application(chance),
      option: 'fail',
      value: chance.is(0.6) ? chance.of(hooks) : '',
    }),
  ],
  [
    6,
    (chance) => ({
      do: 'resolve',
      application: application(chance),
      pick: chance.below(3),
      retry: chance.is(0.5),
    }),
  ],
  [1, (chance) => ({ do: 'expose', application: application(chance) })],
  [1, (chance) => ({ do: 'unexpose', application: application(chance) })],
  [2, (chance) => ({ do: 'exec', application: application(chance), pick: chance.below(3) })],
  [2, () => ({ do: 'status' })],
  [2, () => ({ do: 'add-model' })],
  [1, (chance) => ({ do: 'destroy-model', ...force(chance) })],
];
const weights = commands.reduce((sum, [weight]) => sum + weight, 0);

function command(chance: Chance): Command {
  let rest = chance.below(weights);
  for (const [weight, make] of commands) {
    if (rest < weight) return make(chance);
    rest -= weight;
  }
  throw new RangeError('the weights do not add up');
}

function pair(chance: Chance): [string, string] {
  const [a, b] = chance.of(related);
  const name = (end: string): string => (chance.is(0.75) ? end : end.replace(/(?=:|$)/, '2'));
  return [name(a), name(b)];
}

/** More often than not one that is there. */
function application(chance: Chance): string {
  return chance.is(0.7) ? chance.of(['db', 'web', 'logger', 'monitor']) : chance.of(applicationNames);
}

function to(chance: Chance): { onMachine?: number } {
  return chance.is(0.15) ? { onMachine: chance.below(6) } : {};
}

function force(chance: Chance, often = 0.3): { force?: Forced } {
  if (!chance.is(often)) return {};
  return { force: chance.of([{}, { maxWaitS: 0 }, { maxWaitS: 10 }, { maxWaitS: 300 }]) };
}

/** How bad each kind gets: a rate an hour, or a chance. */
const worst: Readonly<Record<FaultKind, number>> = {
  'controller-crash': 60,
  'agent-crash': 60,
  'machine-reboot': 12,
  'machine-lost': 2,
  partition: 20,
  'clock-forward': 12,
  'clock-back': 12,
  'operator-disconnect': 60,
  'message-late': 0.2,
  'message-lost': 0.02,
  'answer-lost': 0.02,
  'answers-reordered': 0.2,
  'connection-reset': 0.02,
  'connection-half-open': 0.01,
  'connection-refused': 0.5,
  'disk-slow': 0.2,
  'disk-error': 0.05,
  'crash-before-durable': 0.01,
  'crash-after-durable': 0.01,
  'cloud-transient': 0.4,
  'cloud-zonal': 0.2,
  'cloud-quota': 0.2,
  'cloud-credential': 0.05,
  'cloud-answer-lost': 0.3,
  'cloud-slow': 0.3,
  'boot-slow': 0.5,
  'hook-failed': 0.2,
  'hook-slow': 0.2,
  'hook-killed': 0.1,
  'hook-reboot': 0.02,
};

/** Some kinds, each in windows of its own that do not overlap: what is not there in a script cannot be its cause. */
function troubles(chance: Chance, endMs: number): (Trouble & { atMs: number })[] {
  const kinds = faultKinds.filter(() => chance.is(0.35));
  return kinds.flatMap((trouble) => {
    const windows: (Trouble & { atMs: number })[] = [];
    for (let atMs = chance.below(endMs / 2); atMs < endMs;) {
      const forMs = Math.min(20_000 + chance.below(240_000), endMs - atMs);
      windows.push({ atMs, trouble, rate: rounded(worst[trouble] * (0.1 + 0.9 * chance.next())), forMs });
      atMs += forMs + 1_000 + chance.below(endMs);
    }
    return windows;
  });
}

function blows(chance: Chance, endMs: number): (Blow & { atMs: number })[] {
  const count = chance.below(2 + Math.round(endMs / 150_000));
  return Array.from({ length: count }, () => ({ atMs: chance.below(endMs), ...blow(chance) }));
}

function blow(chance: Chance): Blow {
  const pick = chance.below(8);
  const step = 1 + chance.below(chance.is(0.5) ? 20 : 300);
  return chance.of<Blow>([
    { blow: 'crash-controller', step },
    { blow: 'crash-controller', step },
    { blow: 'crash-agent', pick, step },
    { blow: 'crash-agent', pick, step },
    { blow: 'crash-agent', pick, step },
    { blow: 'reboot', pick },
    { blow: 'lose', pick, instance: chance.is(0.7) ? 'stays' : 'vanishes' },
    { blow: 'cut-off', pick, forMs: 5_000 + chance.below(180_000) },
  ]);
}

function rounded(rate: number): number {
  return Number(rate.toPrecision(2));
}

class Chance {
  readonly #random: Random;

  constructor(seed: number) {
    this.#random = createRandom(seed, 'script');
  }

  next(): number {
    return this.#random.next();
  }

  is(probability: number): boolean {
    return this.#random.chance(probability);
  }

  /** A whole number, 0 ≤ n < limit. */
  below(limit: number): number {
    return this.#random.int(0, limit);
  }

  of<T>(all: readonly T[]): T {
    return all[this.below(all.length)]!;
  }
}
