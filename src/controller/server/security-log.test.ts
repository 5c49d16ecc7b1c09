import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { systemStarted } from '../../core/access/security-events.ts';
import { limits } from '../../core/limits.ts';
import { createLog, type LogRecord } from '../../kit/log.ts';
import { startApiServer, testModel, type ApiServer } from '../../testing/api-server.ts';
import { ManualClock } from '../../testing/manual-clock.ts';
import { facades } from '../facades/index.ts';
import { SecurityLog } from './security-log.ts';

interface Event {
  readonly event: string;
  readonly remote?: string;
  readonly notLogged?: number;
}
const eventsOf = (records: readonly LogRecord[]): Event[] =>
  records
    .filter(({ module }) => module === 'grigri.security')
    .map(({ message }) => JSON.parse(message) as Event);

function start() {
  const clock = new ManualClock();
  const records: LogRecord[] = [];
  const log = createLog(
    'test',
    (record) => records.push(record),
    () => clock.now(),
  );
  const security = new SecurityLog(clock, log);
  const failFrom = (address: string): void =>
    security.loginFailed({ tag: 'user-bob', address, reason: 'wrong' });
  return { clock, records, security, failFrom, events: () => eventsOf(records) };
}

test('failed logins of an address are logged up to a rate, and the next record says how many were left out', () => {
  const { clock, events, failFrom } = start();
  const { max } = limits.failedLoginLinesOfAddress;
  for (let i = 0; i < max + 5; i++) failFrom('10.0.0.1');
  expect(events()).toHaveLength(max);
  clock.advance(60_000);
  failFrom('10.0.0.1');
  failFrom('10.0.0.1');
  expect(events().slice(-2)).toMatchObject([
    { event: 'authn_login_fail:bob', remote: '10.0.0.1', notLogged: 5 },
    { event: 'authn_login_fail:bob' },
  ]);
  expect(events().at(-1)).not.toHaveProperty('notLogged');
});

test('failed logins of many addresses are logged up to a rate', () => {
  const { events, failFrom } = start();
  const { max } = limits.failedLoginLines;
  for (let i = 0; i < 2 * max; i++) failFrom(`10.0.0.${i}`);
  expect(events()).toHaveLength(max);
});

test('logins and refusals of a caller are logged up to a rate, those of others and of the system are not lost', () => {
  const { events, security } = start();
  const { max } = limits.securityLinesOfCaller;
  for (let i = 0; i < max; i++) {
    security.loginSucceeded('bob', '10.0.0.1');
    security.accessRefused({ tag: 'user-bob', what: 'Application.Deploy', address: '10.0.0.1' });
  }
  expect(events()).toHaveLength(max);
  security.loginSucceeded('mary', '10.0.0.2');
  security.note(systemStarted);
  expect(events().slice(max)).toMatchObject([
    { event: 'authn_login_success:mary', notLogged: max },
    { event: 'sys_startup:controller' },
  ]);
});

test('the first events of a change that concerns many are logged, and the rest is counted', () => {
  const { events, security } = start();
  const { max } = limits.securityLinesOfCommit;
  const changes = Array.from({ length: max + 7 }, (_, i) => ({
    space: '',
    kind: 'access' as const,
    id: `u${i} m`,
    before: { user: `u${i}`, model: 'm', access: 'read' as const },
    after: undefined,
  }));
  security.changed({ revision: 1, at: '', by: 'user-admin', changes });
  expect(events()).toHaveLength(max);
  security.note(systemStarted);
  expect(events().at(-1)).toMatchObject({ notLogged: 7 });
});

let api: ApiServer;
beforeAll(async () => (api = await startApiServer({ facades })));
afterAll(() => api.stop());
/** Number of records before the test. */
let earlier = 0;
beforeEach(() => void (earlier = api.records.length));
const apiEvents = (): string[] => eventsOf(api.records.slice(earlier)).map(({ event }) => event);

test('logins, and refusals to logged-in users, are logged without passwords', async () => {
  await api.store.change((tx) => {
    const admin = tx.get('user', 'admin')!;
    tx.put('user', 'eve', { ...admin, name: 'eve', access: 'login' });
    tx.put('access', `eve ${testModel}`, { user: 'eve', model: testModel, access: 'read' });
  }, 'test');
  const client = await api.open(`/model/${testModel}/api`);
  const login = (credentials: string) =>
    client.call('Admin', 3, 'Login', { 'auth-tag': 'user-eve', credentials });
  await login('not this');
  await login('sesame');
  await client.call('Annotations', 2, 'Set', { annotations: [{ entity: 'x', annotations: {} }] });
  await client.call('Client', 8, 'FullStatus', { patterns: [] });
  await client.call('KeyManager', 1, 'AddKeys', { user: 'eve', 'ssh-keys': ['x'] });
  expect(apiEvents()).toEqual([
    'authn_login_fail:eve',
    'authn_login_success:eve',
    'authz_fail:eve,Annotations.Set',
    'authz_fail:eve,KeyManager.AddKeys',
  ]);
  expect(JSON.stringify(api.records)).not.toMatch(/not this|sesame/);
});

test('a result that is refused counts as its request, and so does a request over HTTP', async () => {
  const client = await api.open('/api');
  await client.call('Admin', 3, 'Login', { 'auth-tag': 'user-eve', credentials: 'sesame' });
  await client.call('UserManager', 3, 'UserInfo', {
    entities: [{ tag: 'user-admin' }],
    'include-disabled': false,
  });
  const basic = Buffer.from('user-eve:sesame').toString('base64');
  const { status } = await api.http('POST', `/model/${testModel}/charms?series=noble&secret=x`, {
    headers: { authorization: `Basic ${basic}` },
  });
  expect(status).toBe(401);
  expect(apiEvents()).toEqual([
    'authn_login_success:eve',
    'authz_fail:eve,UserManager.UserInfo',
    'authn_login_success:eve',
    `authz_fail:eve,POST /model/${testModel}/charms`,
  ]);
});
