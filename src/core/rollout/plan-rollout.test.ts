import { describe, expect, test } from 'vitest';
import { planRollout, type BatchUnit, type RolloutSnapshot, type RolloutStep } from './plan-rollout.ts';
import type { Rollout } from './rollout.ts';

const oldCharm = 'local:db-1';
const newCharm = 'local:db-2';
const at = (second: number): string => `2026-01-01T00:00:${String(second).padStart(2, '0')}.000Z`;

/** A batch that was released at second 10. */
const rollout = (rest: Partial<Rollout> = {}): Rollout => ({
  kind: 'refresh',
  state: 'rolling',
  maxUnavailable: '2',
  waitFor: 'active',
  batch: 1,
  since: at(10),
  before: {
    charmUrl: oldCharm,
    charmOrigin: {},
    config: {},
    endpointBindings: {},
    trust: false,
    base: { name: 'ubuntu', channel: '24.04/stable' },
    resources: [],
  },
  ...rest,
});
const unit = (
  name: string,
  {
    agent = 'idle',
    workload = 'active',
    message = '',
    ...rest
  }: Partial<BatchUnit> & Record<string, unknown> = {},
): BatchUnit => ({
  name,
  isUpgraded: true,
  attributes: {
    name,
    machine: '0',
    life: 'alive',
    status: String(agent),
    unplaced: false,
    'agent-status': String(agent),
    'workload-status': String(workload),
    'workload-message': String(message),
  },
  ...rest,
});
const failed = (second: number, blocksCharm = true): Pick<BatchUnit, 'error'> => ({
  error: { message: 'hook failed: "upgrade-charm"', since: at(second), blocksCharm },
});
const stop: RolloutStep = { kind: 'stop', unit: 'db/0', message: 'hook failed: "upgrade-charm"' };
const wait = (why: string): RolloutStep => ({ kind: 'wait', unit: 'db/0', why });
const release = (...units: string[]): RolloutStep => ({ kind: 'release', units });

