/** Logins by macaroons, with the requests that macaroon-bakery's clients send. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { limits } from '../../core/limits.ts';
import { boxKeys } from '../../kit/box.ts';
import { declared, timeBefore } from '../../kit/macaroon/conditions.ts';
import { macaroonFromJson, macaroonToJson } from '../../kit/macaroon/encode.ts';
import { addCondition, bind, mint, type Macaroon } from '../../kit/macaroon/macaroon.ts';
import { bakeryFromJson, sliceToText, type Slice } from '../../kit/macaroon/slices.ts';
import { encodeThirdPartyCaveat } from '../../kit/macaroon/third-party.ts';
import { sealBox } from '../../kit/secretbox.ts';
import { ManualClock } from '../../testing/manual-clock.ts';
import { password, startApiServer, testModel, type ApiServer } from '../../testing/api-server.ts';
import { facades } from '../facades/index.ts';
import { resetUserPassword, setUserDisabled, setUserPassword } from '../transactions/set/set-user.ts';

const day = 24 * 3_600_000;
let clock: ManualClock;
let api: ApiServer;
let users = 0;
let user: string;
beforeAll(async () => {
  clock = new ManualClock(Date.parse('2026-01-01T00:00:00Z'));
  api = await startApiServer({ facades, validate: true, clock });
});
afterAll(() => api.stop());
beforeEach(async () => {
  user = `user${++users}`;
  const { passwordHash } = api.store.read().in('').get('user', 'admin')!;
  await api.store.change(
    (tx) =>
      tx.put('user', user, {
        name: user,
        displayName: '',
        passwordHash,
        access: 'login',
        createdAt: tx.now,
        createdBy: 'admin',
        disabled: false,
      }),
    'test',
  );
});

interface LoginAnswer {
  readonly error: string | undefined;
  readonly identity: string | undefined;
  /** The macaroon that has to be discharged. */
  readonly required: unknown;
  readonly reason: string | undefined;
}

async function logIn(
  tag: string,
  slices: readonly Slice[] = [],
  { path = '/api', credentials = '', version = 0 } = {},
): Promise<LoginAnswer> {
  const client = await api.open(path);
  const { response, error } = await client.call('Admin', 3, 'Login', {
    'auth-tag': tag,
    credentials,
    macaroons: slices.map((slice) => slice.map(macaroonToJson)),
    'bakery-version': version,
  });
  client.socket.close();
  const result = (response ?? {}) as Record<string, unknown>;
  return {
    error,
    identity: (result['user-info'] as { identity: string } | undefined)?.identity,
    required: version >= 3 ? result['bakery-discharge-required'] : result['discharge-required'],
    reason: result['discharge-required-error'] as string | undefined,
  };
}

async function post(
  path: string,
  body: string,
  headers: Record<string, string> = {},
): Promise<{ status: number; headers: Record<string, unknown>; body: Record<string, unknown> }> {
  const answer = await api.http('POST', path, { body: Buffer.from(body), headers });
  return { ...answer, body: JSON.parse(answer.body.toString()) as Record<string, unknown> };
}

async function tokenFor(name: string, secret = password): Promise<string> {
  const { status, body } = await post(
    '/auth/form',
    JSON.stringify({ form: { user: name, password: secret } }),
  );
  expect({ status, body }).toMatchObject({ status: 200, body: { token: { kind: 'juju_userpass' } } });
  return (body['token'] as { value: string }).value;
}

const askDischarge = (macaroon: Macaroon, more: Record<string, string> = {}, headers = {}) =>
  post(
    '/auth/discharge',
    new URLSearchParams({ id64: macaroon.caveats.at(-1)!.id.toString('base64url'), ...more }).toString(),
    headers,
  );

/** A login's macaroon and its discharge, for who knows the password. */
async function sliceOf(
  name: string,
  { version = 0, token }: { version?: number; token?: string } = {},
): Promise<Slice> {
  const { required } = await logIn(`user-${name}`, [], { version });
  const { macaroon } = bakeryFromJson(required);
  const { status, body } = await askDischarge(macaroon, {
    'token-kind': 'juju_userpass',
    token64: token ?? (await tokenFor(name)),
  });
  expect({ status, body }).toMatchObject({ status: 200 });
  return [macaroon, bind(macaroon, bakeryFromJson(body['Macaroon']).macaroon)];
}

