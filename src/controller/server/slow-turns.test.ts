import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { TurnWatch, type SlowWork } from '../../kit/turn-watch.ts';
import { password, startApiServer, testModel, type ApiServer } from '../../testing/api-server.ts';
import type { FacadeSpec } from '../../wire/facade-spec.ts';
import type { FacadeTable } from '../facade.ts';

const nothing = z.object({});
const spec = {
  name: 'Work',
  versions: [1],
  on: 'model',
  methods: {
    Long: { params: nothing, result: nothing },
    Short: { params: nothing, result: nothing },
    Bulk: { params: nothing, result: nothing },
  },
} as const satisfies FacadeSpec;

const limitMs = 60;
/** Burns this thread's processor time, however long others leave it waiting. */
function burn(ms: number): void {
  const spent = (): number => process.threadCpuUsage().user + process.threadCpuUsage().system;
  for (const first = spent(); spent() - first < ms * 1000;);
}
const work: FacadeTable<typeof spec> = {
  Long: { needs: 'model-read', run: () => (burn(1.5 * limitMs), {}) },
  Short: { needs: 'model-read', run: () => ({}) },
  Bulk: {
    needs: 'model-read',
    run: async () => {
      for (let n = 0; n < 15; n++) {
        burn(limitMs / 10);
        await Promise.resolve();
      }
      return {};
    },
  },
};

const slow: SlowWork[] = [];
let api: ApiServer;
beforeAll(async () => {
  const turns = new TurnWatch({ limitMs, onSlow: (one) => slow.push(one) });
  api = await startApiServer({ facades: [{ spec, table: work }], turns });
});
afterAll(() => api.stop());

async function called(method: string): Promise<SlowWork[]> {
  const client = await api.open(`/model/${testModel}/api`);
  await client.login('user-reader', password);
  slow.length = 0;
  await client.call('Work', 1, method, {});
  await nextTurn();
  return slow.filter(({ name }) => name.startsWith('Work.'));
}

test.each(['Long', 'Bulk'])(
  'a method that takes long in one turn (%s) is told with facade, method and user',
  async (method) => {
    expect(await called(method)).toMatchObject([{ name: `Work.${method}`, by: 'user-reader', count: 1 }]);
  },
);

test('a method that takes no time is not counted', async () => {
  expect(await called('Short')).toEqual([]);
});

test('slow work is counted by name, and shown to superusers only', async () => {
  await called('Long');
  const path = '/introspection/slow-turns';
  const answer = await api.http('GET', path, { auth: `user-admin:${password}` });
  const { 'slow-turns': counted } = JSON.parse(answer.body.toString()) as {
    'slow-turns': { work: string; count: number }[];
  };
  expect(counted.find((one) => one.work === 'Work.Long')?.count).toBeGreaterThan(0);
  expect((await api.http('GET', path, { auth: `user-reader:${password}` })).status).toBe(401);
  expect((await api.http('GET', path)).status).toBe(401);
});
