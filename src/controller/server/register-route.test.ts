/** Registration over HTTPS, with the bytes that clients send. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { limits } from '../../core/limits.ts';
import { openBox, sealBox } from '../../kit/secretbox.ts';
import { startApiServer, type ApiServer } from '../../testing/api-server.ts';
import { facades } from '../facades/index.ts';
import { setUserDisabled } from '../transactions/set/set-user.ts';

let api: ApiServer;
beforeAll(async () => {
  api = await startApiServer({ facades, validate: true });
});
afterAll(() => api.stop());

let users = 0;
let user: string;
let key: Buffer;
beforeEach(async () => {
  user = `user${++users}`;
  key = await addUser(user);
});

async function addUser(username: string): Promise<Buffer> {
  const admin = await api.open('/api');
  await admin.login('user-admin');
  const { response } = await admin.call('UserManager', 3, 'AddUser', {
    users: [{ username, 'display-name': '' }],
  });
  const { results } = response as { results: { 'secret-key': string }[] };
  return Buffer.from(results[0]!['secret-key'], 'base64');
}

interface Body {
  readonly user?: string;
  readonly nonce?: string;
  readonly 'cipher-text'?: string;
}
const sealed = (text: string, by = key): Body => {
  const { nonce, box } = sealBox(by, text);
  return { user: `user-${user}`, nonce: nonce.toString('base64'), 'cipher-text': box.toString('base64') };
};
const passwordBody = (password: string): Body => sealed(JSON.stringify({ password }));

async function post(body: Body | string): Promise<{ status: number; body: Record<string, unknown> }> {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const answer = await api.http('POST', '/register', { body: Buffer.from(text) });
  return { status: answer.status, body: JSON.parse(answer.body.toString()) as Record<string, unknown> };
}

async function loginError(password: string): Promise<string | undefined> {
  const client = await api.open('/api');
  return (await client.login(`user-${user}`, password)).error;
}

test('a registration sets the password, and proves the controller by an answer with the same key', async () => {
  expect(await loginError('x')).toBe('invalid entity name or password');
  const sent = passwordBody('new');
  const { status, body } = await post(sent);
  expect(status).toBe(200);
  expect(body['nonce']).not.toBe(sent.nonce);
  const opened = openBox(
    key,
    Buffer.from(body['nonce'] as string, 'base64'),
    Buffer.from(body['cipher-text'] as string, 'base64'),
  );
  expect(JSON.parse(opened!)).toEqual({
    'ca-cert': api.caCert,
    'controller-uuid': api.store.read().in('').get('controller', 'self')?.uuid,
    'proxy-config': null,
  });
  expect(await loginError('new')).toBeUndefined();
});

test('a key counts once, also for two users who send it at the same time', async () => {
  const answers = await Promise.all([post(passwordBody('one')), post(passwordBody('two'))]);
  expect(answers.map(({ status }) => status).sort((a, b) => a - b)).toEqual([200, 404]);
  const winner = answers[0].status === 200 ? 'one' : 'two';
  expect(await loginError(winner)).toBeUndefined();
  expect(await post(passwordBody('three'))).toEqual({
    status: 404,
    body: { error: { code: 'not found', message: `secret key for user "${user}" not found` } },
  });
});

test.each<[string, () => Body | string, RegExp]>([
  ['no JSON', () => '{', /the body is not JSON/],
  ['another shape', () => '[1]', /cannot unmarshal/],
  ['no user', () => ({ ...passwordBody('x'), user: '' }), /not a valid tag/],
  [
    'a user that does not exist',
    () => ({ ...passwordBody('x'), user: 'user-nobody' }),
    /^secret key for user "nobody" not found$/,
  ],
  ['a short nonce', () => ({ ...passwordBody('x'), nonce: 'AAAA' }), /nonce not valid/],
  [
    'another key',
    () => sealed('{"password":"x"}', Buffer.alloc(32)),
    /^secret key for user "user[0-9]+" not found$/,
  ],
  [
    'another box',
    () => ({ ...passwordBody('x'), 'cipher-text': '' }),
    /^secret key for user "user[0-9]+" not found$/,
  ],
  ['a box without JSON', () => sealed('x'), /the body is not JSON/],
  ['an empty password', () => passwordBody(''), /cannot use an empty password/],
  ['a long password', () => passwordBody('x'.repeat(limits.password.max + 1)), /exceed the limit of 1024/],
  ['a long body', () => 'x'.repeat(limits.registration.max + 1), /exceed the limit of 16384/],
])('a registration with %s is refused, and the key still counts', async (_, body, message) => {
  const { status, body: answer } = await post(body());
  expect(status).toBeGreaterThanOrEqual(400);
  expect((answer['error'] as { message: string }).message).toMatch(message);
  expect((await post(passwordBody('good'))).status).toBe(200);
});

test('strangers do not learn which users there are, or which users are to register', async () => {
  const answers = new Set<string>();
  const other = Buffer.alloc(32, 1);
  for (const name of [user, user.toUpperCase(), 'admin', 'disabled', 'nobody']) {
    const { status, body } = await post({ ...sealed('{"password":"x"}', other), user: `user-${name}` });
    answers.add(`${status} ${JSON.stringify(body).replace(name, 'NAME')}`);
  }
  expect([...answers]).toEqual([
    '404 {"error":{"message":"secret key for user \\"NAME\\" not found","code":"not found"}}',
  ]);
});

test('a disabled user cannot register', async () => {
  await api.store.change((tx) => setUserDisabled(tx, { name: user, disabled: true }), 'test');
  expect((await post(passwordBody('x'))).status).toBe(401);
});
