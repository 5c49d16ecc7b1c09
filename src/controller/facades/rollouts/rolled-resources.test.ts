/** Tests of roll-outs of resources: which content each unit gets, and what --abort and --rollback leave. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { RefreshPlan } from '../../../wire/facades/rollouts.ts';
import { createCallers, type Callers } from '../../../testing/call.ts';
import { setUnitCharm } from '../../transactions/agent/unit-agent.ts';
import { addUnits } from '../../transactions/begin/add-units.ts';
import {
  announceResources,
  resourceOfUnit,
  setResourceContent,
} from '../../transactions/shared/resources.ts';
import { advanceRollout } from '../../transactions/change/rollout.ts';
import { setStatus } from '../../transactions/tx.ts';

const charmUrl = 'local:web-0';
let callers: Callers;
beforeEach(async () => {
  callers = await createCallers();
  const resources = { data: { type: 'file', filename: 'data' } };
  for (const revision of [0, 1]) await callers.addCharm('web', { resources }, { revision });
  await callers.call('Application', 'Deploy', {
    applications: [{ application: 'web', 'charm-url': charmUrl, 'num-units': 3 }],
  });
  await callers.change((tx) => {
    for (const { name } of tx.list('unit')) healthy(tx, name);
  });
  await attach('a');
});
afterEach(() => callers[Symbol.asyncDispose]());

function healthy(tx: Parameters<typeof setStatus>[0], name: string): void {
  setStatus(tx, 'unit-agent', name, 'idle');
  setStatus(tx, 'workload', name, 'active');
}
const contentOf = (letter: string) => ({
  fingerprint: letter.repeat(96),
  sha256: letter.repeat(64),
  size: 1,
  username: 'admin',
});
const attach = (letter: string): Promise<unknown> =>
  callers.change((tx) => setResourceContent(tx, { application: 'web', name: 'data' }, contentOf(letter)));

/** Begins a roll-out of the content. */
async function begin(letter: string, rest: object = {}): Promise<void> {
  const pendingId = await callers.change((tx) => {
    const [id] = announceResources(tx, { application: 'web', charmUrl, names: ['data'] });
    setResourceContent(tx, { application: 'web', name: 'data', pendingId: id! }, contentOf(letter));
    return id!;
  });
  await callers.call('Rollouts', 'Begin', {
    application: 'web',
    'charm-url': charmUrl,
    'resource-ids': { data: pendingId },
    ...rest,
  });
}
const act = (method: 'Abort' | 'Resume' | 'Rollback'): Promise<unknown> =>
  callers.call('Rollouts', method, { application: 'web' });
const advance = (): Promise<string> => {
  callers.advance(1000);
  return callers.change((tx) => advanceRollout(tx, { application: 'web', present: () => true }));
};
const application = () => callers.view().get('application', 'web')!;
const version = (): number => application().charmModifiedVersion!;
/** A unit's agent deploys the charm again, with what its application has now. */
const take = (unit: string, charmModifiedVersion = version()): Promise<void> =>
  callers.change((tx) => setUnitCharm(tx, { unit, charmUrl, charmModifiedVersion }));
const batch = (): string[] => [...callers.view().find('unit', 'batch', 'web')].map(({ name }) => name);
/** First letters of the contents that the units get, by their age. */
const contents = (): string => {
  const view = callers.view();
  const units = [...view.list('unit')];
  return units.map((unit) => resourceOfUnit(view, unit, 'data').doc?.fingerprint[0]).join('');
};

test('units get a content batch by batch, and nothing of the roll-out is left', async () => {
  await begin('b', { 'max-unavailable': '2' });
  expect(contents()).toBe('aaa');
  await expect(take('web/0')).rejects.toThrow(
    'unit "web/0" is to have other resources of charm local:web-0 now',
  );
  expect(await advance()).toBe('release');
  expect(batch()).toEqual(['web/0', 'web/1']);
  expect(contents(), 'no agent has taken it yet').toBe('aaa');
  expect(await advance()).toBe('wait');
  await take('web/0');
  expect(contents()).toBe('baa');
  expect(await callers.call('Rollouts', 'Get', { application: 'web' })).toMatchObject({
    charm: charmUrl,
    rollout: {
      from: charmUrl,
      to: charmUrl,
      resources: ['data'],
      upgraded: 1,
      total: 3,
      message: 'batch 1: unit web/0 has an agent that is lost',
    },
  });
  await take('web/1');
  await expect(attach('c')).rejects.toThrow(
    'cannot change resource "data" of application "web": the refresh to resource data is rolling; end it first',
  );
  const [added] = await callers.change((tx) => addUnits(tx, { application: 'web', count: 1, placement: [] }));
  expect(added!.unit).toBe('web/3');
  expect(contents()).toBe('bbab');
  expect(await advance()).toBe('release');
  expect(batch()).toEqual(['web/2']);
  await take('web/2');
  expect(await advance()).toBe('finish');
  expect(application()).not.toHaveProperty('rollout');
  expect(contents()).toBe('bbbb');
  await attach('c');
  expect(contents()).toBe('cccc');
});