describe('a login by macaroons', () => {
  test.each([0, 3])('succeeds for who has shown the password, with macaroon-bakery %s', async (version) => {
    const slice = await sliceOf(user, { version });
    expect(await logIn(`user-${user}`, [slice])).toMatchObject({
      identity: `user-${user}`,
      error: undefined,
    });
    expect(await logIn('', [slice])).toMatchObject({ identity: `user-${user}` });
    expect(await logIn(`user-${user}@local`, [slice])).toMatchObject({ identity: `user-${user}` });
  });

  test('asks at the host that the client has dialled, for a user who need not exist', async () => {
    const { required, reason } = await logIn('user-nobody');
    const { caveats } = macaroonFromJson(required);
    expect(caveats.map(({ id, verificationId }) => (verificationId ? 'third party' : id.toString()))).toEqual(
      [timeBefore(clock.now() + day), 'third party'],
    );
    expect(caveats[1]!.location).toBe(`https://127.0.0.1:${api.server.port}/auth`);
    expect(reason).toBe('macaroon discharge required: no macaroons');
  });

  test('takes the first slice that counts, whatever stands before it', async () => {
    const other = [mint({ rootKey: Buffer.alloc(24), id: Buffer.from('x') })];
    expect(await logIn(`user-${user}`, [other, [], await sliceOf(user)])).toMatchObject({
      identity: `user-${user}`,
    });
  });

  test('a password wins over macaroons', async () => {
    const slice = await sliceOf(user);
    expect(await logIn(`user-${user}`, [slice], { credentials: 'wrong' })).toMatchObject({
      error: 'invalid entity name or password',
    });
    expect(await logIn('user-reader', [slice], { credentials: password })).toMatchObject({
      identity: 'user-reader',
    });
  });

  test('gives no access that the user has not', async () => {
    expect(
      await logIn(`user-${user}`, [await sliceOf(user)], { path: `/model/${testModel}/api` }),
    ).toMatchObject({ error: 'permission denied' });
    expect(
      await logIn('user-reader', [await sliceOf('reader')], { path: `/model/${testModel}/api` }),
    ).toMatchObject({ identity: 'user-reader' });
  });

  test('a client without name and macaroons has no credentials', async () => {
    expect(await logIn('')).toMatchObject({
      error: 'authentication failed: no credentials provided',
    });
  });

  test('users of other domains and names that nobody can have are refused', async () => {
    for (const name of ['bob@external', 'a b', 'x'.repeat(limits.userName.max + 1)])
      expect(await logIn(`user-${name}`)).toMatchObject({ error: 'invalid entity name or password' });
  });

  type Refused = readonly [string, (slice: Slice) => Promise<Slice> | Slice, RegExp];
  test.each<Refused>([
    ['without its discharge', (slice) => slice.slice(0, 1), /a discharge is missing/],
    [
      'with a discharge that is not bound',
      ([root, one]) => [root!, { ...one!, signature: root!.signature }],
      /signature/,
    ],
    ['of another user', () => sliceOf('reader'), /is for another user/],
    [
      'with another user declared',
      ([root, one]) => [addCondition(root!, declared('username', 'admin')), one!],
      /signature|declared/,
    ],
    [
      'with a condition that nobody knows',
      ([root, one]) => [root!, addCondition(one!, 'x')],
      /signature|condition/,
    ],
    [
      'of another controller',
      () => [mint({ rootKey: Buffer.alloc(24), id: Buffer.from('a 1 b login') })],
      /not of this controller/,
    ],
    ['with a discharge too many', (slice) => [...slice, slice[1]!], /not asked for/],
  ])('%s is to be discharged again', async (_what, change, reason) => {
    const answer = await logIn(`user-${user}`, [await change(await sliceOf(user))]);
    expect(answer.identity).toBeUndefined();
    expect(answer.reason).toMatch(reason);
    expect(answer.required).toBeDefined();
  });

  test('a condition that was added before the discharge was bound makes it a weaker one', async () => {
    const { required } = await logIn(`user-${user}`);
    const root = addCondition(macaroonFromJson(required), declared('username', 'admin'));
    const third = root.caveats.find(({ verificationId }) => verificationId)!;
    const { body } = await post(
      '/auth/discharge',
      new URLSearchParams({
        id64: third.id.toString('base64url'),
        'token-kind': 'juju_userpass',
        token64: await tokenFor(user),
      }).toString(),
    );
    const slice = [root, bind(root, bakeryFromJson(body['Macaroon']).macaroon)];
    for (const tag of [`user-${user}`, 'user-admin'])
      expect((await logIn(tag, [slice])).reason).toMatch(/declared in two ways/);
  });

  test('ends with its day', async () => {
    const slice = await sliceOf(user);
    clock.advance(day - 1);
    expect(await logIn(`user-${user}`, [slice])).toMatchObject({ identity: `user-${user}` });
    clock.advance(1);
    expect((await logIn(`user-${user}`, [slice])).reason).toMatch(/has expired/);
  });

  test.each<[string, (name: string) => Promise<unknown>, RegExp]>([
    [
      'another password',
      (name) =>
        api.store.change((tx) => {
          const { passwordHash } = tx.get('user', name)!;
          setUserPassword(tx, { name, passwordHash });
        }, 'test'),
      /of before a change of the password/,
    ],
    [
      'a reset of the password',
      (name) => api.store.change((tx) => resetUserPassword(tx, { name, registrationKey: 'k' }), 'test'),
      /of before a change of the password/,
    ],
    [
      'the end of the user',
      (name) => api.store.change((tx) => setUserDisabled(tx, { name, disabled: true }), 'test'),
      /./,
    ],
  ])('%s ends it', async (_what, change, reason) => {
    const slice = await sliceOf(user);
    const token = await tokenFor(user);
    clock.advance(1);
    await change(user);
    expect((await logIn(`user-${user}`, [slice])).reason).toMatch(reason);
    const { required } = await logIn(`user-${user}`);
    expect(
      await askDischarge(macaroonFromJson(required), { 'token-kind': 'juju_userpass', token64: token }),
    ).toMatchObject({ status: 401, body: { Code: 'unauthorized access', Message: 'permission denied' } });
  });
});

