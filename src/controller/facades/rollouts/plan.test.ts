/** Tests of dry runs: they tell what happens, and change nothing. */
import fc, { runs } from '../../../testing/fast-check.ts';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { RefreshPlan } from '../../../wire/facades/rollouts.ts';
import { createCallers, type Callers } from '../../../testing/call.ts';
import { setUnitCharm } from '../../transactions/agent/unit-agent.ts';
import { advanceRollout, resumeRollout } from '../../transactions/change/rollout.ts';
import { setStatus } from '../../transactions/tx.ts';

let callers: Callers;
beforeEach(async () => {
  callers = await createCallers();
});
afterEach(() => callers[Symbol.asyncDispose]());

async function deploy(units: number): Promise<void> {
  const option = { type: 'string', description: '' } as const;
  await callers.addCharm('web', {}, { revision: 0, config: { motto: option, gone: option } });
  await callers.addCharm(
    'web',
    { peers: { ring: { interface: 'ring' } } },
    { revision: 1, config: { motto: option } },
  );
  await callers.call('Application', 'Deploy', {
    applications: [
      {
        application: 'web',
        'charm-url': 'local:web-0',
        'num-units': units,
        config: { motto: 'old', gone: 'x' },
      },
    ],
  });
  await callers.change((tx) => {
    for (const { name } of tx.list('unit')) {
      setStatus(tx, 'unit-agent', name, 'idle');
      setStatus(tx, 'workload', name, 'active');
    }
  });
}
const rolling = (maxUnavailable: string, canary = false) => ({
  'max-unavailable': maxUnavailable,
  'wait-for': '',
  'pause-after-canary': canary,
});
const refresh = (rest: object = {}) => ({ application: 'web', 'charm-url': 'local:web-1', ...rest });
const plan = (rest: object = {}): Promise<RefreshPlan> => callers.call('Rollouts', 'Plan', refresh(rest));
const documents = (): string =>
  JSON.stringify(
    (['application', 'unit', 'charm', 'relation', 'resource', 'sequence'] as const).map((kind) => [
      ...callers.view().list(kind),
    ]),
  );

test('a plan names the changes, and units that wait; nothing is changed', async () => {
  await deploy(2);
  await callers.change((tx) =>
    setStatus(tx, 'unit-agent', 'web/1', 'error', 'hook failed: "start"', { hook: 'start' }),
  );
  for (const { machine } of callers.view().list('unit')) callers.setPresent(machine!);
  const before = documents();
  const changes = [
    { part: 'charm', name: '', from: 'local:web-0', to: 'local:web-1' },
    { part: 'config', name: 'gone', from: '"x"', note: 'the charm has no such option' },
    { part: 'config', name: 'motto', from: '"old"', to: '"new"' },
    { part: 'option', name: 'gone', from: 'string' },
    { part: 'endpoint', name: 'ring', to: 'peers ring' },
  ];
  expect(await plan({ 'config-settings': { motto: 'new' } })).toEqual({
    application: 'web',
    charm: 'local:web-1',
    changes,
    units: [
      { name: 'web/0', charm: 'local:web-0' },
      { name: 'web/1', charm: 'local:web-0', waits: 'is in error: hook failed: "start"' },
    ],
  });
  expect((await plan({ 'force-units': true })).units.map(({ waits }) => waits)).toEqual([
    undefined,
    undefined,
  ]);
  expect(documents()).toBe(before);
});

test('a plan names no unit that waits when its hook failed before the install', async () => {
  await deploy(1);
  const data = { hook: 'data-storage-attached', installed: false };
  await callers.change((tx) =>
    setStatus(tx, 'unit-agent', 'web/0', 'error', 'hook failed: "data-storage-attached"', data),
  );
  expect((await plan()).units).toEqual([{ name: 'web/0', charm: 'local:web-0' }]);
});

test('a plan for a charm that the model lacks reads its files, and gives it the next revision', async () => {
  await deploy(1);
  const before = documents();
  const files = {
    'manifest.yaml': { bases: [{ name: 'ubuntu', channel: '24.04' }] },
    'metadata.yaml': {
      name: 'web',
      summary: 's',
      description: 'd',
      resources: { dump: { filename: 'd.sql' } },
    },
  };
  const asked = { 'charm-url': '', 'charm-files': files, revision: 7 };
  const resources = { dump: { fingerprint: 'a'.repeat(96), size: 3 } };
  const planned = await plan({ ...asked, resources });
  expect(planned.charm).toBe('local:web-7');
  expect(planned.changes).toContainEqual({
    part: 'resource',
    name: 'dump',
    to: `3 bytes, SHA-384 ${'a'.repeat(12)}`,
  });
  await expect(plan({ ...asked, resources: { nope: resources.dump } })).rejects.toThrow(
    'resource "nope" not found',
  );
  await expect(plan({ ...asked, 'charm-files': {} })).rejects.toThrow('charm has no metadata');
  expect(documents()).toBe(before);
});

