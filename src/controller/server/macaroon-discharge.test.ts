/** Discharges of macaroons, and the form that gives tokens for them. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { limits } from '../../core/limits.ts';
import { boxKeys } from '../../kit/box.ts';
import { macaroonFromJson } from '../../kit/macaroon/encode.ts';
import { encodeThirdPartyCaveat } from '../../kit/macaroon/third-party.ts';
import { password } from '../../testing/api-server.ts';
import { MacaroonLogins } from '../../testing/macaroon-logins.ts';

let world: MacaroonLogins;
let user: string;
beforeAll(async () => (world = await MacaroonLogins.start()));
afterAll(() => world[Symbol.asyncDispose]());
beforeEach(async () => (user = await world.newUser()));

describe('a discharge', () => {
  test('a discharge without a token asks for the password', async () => {
    const { required } = await world.logIn(`user-${user}`);
    const { status, headers, body } = await world.askDischarge(macaroonFromJson(required));
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

  test('a discharge is asked for with the id as text, or with the content beside it', async () => {
    const { required } = await world.logIn(`user-${user}`);
    const content = macaroonFromJson(required).caveats.at(-1)!.id;
    const { status, body } = await world.post(
      '/auth/discharge',
      new URLSearchParams({
        id: 'short',
        caveat64: content.toString('base64'),
        'token-kind': 'juju_userpass',
        token: Buffer.from(await world.tokenFor(user), 'base64').toString(),
      }).toString(),
    );
    expect(status).toBe(200);
    expect(macaroonFromJson(body['Macaroon']).id.toString()).toBe('short');
  });

  test('a token counts once, and for its user', async () => {
    const token = await world.tokenFor(user);
    const spent = await world.tokenFor(user);
    await world.sliceOf(user, { token: spent });
    const { required } = await world.logIn('user-reader');
    const ofUser = macaroonFromJson((await world.logIn(`user-${user}`)).required);
    for (const [macaroon, token64] of [
      [ofUser, spent],
      [macaroonFromJson(required), token],
      [ofUser, token],
      [ofUser, Buffer.from('guessed').toString('base64')],
    ] as const)
      expect(await world.askDischarge(macaroon, { 'token-kind': 'juju_userpass', token64 })).toMatchObject({
        status: 401,
      });
  });

  test('a token counts for five minutes', async () => {
    const token64 = await world.tokenFor(user);
    world.clock.advance(300_000);
    const { required } = await world.logIn(`user-${user}`);
    expect(
      await world.askDischarge(macaroonFromJson(required), { 'token-kind': 'juju_userpass', token64 }),
    ).toMatchObject({ status: 401 });
  });

  const form = (fields: Record<string, string>): string => new URLSearchParams(fields).toString();
  const strangers = boxKeys(Buffer.alloc(32, 3));
  const forUs = async (condition: string): Promise<string> => {
    const { body } = await world.api.http('GET', '/auth/publickey');
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
  ])('a discharge with %s is refused', async (_what, body, status, message) => {
    const answer = await world.post('/auth/discharge', await body());
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
  ])('the form with %s gives no token', async (_what, body, status, message) => {
    const answer = await world.post('/auth/form', body);
    expect(answer).toMatchObject({ status, body: { Message: expect.stringMatching(message) as unknown } });
  });

  test.each([
    ['GET', '/auth/form'],
    ['GET', '/auth/discharge'],
    ['POST', '/auth/publickey'],
    ['PUT', '/auth/form'],
  ])('the request %s %s is not allowed', async (method, path) => {
    expect((await world.api.http(method, path)).status).toBe(405);
  });
});