describe('a discharge', () => {
  test('without a token asks for the password', async () => {
    const { required } = await logIn(`user-${user}`);
    const { status, headers, body } = await askDischarge(macaroonFromJson(required));
    expect({ status, body, how: headers['www-authenticate'] }).toEqual({
      status: 401,
      how: 'Macaroon',
      body: {
        Code: 'interaction required',
        Message: expect.any(String) as unknown,
        Info: { InteractionMethods: { juju_userpass: { url: '/auth/form' } } },
      },
    });
  });

  test('is asked for with the id as text, or with the content beside it', async () => {
    const { required } = await logIn(`user-${user}`);
    const content = macaroonFromJson(required).caveats.at(-1)!.id;
    const { status, body } = await post(
      '/auth/discharge',
      new URLSearchParams({
        id: 'short',
        caveat64: content.toString('base64'),
        'token-kind': 'juju_userpass',
        token: Buffer.from(await tokenFor(user), 'base64').toString(),
      }).toString(),
    );
    expect(status).toBe(200);
    expect(macaroonFromJson(body['Macaroon']).id.toString()).toBe('short');
  });

  test('a token counts once, and for its user', async () => {
    const token = await tokenFor(user);
    const spent = await tokenFor(user);
    await sliceOf(user, { token: spent });
    const { required } = await logIn('user-reader');
    const ofUser = macaroonFromJson((await logIn(`user-${user}`)).required);
    for (const [macaroon, token64] of [
      [ofUser, spent],
      [macaroonFromJson(required), token],
      [ofUser, token],
      [ofUser, Buffer.from('guessed').toString('base64')],
    ] as const)
      expect(await askDischarge(macaroon, { 'token-kind': 'juju_userpass', token64 })).toMatchObject({
        status: 401,
      });
  });

  test('a token counts for five minutes', async () => {
    const token64 = await tokenFor(user);
    clock.advance(300_000);
    const { required } = await logIn(`user-${user}`);
    expect(
      await askDischarge(macaroonFromJson(required), { 'token-kind': 'juju_userpass', token64 }),
    ).toMatchObject({ status: 401 });
  });

  const form = (fields: Record<string, string>): string => new URLSearchParams(fields).toString();
  const strangers = boxKeys(Buffer.alloc(32, 3));
  const forUs = async (condition: string): Promise<string> => {
    const { body } = await api.http('GET', '/auth/publickey');
    const { PublicKey: key } = JSON.parse(body.toString()) as { PublicKey: string };
    const caveat = { version: 2, condition, rootKey: Buffer.alloc(24), namespace: '' } as const;
    return encodeThirdPartyCaveat(caveat, strangers, Buffer.from(key, 'base64')).toString('base64');
  };
  test.each<[string, () => Promise<string> | string, number, RegExp]>([
    ['no id', () => '', 400, /the caveat has no id/],
    ['an id that is no caveat', () => form({ id: 'x' }), 400, /caveat not valid: unknown version/],
    [
      'a caveat for somebody else',
      () =>
        form({
          id64: encodeThirdPartyCaveat(
            { version: 2, condition: 'x', rootKey: Buffer.alloc(24), namespace: '' },
            strangers,
            strangers.publicKey,
          ).toString('base64'),
        }),
      400,
      /another public key/,
    ],
    [
      'another condition',
      async () => form({ id64: await forUs('is-admin bob') }),
      400,
      /caveat not recognized/,
    ],
    [
      'a name to be declared that is not known',
      async () => form({ id64: await forUs('need-declared username,level is-authenticated-user bob') }),
      400,
      /caveat not recognized/,
    ],
    [
      'another kind of token',
      () => form({ id: 'x', token: 'y', 'token-kind': 'agent' }),
      400,
      /token kind "agent" is not known/,
    ],
    ['a long body', () => 'x'.repeat(limits.dischargeRequest.max + 1), 400, /exceed the limit of 65536/],
  ])('with %s is refused', async (_what, body, status, message) => {
    const answer = await post('/auth/discharge', await body());
    expect(answer.status).toBe(status);
    expect(answer.body['Message']).toMatch(message);
  });
});

