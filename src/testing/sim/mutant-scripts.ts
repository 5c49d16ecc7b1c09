/** Scripts for bugs that random scripts show too seldom. */
import type { Command, Step } from './script.ts';

/** Script in which starts lose their answers, and the machines are removed soon after. */
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
/** Script in which machines are removed while every other call of the cloud fails. */
export const failingStops: readonly Step[] = [
  { atMs: 70_000, trouble: 'cloud-transient', rate: 0.5, forMs: 150_000 },
  ...[80_000, 120_000, 160_000].flatMap((atMs): Step[] => [
    { atMs: atMs - 70_000, by: 'alice', model: 0, do: 'add-machine' },
    { atMs, by: 'alice', model: 0, do: 'remove-machine', pick: 0, fresh: false, keep: false },
  ]),
];
/** Script in which machines are started while all instances are listed repeatedly. */
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
/** Script with units that may be in any zone. */
export const spread: readonly Step[] = [
  { atMs: 0, by: 'alice', model: 0, do: 'deploy', application: 'db', units: 4 },
];
/** Script in which a machine's instance is kept; then instances without a machine have to be stopped. */
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
/** Script in which the account has no quota for a while. */
export const noRoom: readonly Step[] = [
  { atMs: 0, by: 'alice', model: 0, do: 'add-machine' },
  { atMs: 60_000, blow: 'quota', spare: 0, forMs: 200_000 },
  { atMs: 61_000, by: 'alice', model: 0, do: 'add-machine', machines: 2 },
];
export const stray: readonly Step[] = [{ atMs: 60_000, blow: 'stray', place: 0, machine: 'none' }];
/** Script with a constraint that no cloud can satisfy. */
export const tooLarge: readonly Step[] = [
  { atMs: 0, by: 'alice', model: 0, do: 'add-machine', wishes: { mem: 1_048_576 } },
];
/** Script in which agents are partitioned while hooks end; their messages come late. */
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

const to = { by: 'alice', model: 0 } as const;
const deploy = (application: string, require: readonly string[] = []): Command => ({
  do: 'deploy',
  application,
  units: 1,
  require,
});
const integrate = (...ends: readonly [string, string]): Command => ({ do: 'integrate', ends });
const removeRelation = (...ends: readonly [string, string]): Command => ({ do: 'remove-relation', ends });
/** Returns steps that give the commands one after the other at an interval. */
const sequence = (commands: readonly Command[], everyMs = 2_000): Step[] =>
  commands.map((command, n) => ({ atMs: n * everyMs, ...to, ...command }));

/** Script in which a subordinate requires a principal and a related application elsewhere. */
export const beside: readonly Step[] = sequence([
  deploy('web'),
  deploy('shipper'),
  integrate('shipper:host', 'web'),
]);
/** Script in which an application requires a second one, which requires a third, which is removed and comes back. */
export const chain: readonly Step[] = sequence([
  deploy('db'),
  deploy('web', ['db']),
  deploy('shop'),
  integrate('shop:site', 'web'),
  integrate('web:db', 'db'),
  removeRelation('web:db', 'db'),
]);
export const circle: readonly Step[] = sequence([
  deploy('ping'),
  deploy('pong'),
  integrate('ping:pong', 'pong:pong'),
  integrate('pong:ping', 'ping:ping'),
]);
export const modelChangesItsMind: readonly Step[] = sequence([
  deploy('web'),
  { do: 'model-config', option: 'require-endpoints', value: 'all' },
  { do: 'model-config', option: 'require-endpoints', value: 'none' },
]);
/** Script in which the controller is killed soon after the requirement is met. */
export const killedBeforePlacing: readonly Step[] = [
  ...sequence([
    deploy('db'),
    deploy('web', ['db']),
    deploy('web2', ['db']),
    deploy('pong'),
    deploy('shop', ['db']),
  ]),
  ...(
    [
      ['web:db', 'db'],
      ['web2:db', 'db'],
      ['shop:site', 'web'],
      ['shop:db', 'db'],
    ] as const
  ).flatMap((ends, n): Step[] => [
    { atMs: 60_000 + n * 30_000, ...to, do: 'integrate', ends },
    { atMs: 60_000 + n * 30_000, trouble: 'crash-after-durable', rate: 1, forMs: 300 },
  ]),
];
/** Script in which a waiting subordinate loses the relation with its principal. */
export const waitingOrphan: readonly Step[] = [
  ...beside,
  { atMs: 200_000, ...to, ...removeRelation('shipper:host', 'web') },
];

