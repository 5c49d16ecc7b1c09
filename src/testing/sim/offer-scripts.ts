/**
 * Scripts that show bugs in relations with applications of other models: the second model consumes offers of the first.
 */
import type { Command, Step } from './script.ts';

const [offering, consuming] = [0, 1] as const;
const ends = ['web:db', 'far-db'] as const;
type Given = readonly [atMs: number, model: number, command: Command];

const given = (all: readonly Given[]): Step[] =>
  all.map(([atMs, model, command]): Step => ({ atMs, by: 'alice', model, ...command }));
const offer: Command = { do: 'offer', application: 'db', endpoint: 'server' };
const consume: Command = { do: 'consume', application: 'db', from: offering };
const integrate: Command = { do: 'integrate', ends };
const removeRelation: Command = { do: 'remove-relation', ends };
const config = (application: string, n: number): Command => ({
  do: 'config',
  application,
  option: 'n',
  value: String(n),
});

const related: readonly Given[] = [
  [0, offering, { do: 'deploy', application: 'db', units: 2 }],
  [1_000, consuming, { do: 'deploy', application: 'web', units: 2 }],
  [2_000, offering, offer],
  [4_000, consuming, consume],
  [6_000, consuming, integrate],
];

/** Script in which the relation ends and exists again; settings change and units are removed at both sides. */
export const ofTwoModels: readonly Step[] = given([
  ...related,
  [120_000, consuming, removeRelation],
  [150_000, consuming, integrate],
  [190_000, offering, config('db', 1)],
  [192_000, consuming, config('web', 2)],
  [230_000, offering, { do: 'remove-unit', application: 'db', pick: 1, fresh: false }],
  [231_000, consuming, { do: 'remove-unit', application: 'web', pick: 1, fresh: false }],
  [290_000, offering, config('db', 3)],
]);

/** Script in which the relation is made while answers between the models are lost. */
export const registeredTwice: readonly Step[] = [
  ...given(related),
  { atMs: 1_000, trouble: 'crossing-answer-lost', rate: 0.5, forMs: 280_000 },
];

/** Script in which the relation is suspended and resumed, at once and later. */
export const suspended: readonly Step[] = given([
  ...related,
  ...Array.from({ length: 6 }, (_, n): Given[] => [
    [140_000 + n * 30_000, offering, { do: 'suspend-relation', pick: 0 }],
    [141_000 + n * 30_000 + n * 1_500, offering, { do: 'resume-relation', pick: 0 }],
  ]).flat(),
  [340_000, offering, { do: 'suspend-relation', pick: 0 }],
]);

const apart: Step = { atMs: 150_000, trouble: 'crossing-failed', rate: 0.7, forMs: 130_000 };

/** Script in which settings change while the models do not reach each other. */
export const changedApart: readonly Step[] = [
  ...given([
    ...related,
    ...Array.from({ length: 12 }, (_, n): Given => [160_000 + n * 8_000, consuming, config('web', n)]),
  ]),
  apart,
];

/** Script in which the offer ends while the models do not reach each other. */
export const endedApart: readonly Step[] = [
  ...given([...related, [270_000, offering, { do: 'remove-offer', application: 'db', forced: true }]]),
  apart,
];

/** Script in which the offer ends, and its units leave, before the consuming model can hear of it. */
export const endedUnheard: readonly Step[] = [
  ...given([...related, [160_000, offering, { do: 'remove-offer', application: 'db', forced: true }]]),
  { atMs: 150_000, trouble: 'crossing-failed', rate: 1, forMs: 130_000 },
];

/**
 * Script in which the relation is removed by force while the models do not reach each other, and then the controller is
 * killed.
 */
export const forcedApart: readonly Step[] = [
  ...given([...related, [200_000, consuming, { ...removeRelation, force: { maxWaitS: 0 } }]]),
  { atMs: 200_500, blow: 'crash-controller', step: 3 },
  apart,
];

const migrate = (to: number): Command => ({ do: 'migrate', to });
/** Moves by which related models of one controller come to be on two, on another one, and on the first one again. */
const moves: readonly (readonly [model: number, command: Command])[] = [
  [offering, migrate(1)],
  [consuming, migrate(0)],
  [consuming, migrate(1)],
  [offering, migrate(0)],
  [consuming, migrate(0)],
];
const moved: readonly Given[] = moves.flatMap(([model, command], n): Given[] => [
  [140_000 + n * 60_000, model, command],
  [160_000 + n * 60_000, offering, config('db', 10 + n)],
  [161_000 + n * 60_000, consuming, config('web', 20 + n)],
]);

/** Script in which related models go to and fro between controllers, and then the relation is removed. */
export const relatedToAndFro: readonly Step[] = given([
  ...related,
  ...moved,
  [460_000, consuming, removeRelation],
]);

/** Script in which the offering model leaves the other one. */
export const offeringLeaves: readonly Step[] = given([
  ...related,
  [140_000, offering, migrate(1)],
  [160_000, offering, config('db', 1)],
]);

const relatedToGuest: readonly Step[] = [
  { atMs: 0, by: 'alice', model: offering, do: 'deploy', application: 'db', units: 1 },
  { atMs: 1_000, by: 'alice', model: consuming, do: 'deploy', application: 'web', units: 1 },
  { atMs: 2_000, by: 'alice', model: offering, ...offer },
  { atMs: 3_000, by: 'alice', model: consuming, do: 'grant', access: 'write' },
  { atMs: 4_000, by: 'alice', model: offering, do: 'grant-offer', application: 'db' },
  { atMs: 8_000, by: 'eve', model: consuming, ...consume },
  { atMs: 12_000, by: 'alice', model: consuming, ...integrate },
];

/**
 * Script in which the guest consumes an offer, loses the right to it several times, and gets it again; a relation that
 * is then resumed without the right stays.
 */
export const revoked: readonly Step[] = [
  ...relatedToGuest,
  ...given(
    Array.from({ length: 4 }, (_, n): Given[] => [
      [140_000 + n * 30_000, offering, { do: 'revoke-offer', application: 'db' }],
      [150_000 + n * 30_000, offering, { do: 'resume-relation', pick: 0 }],
      [155_000 + n * 30_000, offering, { do: 'grant-offer', application: 'db' }],
      [160_000 + n * 30_000, offering, { do: 'resume-relation', pick: 0 }],
    ]).flat(),
  ),
];

/** Script in which the models go to and fro, and the guest consumes. */
export const guestToAndFro: readonly Step[] = [...relatedToGuest, ...given(moved)];

/**
 * Script in which commands are disabled while the guest loses the right to consume, and while the offer is removed by
 * force.
 */
export const whileDisabled: readonly Step[] = [
  ...relatedToGuest,
  ...given([
    [130_000, offering, { do: 'disable-command', set: 'BlockChange' }],
    [140_000, offering, { do: 'revoke-offer', application: 'db' }],
    [150_000, offering, { do: 'enable-command', set: 'BlockChange' }],
    [160_000, offering, { do: 'grant-offer', application: 'db' }],
    [170_000, offering, { do: 'resume-relation', pick: 0 }],
    [200_000, offering, { do: 'disable-command', set: 'BlockRemove' }],
    [220_000, offering, { do: 'remove-offer', application: 'db', forced: true }],
  ]),
];
