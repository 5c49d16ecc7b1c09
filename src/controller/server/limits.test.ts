/** Default limits of a connection; those of addresses and logins are tested elsewhere. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { limits } from '../../core/limits.ts';
import { startApiServer, testModel, type ApiClient, type ApiServer } from '../../testing/api-server.ts';
import type { FacadeSpec, FacadeTable } from '../facade.ts';
import { z } from 'zod';
import { ConnectionWatchers } from './connection-resources.ts';
import { Appliers } from './appliers.ts';
import { WatchersOfRelations } from './watchers-of-relations.ts';

const spec = {
  name: 'Sample',
  versions: [1],
  on: 'model',
  methods: {
    Length: { params: z.object({ text: z.string() }), result: z.object({ length: z.number() }) },
    Wait: { params: z.object({}), result: z.object({}) },
  },
} as const satisfies FacadeSpec;
let release: (() => void)[] = [];
const table: FacadeTable<typeof spec> = {
  Length: { needs: 'login', run: (_call, { text }) => ({ length: text.length }) },
  Wait: { needs: 'login', run: () => new Promise((resolve) => release.push(() => resolve({}))) },
};

let api: ApiServer;
let client: ApiClient;
beforeEach(async () => {
  api = await startApiServer({ facades: [{ spec, table }] });
  client = await api.open(`/model/${testModel}/api`);
  await client.login('user-reader');
});
afterEach(async () => {
  for (const one of release.splice(0)) one();
  await api.stop();
});

const frame = (size: number): string => {
  const head = '{"request-id":7,"type":"Sample","version":1,"request":"Length","params":{"text":"';
  return `${head}${'x'.repeat(size - head.length - 3)}"}}`;
};

test('a request may be as large as the limit; a larger one is answered with an error', async () => {
  const { max } = limits.request;
  client.send(frame(max));
  expect((await client.nextFrame()).response).toMatchObject({ length: expect.any(Number) as number });
  client.send(frame(max + 1));
  expect(await client.nextFrame()).toMatchObject({
    'request-id': 7,
    error: `request: ${max + 1} bytes exceed the limit of ${max}`,
  });
});

test('a request may have as many values as the limit; one with more is answered with an error, unread', async () => {
  const { max } = limits.requestMarks;
  const marked = (count: number): string =>
    `{"request-id":7,"type":"Sample","version":1,"request":"Length","params":{"text":"a,b","more":[${'{},'.repeat(count)}0]}}`;
  const otherMarks = marked(0)
    .replace('a,b', '')
    .match(/[,:[{]/g)!.length;
  client.send(marked(Math.floor((max - otherMarks) / 2)));
  expect((await client.nextFrame()).error).toBeUndefined();
  client.send(marked(Math.floor((max - otherMarks) / 2) + 1));
  const { error, 'request-id': id } = await client.nextFrame();
  expect(id).toBe(7);
  expect(error).toMatch(/^values of a request: \d+ entries exceed the limit of 200000$/);
});

test('a message over the limit ends the connection unread', async () => {
  const { max } = limits.message;
  client.send(frame(max));
  expect((await client.nextFrame()).error).toContain('exceed the limit');
  client.send(frame(max + 1));
  expect(await client.closed).toBe(1009);
});

test('a connection has a maximum number of concurrent requests', async () => {
  const { max } = limits.concurrentRequests;
  const waiting = Array.from({ length: max }, () => client.call('Sample', 1, 'Wait'));
  expect((await client.call('Sample', 1, 'Wait')).error).toBe(
    'too many requests at a time on this connection',
  );
  for (const one of release.splice(0)) one();
  for (const { error } of await Promise.all(waiting)) expect(error).toBeUndefined();
});

const watcher = { next: () => Promise.resolve(), stop: () => undefined };

test('a connection has a maximum number of watchers', () => {
  const { max } = limits.watchersOfConnection;
  const watchers = new ConnectionWatchers(
    { watchersOfRelations: new WatchersOfRelations(), appliers: new Appliers() },
    '',
  );
  for (let n = 1; n <= max; n++) expect(watchers.register(watcher)).toBe(String(n));
  expect(() => watchers.register(watcher)).toThrow(
    'watchers of a connection: 1001 entries exceed the limit of 1000',
  );
  watchers.remove('7');
  expect(watchers.register(watcher)).toBe('1001');
});

test('a relation has a maximum number of watchers of other controllers, over all connections', () => {
  const { max } = limits.watchersOfRelation;
  const shared = { watchersOfRelations: new WatchersOfRelations(), appliers: new Appliers() };
  const [one, other] = [new ConnectionWatchers(shared, ''), new ConnectionWatchers(shared, '')];
  for (let n = 0; n < max; n++) (n % 2 === 0 ? one : other).register(watcher, 'r');
  const stop = vi.fn();
  const more = (): string => one.register({ ...watcher, stop }, 'r');
  expect(more).toThrow(
    `watchers of a relation by other controllers: ${max + 1} entries exceed the limit of ${max}`,
  );
  expect(stop).toHaveBeenCalledOnce();
  one.register(watcher, 'another');
  one.register(watcher);
  // A stopped watcher makes room for one other, even when it is stopped twice.
  one.remove('1');
  one.remove('1');
  more();
  expect(more).toThrow('exceed the limit');
  // A connection that ends makes room for as many watchers as it had.
  other.end();
  for (let n = 0; n < max / 2; n++) more();
  expect(more).toThrow('exceed the limit');
});