/** Script in which the relation that holds subordinates goes. */
export const heldNoMore: readonly Step[] = [
  ...sequence([
    deploy('web'),
    { do: 'add-unit', application: 'web', units: 2 },
    deploy('logger'),
    integrate('logger:host', 'web'),
  ]),
  { atMs: 90_000, ...to, do: 'config', application: 'logger', option: 'slow', value: '5' },
  { atMs: 120_000, ...to, ...removeRelation('logger:host', 'web') },
];
/** Script in which that relation comes again while the subordinates end. */
export const heldAgain: readonly Step[] = [
  ...heldNoMore,
  ...Array.from({ length: 30 }, (_, n): Step => ({
    atMs: 121_000 + n * 2_000,
    ...to,
    ...integrate('logger:host', 'web'),
  })),
];
/** Script in which the cloud fails for a while, and nothing happens after that. */
export const startsAgain: readonly Step[] = [
  { atMs: 0, trouble: 'cloud-transient', rate: 1, forMs: 60_000 },
  { atMs: 1_000, ...to, do: 'add-machine' },
];

/** Script in which a machine is removed while the cloud does not answer, and nothing else happens afterwards. */
export const removedUnanswered: readonly Step[] = [
  { atMs: 0, ...to, do: 'add-machine' },
  { atMs: 149_000, trouble: 'cloud-transient', rate: 1, forMs: 60_000 },
  { atMs: 150_000, ...to, do: 'remove-machine', pick: 0, fresh: false, keep: false },
];

/** Script in which a resource is attached when nothing else happens any more. */
export const attached: readonly Step[] = [
  { atMs: 0, by: 'alice', model: 0, do: 'deploy', application: 'db', units: 1 },
  { atMs: 200_000, by: 'alice', model: 0, do: 'attach', application: 'db', content: 'content 1' },
];

/** Script in which actions run on a unit whose agent is killed again and again; some are cancelled. */
export const actionsOfDyingAgents: readonly Step[] = [
  { atMs: 0, by: 'alice', model: 0, do: 'deploy', application: 'db', units: 1 },
  ...Array.from({ length: 20 }, (_, n): readonly Step[] => [
    { atMs: 120_000 + n * 9_000, by: 'bob', model: 0, do: 'run-action', application: 'db', pick: 0 },
    { atMs: 124_000 + n * 9_000, blow: 'crash-agent', pick: 0, step: 1 + n },
  ]).flat(),
];
/** Script in which an application on two networks is bound to the other network, whose subnet then leaves the space. */
export const boundAgain: readonly Step[] = [
  { atMs: 1, ...to, do: 'reload-spaces' },
  { atMs: 2_000, ...to, do: 'add-space', space: 'dmz', subnet: 0 },
  { atMs: 4_000, ...to, ...deploy('db') },
  { atMs: 6_000, ...to, do: 'bind', application: 'db', endpoint: 'server', space: 'dmz', forced: true },
  // The unit's machine is on both networks.
  { atMs: 8_000, ...to, do: 'add-unit', application: 'db', units: 1 },
  { atMs: 120_000, ...to, do: 'bind', application: 'db', endpoint: 'server', space: 'alpha', forced: true },
  { atMs: 180_000, ...to, do: 'bind', application: 'db', endpoint: '', space: 'dmz', forced: true },
  { atMs: 240_000, ...to, do: 'move-to-space', space: 'alpha', subnet: 0, forced: true },
];

/** Script in which sets of commands are disabled at the moments of commands that they stop. */
export const disabledAgain: readonly Step[] = Array.from({ length: 30 }, (_, n): readonly Step[] => {
  const atMs = 10_000 + n * 10_000;
  const apart = ((n * 7) % 40) - 10;
  return [
    { atMs: atMs - 5_000, by: 'bob', model: 0, do: 'add-model' },
    { atMs, ...to, do: 'disable-command', set: 'BlockChange' },
    { atMs: atMs + apart, by: 'bob', model: 0, do: 'add-machine' },
    { atMs: atMs + 1_000, by: 'bob', model: 0, do: 'add-machine' },
    { atMs: atMs + 2_000, by: 'bob', model: 0, do: 'destroy-model' },
    { atMs: atMs + 3_000, ...to, do: 'enable-command', set: 'BlockChange' },
  ];
}).flat();
/** Script in which a guest who may read, then write, gives commands also while he loses the access. */
export const guestOfMoments: readonly Step[] = [
  { atMs: 0, ...to, ...deploy('db') },
  ...Array.from({ length: 40 }, (_, n): readonly Step[] => {
    const atMs = 10_000 + n * 8_000;
    const config = (value: number): Command => {
      return { do: 'config', application: 'db', option: 'n', value: String(value) };
    };
    return [
      { atMs, ...to, do: 'grant', access: 'read' },
      { atMs: atMs + 1_000, by: 'eve', model: 0, ...config(n) },
      { atMs: atMs + 2_000, ...to, do: 'grant', access: 'write' },
      { atMs: atMs + 3_000, by: 'eve', model: 0, ...config(100 + n) },
      { atMs: atMs + 4_000 + (n % 20) - 10, by: 'eve', model: 0, ...config(200 + n) },
      { atMs: atMs + 4_000, ...to, do: 'revoke' },
    ];
  }).flat(),
];