test('a plan is refused as the refresh would be', async () => {
  await deploy(1);
  await expect(plan({ 'config-settings': { nope: '1' } })).rejects.toThrow('unknown option "nope"');
  await expect(plan({ 'charm-url': 'local:web-0', rolling: rolling('1') })).rejects.toThrow(
    'nothing to roll out',
  );
  await expect(callers.call('Rollouts', 'PlanRollback', { application: 'web' })).rejects.toThrow(
    'no rolling refresh',
  );
});

test('the plan of a rollback begins with the batch that went on', async () => {
  await deploy(3);
  await callers.call('Rollouts', 'Begin', refresh(rolling('2')));
  const take = async (): Promise<void> => {
    await callers.change((tx) => advanceRollout(tx, { application: 'web', present: () => true }));
    await callers.change((tx) => {
      for (const { name } of tx.find('unit', 'batch', 'web'))
        setUnitCharm(tx, { unit: name, charmUrl: 'local:web-1' });
    });
  };
  await take();
  const before = documents();
  const planned = await callers.call<RefreshPlan>('Rollouts', 'PlanRollback', { application: 'web' });
  expect(planned).toMatchObject({
    charm: 'local:web-0',
    rollout: { kind: 'rollback', batches: [{ units: ['web/0', 'web/1'], pauses: false }] },
  });
  expect(planned.changes).toContainEqual({ part: 'config', name: 'gone', to: '"x"' });
  expect(documents()).toBe(before);
});

/** Batches of a roll-out in which each batch gets healthy, and those after which it pauses. */
async function carriedOut(): Promise<NonNullable<RefreshPlan['rollout']>['batches']> {
  const batches: { units: string[]; pauses: boolean }[] = [];
  for (;;) {
    callers.advance(1000);
    const step = await callers.change((tx) =>
      advanceRollout(tx, { application: 'web', present: () => true }),
    );
    if (step === 'finish') return batches;
    if (step === 'pause') {
      batches.at(-1)!.pauses = true;
      await callers.change((tx) => resumeRollout(tx, 'web'));
      continue;
    }
    expect(step).toBe('release');
    await callers.change((tx) => {
      const units = [...tx.find('unit', 'batch', 'web')].map(({ name }) => name);
      for (const unit of units) setUnitCharm(tx, { unit, charmUrl: 'local:web-1' });
      batches.push({ units: units.sort(), pauses: false });
    });
  }
}

test('property: a roll-out does what its plan says', async () => {
  const rollouts = fc.record({
    units: fc.integer({ min: 1, max: 9 }),
    leader: fc.integer({ min: 0, max: 9 }),
    dying: fc.integer({ min: 0, max: 20 }),
    maxUnavailable: fc.constantFrom('1', '2', '3', '25%', '50%', '100%'),
    canary: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(rollouts, async ({ units, leader, dying, maxUnavailable, canary }) => {
      await callers[Symbol.asyncDispose]();
      callers = await createCallers();
      await deploy(units);
      await callers.change((tx) => {
        const holder = `web/${leader}`;
        if (tx.get('unit', holder))
          tx.put('lease', 'web', { application: 'web', holder, expiresAt: '2027-01-01T00:00:00Z' });
        const going = tx.get('unit', `web/${dying}`);
        if (going) tx.put('unit', going.name, { ...going, life: 'dying' });
      });
      const planned = await plan({ rolling: rolling(maxUnavailable, canary) });
      await callers.call('Rollouts', 'Begin', refresh(rolling(maxUnavailable, canary)));
      const batches = planned.rollout!.batches.map((batch) => ({ ...batch, units: [...batch.units].sort() }));
      expect(batches).toEqual(await carriedOut());
    }),
    { numRuns: runs(100) },
  );
});

test('a plan is refused for a charm that an upload would refuse, as for an action without a schema', async () => {
  await deploy(1);
  const files = {
    'metadata.yaml': { name: 'web', summary: 's', description: 'd' },
    'actions.yaml': { backup: { params: { to: { type: 'nonsense' } } } },
  };
  await expect(plan({ 'charm-url': '', 'charm-files': files })).rejects.toMatchObject({
    code: 'bad request',
    message: expect.stringContaining('invalid params schema for action schema backup') as string,
  });
});