describe('the form', () => {
  test.each<[string, string, number, RegExp]>([
    ['a wrong password', '{"form":{"user":"reader","password":"x"}}', 401, /invalid entity name or password/],
    ['an unknown user', '{"form":{"user":"nobody","password":"x"}}', 401, /invalid entity name or password/],
    ['a disabled user', `{"form":{"user":"disabled","password":"${password}"}}`, 401, /invalid entity name/],
    ['no password', '{"form":{"user":"reader"}}', 401, /invalid entity name or password/],
    ['no form', '{}', 401, /invalid entity name or password/],
    ['another shape', '{"form":[]}', 500, /cannot unmarshal/],
    ['no JSON', 'user=reader', 400, /the body is not JSON/],
    ['a long body', ' '.repeat(limits.dischargeRequest.max + 1), 400, /exceed the limit/],
  ])('with %s gives no token', async (_what, body, status, message) => {
    const answer = await post('/auth/form', body);
    expect(answer).toMatchObject({ status, body: { Message: expect.stringMatching(message) as unknown } });
  });

  test.each([
    ['GET', '/auth/form'],
    ['GET', '/auth/discharge'],
    ['POST', '/auth/publickey'],
    ['PUT', '/auth/form'],
  ])('%s %s is not allowed', async (method, path) => {
    expect((await api.http(method, path)).status).toBe(405);
  });
});

