import { expect, test } from 'vitest';
import { callers, prepareModel } from '../../../testing/action-calls.ts';
import type { Call } from '../../facade.ts';
import { mustGet } from '../../transactions/tx.ts';
import { ActionPlanner } from './action-planner.ts';

prepareModel();

const now = '2026-01-01T00:00:00.000Z';
const prepared = async (...receivers: string[]): Promise<ActionPlanner> => {
  const { services } = callers.context;
  const call = { services, read: () => callers.view() } as Pick<Call, 'services' | 'read'> as Call;
  const requests = receivers.map((receiver) => ({ receiver, name: 'backup', parameters: { file: 'f' } }));
  const planner = new ActionPlanner(call, requests);
  await planner.prepare();
  return planner;
};
const lead = (unit: string): Promise<void> =>
  callers.change((tx) =>
    tx.put('lease', 'app', { application: 'app', holder: unit, expiresAt: '2026-01-01T00:01:00Z' }),
  );

test('a plan that still holds is the one that was made before the transaction', async () => {
  const planner = await prepared('unit-app-0');
  expect(planner.plan(callers.view(), now)[0]).toBe(planner.plan(callers.view(), now)[0]);
});

test('an action is planned anew when its unit has got another charm since', async () => {
  const planner = await prepared('unit-app-0', 'unit-app-1');
  const charmUrl = await callers.addCharm('other', {}, { actions: {} });
  await callers.change((tx) => tx.put('unit', 'app/0', { ...mustGet(tx, 'unit', 'app/0'), charmUrl }));
  expect(planner.plan(callers.view(), now)).toMatchObject([
    { error: { message: 'action "backup" not defined on unit "app/0"' }, rejected: { name: 'app/0' } },
    { name: 'app/1', action: { name: 'backup' } },
  ]);
});

test('an action for the leader goes to the leader of the transaction', async () => {
  await lead('app/0');
  const planner = await prepared('app/leader');
  await lead('app/1');
  expect(planner.plan(callers.view(), now)).toMatchObject([{ name: 'app/1', action: { name: 'backup' } }]);
});

test('the receiver of an action is sought again in the transaction: it may have come since, or be gone', async () => {
  const planner = await prepared('app/leader', 'unit-app-1');
  await lead('app/0');
  await callers.change((tx) => tx.remove('unit', 'app/1'));
  expect(planner.plan(callers.view(), now)).toMatchObject([
    { name: 'app/0', action: { name: 'backup' } },
    { error: { message: 'unit "app/1" not found' } },
  ]);
});
