import { afterEach, beforeEach, expect, test } from 'vitest';
import { createCallers, type Callers } from '../../testing/call.ts';
import { secretWorld, type SecretWorld } from '../../testing/secret-world.ts';
import { createSecret, settleRevision, updateSecret } from '../transactions/shared/secrets.ts';
import { secretRecord } from './agent-records.ts';
import { AgentSecrets } from './agent-secrets.ts';
import type { Dispatch } from './dispatch.ts';

let callers: Callers;
let world: SecretWorld;
beforeEach(async () => {
  callers = await createCallers();
  world = await secretWorld(callers);
});
afterEach(() => callers[Symbol.asyncDispose]());

const secret = (n: number): string => `${String(n).padStart(19, '0')}0`;
const add = (count: number): Promise<void> =>
  callers.change((tx) => {
    for (let n = 0; n < count; n++)
      createSecret(tx, { id: secret(n), owner: { kind: 'application', id: 'web' }, content: `k${n}` });
  });
/** A second revision makes the first one obsolete. */
const renew = (n: number): Promise<void> =>
  callers.change((tx) => {
    updateSecret(tx, tx.get('secret', secret(n))!, { content: `k${n}-2` });
    settleRevision(tx, secret(n), 1);
  });
const hold = (holder: string): Promise<void> =>
  callers.change((tx) => {
    const expires = new Date(Date.parse(tx.now) + 60_000).toISOString();
    tx.put('lease', 'web', { ...tx.get('lease', 'web')!, holder, expires } as never);
  });

/** Follows the secrets of a unit. Counts subscriptions, and keeps the news. */
function follow(unit: string): { subscribed: () => number; told: () => string[]; stop: () => void } {
  const { dispatch } = callers.context.services;
  let subscribed = 0;
  const counting = {
    ...dispatch,
    on: (...args: Parameters<Dispatch['on']>) => {
      subscribed += 1;
      const end = dispatch.on(...args);
      return () => {
        subscribed -= 1;
        end();
      };
    },
  } as Dispatch;
  let told: string[] = [];
  const secrets = new AgentSecrets(counting, callers.model, (key) => told.push(key));
  secrets.setUnits(callers.view(), [{ name: unit, application: 'web' }]);
  return {
    subscribed: () => subscribed,
    told: () => told.splice(0),
    stop: () => secrets.stop(),
  };
}

test('secrets of an application are followed by its leader, and cost its other units nothing', async () => {
  await add(50);
  await renew(3);
  const [leader, follower] = [follow('web/0'), follow('web/1')];
  expect(leader.told()).toEqual([`secret web/0 ${secret(3)}`]);
  expect(follower.told()).toEqual([]);
  expect(leader.subscribed()).toBeGreaterThan(50);
  expect(follower.subscribed()).toBeLessThan(5);
  await renew(4);
  expect([...new Set(leader.told())]).toEqual([`secret web/0 ${secret(4)}`]);
  expect(follower.told()).toEqual([]);
  leader.stop();
  follower.stop();
  expect([leader.subscribed(), follower.subscribed()]).toEqual([0, 0]);
});

test('a new leader is told what is due, and the former leader that this is not its concern any more', async () => {
  await add(5);
  await renew(3);
  const [before, after] = [follow('web/0'), follow('web/1')];
  before.told();
  expect(secretRecord(callers.view(), 'web/0', secret(3))).toMatchObject({ obsolete: [1] });
  await hold('web/1');
  expect(after.told()).toEqual([`secret web/1 ${secret(3)}`]);
  expect(before.told()).toEqual([`secret web/0 ${secret(3)}`]);
  expect(secretRecord(callers.view(), 'web/0', secret(3))).toBeNull();
  expect(secretRecord(callers.view(), 'web/1', secret(3))).toMatchObject({ obsolete: [1] });
  expect(before.subscribed()).toBeLessThan(5);
  // A renewed lease changes nothing.
  await hold('web/1');
  expect([before.told(), after.told()]).toEqual([[], []]);
});

test('a unit that does not lead is told of new revisions of its application’s secret by the owner’s label', async () => {
  const id = await world.add('web/0', { label: 'pw', content: { password: 'b25l' } });
  await world.read('web/1', { label: 'pw' });
  await world.hook('web/0', { update: [{ id, content: { password: 'dHdv' } }] });
  expect(secretRecord(callers.view(), 'web/1', id)).toMatchObject({
    label: 'pw',
    owner: '',
    tracked: 1,
    latest: 2,
  });
});
