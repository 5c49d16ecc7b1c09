import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  basicHeader,
  controllerModel,
  machineNonce,
  machineSecret,
  startApiServer,
  testModel,
  type ApiClient,
  type ApiServer,
} from '../../testing/api-server.ts';
import { setControllerConfig } from '../transactions/set/set-controller-config.ts';

let api: ApiServer;
const path = `/model/${testModel}/log`;
const append = (model: string, ...messages: string[]): void =>
  api.services.logs.append(
    model,
    messages.map((msg, i) => ({
      ts: `2026-01-01T00:00:0${i}.000000001Z`,
      tag: 'unit-a-0',
      sev: i % 2 ? 'ERROR' : 'INFO',
      mod: 'juju.worker',
      loc: 'x.ts:1',
      msg,
    })),
  );
beforeAll(async () => {
  api = await startApiServer();
  append(testModel, 'one', 'two', 'three', 'four');
  append(controllerModel, 'of the controller');
});
afterAll(() => api.stop());

const open = (query: string, user = 'reader', at = path): Promise<ApiClient> =>
  api.open(`${at}?${query}`, basicHeader(`user-${user}`));
async function messages(client: ApiClient, count: number): Promise<string[]> {
  const found: string[] = [];
  while (found.length < count) found.push((JSON.parse(await client.next()) as { msg: string }).msg);
  return found;
}

it('the socket begins with {} and sends lines as Juju writes them', async () => {
  const client = await open('replay=true&noTail=true');
  expect(await client.next()).toBe('{}\n');
  expect(JSON.parse(await client.next())).toEqual({
    tag: 'unit-a-0',
    ts: '2026-01-01T00:00:00.000000001Z',
    sev: 'INFO',
    mod: 'juju.worker',
    loc: 'x.ts:1',
    msg: 'one',
    lab: null,
  });
  expect(await messages(client, 3)).toEqual(['two', 'three', 'four']);
  await client.closed;
});

it('the newest matching lines are sent', async () => {
  const client = await open('maxLines=1&noTail=true&level=ERROR');
  await client.next();
  expect(await messages(client, 1)).toEqual(['four']);
  await client.closed;
});

it('the oldest lines of a replay are sent', async () => {
  const client = await open('maxLines=2&replay=true&noTail=true');
  await client.next();
  expect(await messages(client, 2)).toEqual(['one', 'two']);
  await client.closed;
});

it('new lines follow, each of them once', async () => {
  const client = await open('backlog=1');
  await client.next();
  expect(await messages(client, 1)).toEqual(['four']);
  append(testModel, 'five', 'six');
  expect(await messages(client, 2)).toEqual(['five', 'six']);
  client.socket.close();
  await client.closed;
});

it("the controller's own log is shown to its superuser", async () => {
  const client = await open('replay=true&noTail=true', 'admin', '/log');
  await client.next();
  expect(await messages(client, 1)).toEqual(['of the controller']);
});

it.each([
  ['a stranger', path, basicHeader('user-stranger'), 'unauthorized access'],
  ['a reader of another model', '/log', basicHeader('user-reader'), 'unauthorized access'],
  ['a wrong password', path, basicHeader('user-reader', 'guess'), 'unauthorized access'],
  ['nobody', path, {}, 'no credentials provided'],
  [
    'an agent',
    path,
    { ...basicHeader('machine-0', machineSecret), 'X-Juju-Nonce': machineNonce },
    'unauthorized access',
  ],
  ['an unknown model', '/model/nonsense/log', basicHeader('user-admin'), 'model not found'],
  ['a bad query', `${path}?level=LOUD`, basicHeader('user-reader'), 'bad request'],
])('the socket tells %s what is wrong and closes', async (_name, at, headers, code) => {
  const client = await api.open(at, headers);
  expect(JSON.parse(await client.next())).toMatchObject({ error: { code } });
  await client.closed;
});

it('a reader who waits for new lines is disconnected after max-debug-log-duration', async () => {
  const set = (value: string): Promise<void> =>
    api.store.change((tx) => setControllerConfig(tx.in(''), { 'max-debug-log-duration': value }), 'test');
  await set('100ms');
  const client = await open('replay=true');
  await set('24h');
  await client.next();
  expect(await messages(client, 4)).toHaveLength(4);
  expect(await client.closed).toBe(1005);
});