type Case = readonly [
  title: string,
  snapshot: Partial<Omit<RolloutSnapshot, 'held'>> & { readonly held?: readonly string[] },
  step: RolloutStep,
];
const first = rollout({ batch: 0 });
const cases: Readonly<Record<string, readonly Case[]>> = {
  batches: [
    [
      'the first batch is as large as is allowed',
      { rollout: first, held: ['db/0', 'db/1', 'db/2'] },
      release('db/0', 'db/1'),
    ],
    [
      'the leader comes last',
      { rollout: first, held: ['db/0', 'db/1', 'db/2'], leader: 'db/0' },
      release('db/1', 'db/2'),
    ],
    ['the leader fills the last batch', { held: ['db/0', 'db/1'], leader: 'db/0' }, release('db/1', 'db/0')],
    ['the leader alone is the last batch', { held: ['db/0'], leader: 'db/0' }, release('db/0')],
    [
      'a share is rounded down',
      { rollout: rollout({ maxUnavailable: '50%' }), units: 3, held: ['db/1', 'db/2'] },
      release('db/1'),
    ],
    [
      'a share is one unit at least',
      { rollout: rollout({ maxUnavailable: '1%' }), units: 3, held: ['db/1', 'db/2'] },
      release('db/1'),
    ],
    ['nothing is left', { batch: [unit('db/0')] }, { kind: 'finish' }],
    ['units of the batch that have gone are not waited for', { held: ['db/2'] }, release('db/2')],
  ],
  'the health of a batch gates the next': [
    ['a healthy batch', { batch: [unit('db/0'), unit('db/1')], held: ['db/2'] }, release('db/2')],
    [
      'the charm is not taken yet',
      { batch: [unit('db/0', { isUpgraded: false })], held: ['db/2'] },
      wait(`has not taken ${newCharm} yet`),
    ],
    [
      'the agent works',
      { batch: [unit('db/0', { agent: 'executing' })], held: ['db/2'] },
      wait('has an agent that is executing'),
    ],
    [
      'the agent is lost',
      { batch: [unit('db/0', { agent: 'lost', workload: 'unknown' })] },
      wait('has an agent that is lost'),
    ],
    [
      'the workload is blocked',
      { batch: [unit('db/0', { workload: 'blocked', message: 'no disk' })] },
      wait('is blocked (no disk)'),
    ],
    [
      'an expression is met',
      {
        rollout: rollout({ waitFor: 'workload-status!="blocked"' }),
        batch: [unit('db/0', { workload: 'waiting' })],
        held: ['db/2'],
      },
      release('db/2'),
    ],
    [
      'an expression is not met',
      { rollout: rollout({ waitFor: 'workload-message=="ready"' }), batch: [unit('db/0')], held: ['db/2'] },
      wait('is active, and workload-message=="ready" is not met'),
    ],
  ],
  failures: [
    ['a hook fails after the release', { batch: [unit('db/0', failed(11))], held: ['db/2'] }, stop],
    [
      'a failure counts before others are waited for',
      { batch: [unit('db/1', { agent: 'executing' }), unit('db/0', failed(11))] },
      stop,
    ],
    [
      'a unit in error cannot take the charm',
      { batch: [unit('db/0', { isUpgraded: false, ...failed(5) })] },
      stop,
    ],
    [
      'a unit in error takes the charm nevertheless',
      { batch: [unit('db/0', { isUpgraded: false, ...failed(5, false) })] },
      wait('is in error: hook failed: "upgrade-charm"'),
    ],
    [
      'a hook that began with the charm before fails after the release, and its unit takes the charm nevertheless',
      { batch: [unit('db/0', { isUpgraded: false, ...failed(11, false) })] },
      wait('is in error: hook failed: "upgrade-charm"'),
    ],
    [
      'a hook that failed before its unit took the charm runs again with it',
      { batch: [unit('db/0', { takenAt: at(12), ...failed(11, false) })] },
      wait('is in error: hook failed: "upgrade-charm"'),
    ],
    [
      'a hook fails after its unit took the charm',
      { batch: [unit('db/0', { takenAt: at(12), ...failed(13, false) })] },
      stop,
    ],
    [
      'a failure from before a resume is waited for',
      { rollout: rollout({ resumed: true, since: at(20) }), batch: [unit('db/0', failed(11))] },
      wait('is in error: hook failed: "upgrade-charm"'),
    ],
    [
      'a new failure stops what was resumed',
      { rollout: rollout({ resumed: true, since: at(20) }), batch: [unit('db/0', failed(21))] },
      stop,
    ],
  ],
  'the canary': [
    [
      'it is alone',
      { rollout: rollout({ batch: 0, pauseAfterCanary: true }), held: ['db/0', 'db/1'] },
      release('db/0'),
    ],
    [
      'a healthy canary pauses',
      { rollout: rollout({ pauseAfterCanary: true }), batch: [unit('db/0')], held: ['db/1'] },
      { kind: 'pause' },
    ],
    [
      'a canary that is all there is ends',
      { rollout: rollout({ pauseAfterCanary: true }), batch: [unit('db/0')] },
      { kind: 'finish' },
    ],
    ['a resumed one goes on', { batch: [unit('db/0')], held: ['db/1'] }, release('db/1')],
  ],
  'the user acts': [
    [
      'paused',
      { rollout: rollout({ state: 'paused' }), batch: [unit('db/0')], held: ['db/1'] },
      { kind: 'rest' },
    ],
    [
      'stopped, even when the unit got well',
      { rollout: rollout({ state: 'stopped' }), batch: [unit('db/0')], held: ['db/1'] },
      { kind: 'rest' },
    ],
    ['aborted', { rollout: rollout({ state: 'aborted' }), held: ['db/1'] }, { kind: 'rest' }],
    [
      'aborted, and the last unit on another charm is gone',
      { rollout: rollout({ state: 'aborted' }) },
      { kind: 'finish' },
    ],
  ],
};

describe.each(Object.entries(cases))('%s', (_, rows) => {
  test.each(rows)('%s', (__, { held = [], ...snapshot }, step) => {
    const all: RolloutSnapshot = {
      rollout: rollout(),
      target: newCharm,
      batch: [],
      leader: '',
      units: 4,
      held: () => held,
      ...snapshot,
    };
    expect(planRollout(all)).toEqual(step);
  });
});
