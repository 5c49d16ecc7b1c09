/** The rate of agents' logins, and other settings of the controller that count at once. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import {
  machineNonce,
  machineSecret,
  startApiServer,
  testModel,
  type ApiServer,
} from '../../testing/api-server.ts';
import { createCallers } from '../../testing/call.ts';
import { ManualClock } from '../../testing/manual-clock.ts';
import { setControllerConfig } from '../transactions/set/set-controller-config.ts';
import { AgentLogins } from './agent-logins.ts';

let api: ApiServer;
beforeAll(async () => (api = await startApiServer()));
afterAll(() => api.stop());
beforeEach(() => configure({ 'agent-ratelimit-max': 0, 'public-dns-address': '' }));

const configure = (values: Record<string, unknown>): Promise<void> =>
  api.store.change((tx) => setControllerConfig(tx.in(''), values), 'test');

async function logIn(who: object): Promise<{ response?: unknown; error?: string; 'error-code'?: string }> {
  const client = await api.open(`/model/${testModel}/api`);
  return client.call('Admin', 3, 'Login', who);
}
const agent = { 'auth-tag': 'machine-0', credentials: machineSecret, nonce: machineNonce };
const admin = { 'auth-tag': 'user-admin', credentials: 'sesame' };

test('the bucket lets in as many logins as it holds, and one more each time; a size of 0 lets in all', async () => {
  await using callers = await createCallers();
  const { store } = callers;
  const clock = new ManualClock();
  const logins = new AgentLogins(store, clock);
  const take = (count: number): number => {
    let taken = 0;
    for (let i = 0; i < count; i++)
      try {
        logins.take();
        taken++;
      } catch (error) {
        expect(error).toMatchObject({ code: 'try again' });
      }
    return taken;
  };
  const set = (values: object): Promise<void> =>
    store.change((tx) => setControllerConfig(tx.in(''), { ...values }), 'test');
  expect(take(1000)).toBe(1000);
  await set({ 'agent-ratelimit-max': 3, 'agent-ratelimit-rate': '2s' });
  expect(take(10)).toBe(3);
  clock.advance(1000);
  expect(take(10)).toBe(0);
  clock.advance(1000);
  expect(take(10)).toBe(1);
  clock.advance(3_600_000);
  expect(take(10)).toBe(3);
  await set({ 'agent-ratelimit-max': 5 });
  expect(take(10)).toBe(2);
});

test('agents over the rate are asked to try again, while users and agents without the password take nothing of the rate', async () => {
  await configure({ 'agent-ratelimit-max': 1, 'agent-ratelimit-rate': '1m' });
  for (let i = 0; i < 3; i++)
    expect(await logIn({ ...agent, credentials: 'wrong' })).toMatchObject({
      'error-code': 'unauthorized access',
    });
  expect(await logIn(agent)).toHaveProperty('response');
  expect(await logIn(agent)).toMatchObject({ 'error-code': 'try again' });
  for (let i = 0; i < 3; i++) expect(await logIn(admin)).toHaveProperty('response');
});

test('a login tells the public name that the controller has', async () => {
  await configure({ 'public-dns-address': 'ctrl.example.com' });
  expect(await logIn(admin)).toMatchObject({ response: { 'public-dns-name': 'ctrl.example.com' } });
});
