/** The audit log of real sessions. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { limits } from '../../core/limits.ts';
import { startApiServer, testModel, type ApiClient, type ApiServer } from '../../testing/api-server.ts';
import { facades } from '../facades/index.ts';

let api: ApiServer;
const lines: string[] = [];
beforeAll(async () => {
  api = await startApiServer({ facades, audit: { append: (line) => lines.push(line) > 0 } });
});
afterAll(() => api.stop());
beforeEach(async () => {
  lines.length = 0;
  await configure({});
});

const configure = (config: Record<string, unknown>): Promise<void> =>
  api.store.change((tx) => {
    const root = tx.in('');
    root.put('controller', 'self', { ...root.get('controller', 'self')!, config });
  }, 'test');

async function connect(path = `/model/${testModel}/api`): Promise<ApiClient> {
  const client = await api.open(path);
  await client.call('Admin', 3, 'Login', {
    'auth-tag': 'user-admin',
    credentials: 'sesame',
    'cli-args': 'juju config x',
  });
  return client;
}
const records = (): Record<string, Record<string, unknown>>[] =>
  lines.map((line) => JSON.parse(line) as Record<string, Record<string, unknown>>);
const kinds = (): string[] => records().flatMap((record) => Object.keys(record));
const set = (client: ApiClient, annotations: object = { a: 'b' }) =>
  client.call('Annotations', 2, 'Set', { annotations: [{ entity: `model-${testModel}`, annotations }] });

test('a conversation, its requests and its errors are written as Juju writes them', async () => {
  const client = await connect();
  await client.call('Pinger', 1, 'Ping');
  expect(lines).toEqual([]);
  await set(client);
  await client.call('Annotations', 2, 'Set', { annotations: [{ entity: 'x', annotations: {} }] });
  await client.call('Nothing', 1, 'Here');
  const [first, ...rest] = records();
  expect(first).toEqual({
    conversation: {
      who: 'admin',
      what: 'juju config x',
      when: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/) as string,
      'model-name': 'test',
      'model-uuid': testModel,
      'conversation-id': expect.stringMatching(/^[0-9a-f]{16}$/) as string,
      'connection-id': expect.stringMatching(/^[0-9A-F]+$/) as string,
      remote: expect.any(String) as string,
    },
  });
  const ids = {
    'conversation-id': first!['conversation']!['conversation-id'],
    'connection-id': first!['conversation']!['connection-id'],
  };
  expect(rest).toMatchObject([
    { request: { ...ids, facade: 'Pinger', method: 'Ping', version: 1 } },
    { errors: { ...ids, errors: null } },
    { request: { ...ids, facade: 'Annotations', method: 'Set', version: 2 } },
    { errors: { ...ids, errors: null } },
    { request: { ...ids, facade: 'Annotations', method: 'Set' } },
    { errors: { ...ids, errors: [{ message: '"x" is not a valid tag', code: '' }] } },
    { request: { facade: 'Nothing', method: 'Here' } },
    {
      errors: {
        errors: [{ message: expect.stringContaining('unknown') as string, code: 'not implemented' }],
      },
    },
  ]);
  expect(rest[0]!['request']).not.toHaveProperty('args');
});

test('an error inside the error of a result, as of annotations, is recorded', async () => {
  const client = await connect();
  await set(client);
  const { response } = await client.call('Annotations', 2, 'Get', { entities: [{ tag: 'x' }] });
  expect(response).toHaveProperty('results');
  expect(records().at(-1)).toMatchObject({ errors: { errors: [{ message: '"x" is not a valid tag' }] } });
});

test('a connection that only reads leaves no record; a change of the excluded methods counts at once', async () => {
  const client = await connect();
  await client.call('Client', 8, 'FullStatus', { patterns: [] });
  expect(lines).toEqual([]);
  await configure({ 'audit-log-exclude-methods': ['Annotations.Set'] });
  await set(client);
  expect(lines).toEqual([]);
  await client.call('Client', 8, 'FullStatus', { patterns: [] });
  expect(kinds()[0]).toBe('conversation');
});

test('nothing is written while auditing is disabled', async () => {
  const client = await connect();
  await configure({ 'auditing-enabled': false });
  await set(client);
  expect(lines).toEqual([]);
});

test('arguments are written when the operator asks for them, without passwords and cut', async () => {
  await configure({ 'audit-log-capture-args': true });
  const client = await connect();
  await set(client, { long: 'x'.repeat(limits.auditWords.max) });
  const controller = await connect('/api');
  await controller.call('UserManager', 3, 'SetPassword', {
    changes: [{ tag: 'user-nobody', password: 'hunter2' }],
  });
  const args = records().flatMap(({ request }) => (request ? [request['args'] as string] : []));
  expect(args[0]).toHaveLength(limits.auditWords.max);
  expect(args[1]).toBe('*****');
  expect(lines.join('')).not.toContain('hunter2');
});

test('a connection that only reads holds back few records', async () => {
  const client = await connect();
  for (let i = 0; i < limits.auditHeld.max; i++) await client.call('Pinger', 1, 'Ping');
  await set(client);
  expect(kinds()[0]).toBe('conversation');
  expect(lines.length).toBeLessThanOrEqual(limits.auditHeld.max + 1);
});