test('a rollback returns units to the former content, and no version is used again', async () => {
  const first = version();
  await begin('b', { 'pause-after-canary': true });
  await advance();
  await take('web/0');
  expect(await advance()).toBe('pause');
  const second = version();
  await act('Rollback');
  expect(version()).toBe(first);
  expect(batch(), 'the unit that has the new content returns at once').toEqual(['web/0']);
  expect(contents()).toBe('baa');
  await expect(take('web/0', second)).rejects.toThrow('is to have other resources');
  await take('web/0');
  expect(contents()).toBe('aaa');
  expect(await advance()).toBe('finish');
  await attach('c');
  expect(version()).toBe(second + 1);
});

test('a unit that was released and has taken nothing when the roll-out is rolled back never gets the content', async () => {
  await begin('b');
  await advance();
  expect(batch()).toEqual(['web/0']);
  // A hook that began before the unit takes the content may ask for it.
  expect(contents()).toBe('aaa');
  await act('Rollback');
  expect(batch(), 'it runs no upgrade-charm again').toEqual([]);
  expect(contents()).toBe('aaa');
});

test('after an abort another content goes on where the first began, and attach-resource ends it', async () => {
  await begin('b');
  await advance();
  await take('web/0');
  await act('Abort');
  expect(contents()).toBe('baa');
  await begin('c', { 'max-unavailable': '3' });
  expect(contents(), 'the content that the first unit had is gone').toBe('caa');
  expect(await advance()).toBe('release');
  expect(batch()).toEqual(['web/0', 'web/1', 'web/2']);
  await act('Abort');
  await attach('d');
  expect(application()).not.toHaveProperty('rollout');
  expect(contents()).toBe('ddd');
});

test('a content that the application has is not rolled out, and no content is while units keep other charms', async () => {
  await expect(begin('a')).rejects.toThrow('has charm "local:web-0" already: nothing to roll out');
  await callers.call('Rollouts', 'Begin', { application: 'web', 'charm-url': 'local:web-1' });
  await act('Abort');
  await expect(begin('b', { 'charm-url': 'local:web-1' })).rejects.toThrow(
    'units of application "web" keep other charms since a refresh was aborted: refresh them first (refresh web --switch local:web-1 --rolling)',
  );
});

test('a content that is attached in the middle of a roll-out of a charm stirs no held unit when it is rolled back', async () => {
  const first = version();
  await callers.call('Rollouts', 'Begin', { application: 'web', 'charm-url': 'local:web-1' });
  await advance();
  await attach('b');
  expect(version()).toBe(first + 1);
  await act('Rollback');
  expect(contents()).toBe('aaa');
  expect(version()).toBe(first);
});

test('a dry run names the content and the batches', async () => {
  const resources = { data: { fingerprint: 'b'.repeat(96), size: 7 } };
  const rolling = { 'max-unavailable': '2', 'wait-for': '', 'pause-after-canary': false };
  const planned: RefreshPlan = await callers.call('Rollouts', 'Plan', {
    application: 'web',
    'charm-url': charmUrl,
    resources,
    rolling,
  });
  expect(planned.changes).toEqual([
    {
      part: 'resource',
      name: 'data',
      from: `1 bytes, SHA-384 ${'a'.repeat(12)}`,
      to: `7 bytes, SHA-384 ${'b'.repeat(12)}`,
    },
  ]);
  expect(planned.units.map(({ name }) => name)).toEqual(['web/0', 'web/1', 'web/2']);
  expect(planned.rollout?.batches.map(({ units }) => units)).toEqual([['web/0', 'web/1'], ['web/2']]);
  expect(contents()).toBe('aaa');
});
