/** Tests of the answers of removals, as Juju's clients read them. */
import { attachedTo, storageDoc } from '../../../testing/storage-doc.ts';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createCallers, type Callers } from '../../../testing/call.ts';
import { addRelation } from '../../transactions/begin/add-relation.ts';
import { enterScope } from '../../transactions/agent/enter-scope.ts';
import { unitDeployed } from '../../transactions/agent/unit-agent.ts';
import { deployUnits } from '../../../testing/deploy-units.ts';

let callers: Callers;
beforeEach(async () => {
  callers = await createCallers();
  await callers.addCharm('web');
  await callers.addCharm('log', {
    subordinate: true,
    requires: { info: { interface: 'juju-info', scope: 'container' } },
  });
  await callers.change((tx) => {
    deployUnits(tx, 'web', 1);
    deployUnits(tx, 'log', 0);
    addRelation(tx, { endpoints: ['log', 'web'] });
    unitDeployed(tx, 'web/0');
    enterScope(tx, { unit: 'web/0', relation: '0' });
    for (const [storage, detachable] of [
      ['data/0', true],
      ['tmp/1', false],
    ] as const)
      tx.put('storage', storage, storageDoc(storage, { ...attachedTo('web/0'), detachable }));
    const machine = tx.get('machine', '0')!;
    tx.put('machine', '0/lxd/0', { ...machine, id: '0/lxd/0', parent: '0' });
    tx.put('unit', 'web/1', { ...tx.get('unit', 'web/0')!, name: 'web/1', machine: '0/lxd/0' });
  });
});
afterEach(() => callers[Symbol.asyncDispose]());

const tags = (...names: string[]): { tag: string }[] => names.map((tag) => ({ tag }));
const storage = { 'destroyed-storage': tags('storage-tmp-1'), 'detached-storage': tags('storage-data-0') };

test('DestroyApplication names units, their subordinates and their storage', async () => {
  const destroy = (more: object): Promise<unknown> =>
    callers.call('Application', 'DestroyApplication', {
      applications: [{ 'application-tag': 'application-web', 'dry-run': true, ...more }],
    });
  const units = { 'destroyed-units': tags('unit-web-0', 'unit-log-0', 'unit-web-1') };
  // The subordinate then has no principal left.
  const requirements = { pending: [{ application: 'log' }] };
  expect(await destroy({})).toMatchObject({ results: [{ info: { ...units, ...storage }, requirements }] });
  expect(await destroy({ 'destroy-storage': true })).toMatchObject({
    results: [{ info: { ...units, 'destroyed-storage': tags('storage-data-0', 'storage-tmp-1') } }],
  });
});

test('DestroyUnit names storage; Juju’s result has no place for units', async () => {
  const units = [{ 'unit-tag': 'unit-web-0', 'dry-run': true }];
  expect(await callers.call('Application', 'DestroyUnit', { units })).toEqual({
    results: [{ info: storage }],
  });
});

test('DestroyMachineWithParams names what is on the machine and in its containers', async () => {
  const params = { 'machine-tags': ['machine-0'], force: true, 'dry-run': true };
  expect(await callers.call('MachineManager', 'DestroyMachineWithParams', params)).toMatchObject({
    results: [
      {
        info: {
          'machine-id': '0',
          'destroyed-units': tags('unit-web-0', 'unit-log-0'),
          'destroyed-containers': [
            { info: { 'machine-id': '0/lxd/0', 'destroyed-units': tags('unit-web-1') } },
          ],
          ...storage,
        },
      },
    ],
  });
});

test('the effects of force are reported, where force has any', async () => {
  const units = [{ 'unit-tag': 'unit-web-0', force: true, 'max-wait': 5e9, 'dry-run': true }];
  expect(await callers.call('Application', 'DestroyUnit', { units })).toMatchObject({
    results: [
      {
        warnings: [
          'remaining entities are removed at 2026-01-01T00:00:05.000Z without waiting for agents:',
          'removed without stop and remove hooks: web/0',
          expect.stringMatching(/^removed from relation "log:info web:juju-info" without/),
          'storage detached: data/0, tmp/1',
        ],
      },
    ],
  });
  const relation = { endpoints: ['log', 'web'], 'relation-id': 0, force: true, 'max-wait': 0 };
  expect(await callers.call('Application', 'DestroyRelation', relation)).toMatchObject({
    warnings: ['removed from relation "log:info web:juju-info" without departed and broken hooks: web/0'],
  });
});

test('a relation is found by both of its endpoints, and not by the same endpoint named twice', async () => {
  await expect(
    callers.call('Application', 'DestroyRelation', { endpoints: ['web', 'web'], 'relation-id': 0 }),
  ).rejects.toThrow(/^no relations found/);
  expect(callers.view().get('relation', '0')?.life).toBe('alive');
});

test('the deadline of a forced model is its max-wait, else its timeout', async () => {
  const uuid = callers.model;
  const destroy = (more: object): Promise<unknown> =>
    callers.call('ModelManager', 'DestroyModels', {
      models: [{ 'model-tag': `model-${uuid}`, force: true, 'destroy-storage': true, ...more }],
    });
  const deadline = (): string | undefined => callers.store.read().get('model', uuid)?.force?.deadline;
  await destroy({});
  expect(deadline()).toBe('2026-01-01T00:01:00.000Z');
  await destroy({ timeout: 20e9 });
  expect(deadline()).toBe('2026-01-01T00:00:20.000Z');
  await destroy({ timeout: 20e9, 'max-wait': 0 });
  expect(deadline()).toBe('2026-01-01T00:00:00.000Z');
});