describe('HTTP requests', () => {
  const path = `/model/${testModel}/charms?url=local:x-1`;
  const get = async (
    headers: Record<string, string>,
  ): Promise<{ status: number; body: Record<string, unknown> }> => {
    const answer = await api.http('GET', path, { headers });
    return { ...answer, body: JSON.parse(answer.body.toString()) as Record<string, unknown> };
  };
  const basic = (text: string) => ({ Authorization: `Basic ${Buffer.from(text).toString('base64')}` });

  test.each<[string, (text: string) => Record<string, string>]>([
    ['in a header', (text) => ({ Macaroons: text })],
    ['in a cookie', (text) => ({ Cookie: `a=b; macaroon-0a=${text}` })],
    ['beside a name without a password', (text) => ({ ...basic('user-reader:'), Macaroons: text })],
    ['behind a cookie that is none', (text) => ({ Cookie: `macaroon-x=y; macaroon-1=${text}` })],
  ])('macaroons %s log in', async (_what, headers) => {
    const text = sliceToText(await sliceOf('reader'));
    expect(await get(headers(text))).toMatchObject({ status: 404, body: { 'error-code': 'not found' } });
  });

  test('a name without password and macaroons is told what to discharge', async () => {
    const { status, body } = await get({ ...basic('user-reader:'), 'Bakery-Protocol-Version': '3' });
    expect({ status, code: body['error-code'] }).toEqual({
      status: 401,
      code: 'macaroon discharge required',
    });
    const info = body['error-info'] as Record<string, unknown>;
    expect(bakeryFromJson(info['bakery-macaroon']).macaroon).toEqual(macaroonFromJson(info['macaroon']));
  });

  test('macaroons that do not count are no login', async () => {
    const [root] = await sliceOf('reader');
    expect(await get({ Macaroons: sliceToText([root!]) })).toMatchObject({
      status: 401,
      body: { 'error-code': 'no credentials provided' },
    });
    expect(await get({ Macaroons: sliceToText(await sliceOf(user)) })).toMatchObject({
      status: 401,
      body: { error: 'permission denied' },
    });
  });

  test('too many macaroons are refused', async () => {
    const headers = { Macaroons: Array.from({ length: limits.macaroons.max + 1 }, () => 'x').join() };
    expect(await get(headers)).toMatchObject({ status: 400, body: { 'error-code': 'quota limit exceeded' } });
  });
});

test('who registers gets a cookie, with which the discharge of the next login needs no password for two minutes', async () => {
  const admin = await api.open('/api');
  await admin.login('user-admin');
  const added = await admin.call('UserManager', 3, 'AddUser', {
    users: [{ username: `new${user}`, 'display-name': '' }],
  });
  const { results } = added.response as { results: { 'secret-key': string }[] };
  const { nonce, box } = sealBox(Buffer.from(results[0]!['secret-key'], 'base64'), '{"password":"new"}');
  const { headers } = await post(
    '/register',
    JSON.stringify({
      user: `user-new${user}`,
      nonce: nonce.toString('base64'),
      'cipher-text': box.toString('base64'),
    }),
  );
  const [cookie] = headers['set-cookie'] as string[];
  expect(cookie).toMatch(/^macaroon-[0-9a-f]{64}=[A-Za-z0-9+/=]+; Path=\/; Secure; HttpOnly$/);
  const Cookie = cookie!.split(';')[0]!;
  const root = macaroonFromJson((await logIn(`user-new${user}`)).required);
  const { status, body } = await askDischarge(root, {}, { Cookie });
  expect(status).toBe(200);
  const slice = [root, bind(root, bakeryFromJson(body['Macaroon']).macaroon)];
  expect(await logIn(`user-new${user}`, [slice])).toMatchObject({ identity: `user-new${user}` });
  // It is good for that alone: not for somebody else, not for a login, and not for long.
  const other = macaroonFromJson((await logIn('user-admin')).required);
  expect((await askDischarge(other, {}, { Cookie })).status).toBe(401);
  expect((await api.http('GET', '/charms', { headers: { Cookie } })).status).toBe(401);
  clock.advance(120_000);
  const later = macaroonFromJson((await logIn(`user-new${user}`)).required);
  expect((await askDischarge(later, {}, { Cookie })).status).toBe(401);
});

test('root keys are one for an hour, are sealed, and go when they have expired', async () => {
  const keys = () => [...api.store.read().in('').list('root-key')];
  // Those of other tests have expired by then.
  clock.advance(2 * day);
  await logIn(`user-${user}`);
  const [first] = keys();
  expect(first?.sealedKey).toMatch(/^sealed:1:/);
  await logIn(`user-${user}`);
  expect(keys()).toHaveLength(1);
  clock.advance(3_600_001);
  await logIn(`user-${user}`);
  expect(keys()).toHaveLength(2);
  clock.advance(2 * day);
  await logIn(`user-${user}`);
  expect(keys().map(({ id }) => id)).not.toContain(first?.id);
  expect(keys()).toHaveLength(1);
});
