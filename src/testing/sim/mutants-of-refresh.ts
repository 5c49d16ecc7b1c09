/** Bugs in refreshes of charms. */
import type { Command, Step } from './script.ts';
import type { Mutant } from './mutant.ts';

const by = { by: 'alice', model: 0 } as const;
const step = (atMs: number, command: Command): Step => ({ atMs, ...by, ...command });
const refresh = (peer: boolean): Command => ({ do: 'refresh', application: 'db', forceUnits: false, peer });
const rollingRefresh = (maxUnavailable: string, canary: boolean): Command => ({
  do: 'refresh',
  application: 'db',
  forceUnits: false,
  peer: false,
  rolling: { maxUnavailable, canary },
});
const fail = (value: string): Command => ({ do: 'config', application: 'db', option: 'fail', value });

/** A unit whose hook has failed is left behind by its application. */
const leftBehind: readonly Step[] = [
  step(0, { do: 'deploy', application: 'db', units: 2 }),
  step(90_000, fail('config-changed')),
  step(120_000, refresh(false)),
  step(150_000, refresh(true)),
];
/** Refreshes, one after the other. */
const repeated: readonly Step[] = [
  step(0, { do: 'deploy', application: 'db', units: 2 }),
  ...[90_000, 150_000, 210_000].map((atMs, n) => step(atMs, refresh(n % 2 === 0))),
];

/** Refreshes of a charm that asks for an LXD profile. */
const profiled: readonly Step[] = [
  step(0, { do: 'deploy', application: 'cache', units: 3 }),
  ...[90_000, 150_000, 210_000].map((atMs) =>
    step(atMs, { do: 'refresh', application: 'cache', forceUnits: false, peer: false }),
  ),
];

/** Rolling refreshes: one goes on, one is rolled back from its canary. */
const rolling: readonly Step[] = [
  step(0, { do: 'deploy', application: 'db', units: 3 }),
  step(90_000, rollingRefresh('1', false)),
  step(180_000, rollingRefresh('2', true)),
  step(240_000, { do: 'rollout', application: 'db', act: 'Rollback' }),
];

/** Roll-outs of a resource: one goes on, one is rolled back from its canary. */
const rollingResource: readonly Step[] = [
  step(0, { do: 'deploy', application: 'db', units: 3 }),
  ...[
    { atMs: 90_000, content: 'first', rolling: { maxUnavailable: '1', canary: false } },
    { atMs: 200_000, content: 'second', rolling: { maxUnavailable: '1', canary: true } },
  ].map(({ atMs, ...rest }) => step(atMs, { do: 'roll-resource', application: 'db', ...rest })),
  step(260_000, { do: 'rollout', application: 'db', act: 'Rollback' }),
];

export const mutantsOfRefresh: readonly Mutant[] = [
  {
    name: 'units see the options of a charm that they do not run yet',
    file: 'agent/unit/remote-view.ts',
    find: `return older && Object.hasOwn(older, charmUrl) ? (older[charmUrl] ?? application) : application;`,
    replace: `return application;`,
    steps: leftBehind,
  },
  {
    name: 'a unit takes a charm before its machine has the LXD profile',
    file: 'agent/unit/remote-view.ts',
    find: `profileAway: target === application.charmUrl && isProfileAway(mirror, application),`,
    replace: `profileAway: false,`,
    steps: profiled,
  },
  {
    name: 'a charm goes while units still run it',
    file: 'controller/transactions/end/forget-older-charm.ts',
    find: `([url]) => url !== charmUrl && tx.count('unit', 'charm', charmOfUnits(name, url)) > 0,`,
    replace: `([url]) => url === '',`,
    steps: leftBehind,
  },
  {
    name: 'config-changed does not follow upgrade-charm',
    file: 'core/unit/advance.ts',
    find: `return queueHook(finished, { kind: 'config-changed' });`,
    replace: `return finished;`,
    steps: repeated,
    hours: 0.1,
  },
  {
    name: 'the next batch does not wait until the one before is healthy',
    file: 'core/rollout/plan-rollout.ts',
    find: `if (!unit.error && !unit.isUpgraded) return \`has not taken \${target} yet\`;`,
    replace: `if (!unit.error && !unit.isUpgraded) return undefined;`,
    steps: rolling,
  },
  {
    name: 'a unit of a batch does not note when it took the charm',
    file: 'controller/transactions/agent/unit-agent.ts',
    find: `const taken = isInBatch ? { ...unit, takenAt: tx.now } : unit;`,
    replace: `const taken = unit;`,
    steps: rolling,
  },
  {
    name: 'the time at which a unit took a charm outlives its batch',
    file: 'controller/transactions/change/rollout.ts',
    find: `for (const { released: _, takenAt: __, ...unit } of`,
    replace: `for (const { released: _, ...unit } of`,
    steps: rolling,
  },
  {
    name: 'units follow a rolling refresh without being released',
    file: 'core/rollout/rollout.ts',
    find: `if (unit.charmUrl !== charmUrl) return true;`,
    replace: `if (unit.charmUrl !== charmUrl) return false;`,
    steps: rolling,
  },
  {
    name: 'a rolling refresh pauses for ever after a batch',
    file: 'core/rollout/plan-rollout.ts',
    find: `if (rollout.state !== 'rolling') return { kind: 'rest' };`,
    replace: `if (rollout.state !== 'rolling' || rollout.batch > 1) return { kind: 'rest' };`,
    steps: rolling,
  },
  {
    name: 'units take a resource that is rolled out without being released',
    file: 'core/rollout/rollout.ts',
    find: `return isOfResources && (unit.charmModifiedVersion`,
    replace: `return false && (unit.charmModifiedVersion`,
    steps: rollingResource,
  },
  {
    name: 'a rollback of a resource leaves units with the content that failed',
    file: 'controller/transactions/change/rollout.ts',
    find: `charmModifiedVersion: before.charmModifiedVersion ?? version ?? 0,`,
    replace: `charmModifiedVersion: version ?? 0,`,
    steps: rollingResource,
  },
];
