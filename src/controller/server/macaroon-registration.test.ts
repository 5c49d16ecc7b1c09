/** Tests of the macaroon that a registering user gets as a cookie. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { macaroonFromJson } from '../../kit/macaroon/encode.ts';
import { bind } from '../../kit/macaroon/macaroon.ts';
import { bakeryFromJson } from '../../kit/macaroon/slices.ts';
import { sealBox } from '../../kit/secretbox.ts';
import { MacaroonLogins } from '../../testing/macaroon-logins.ts';

let world: MacaroonLogins;
let user: string;
beforeAll(async () => (world = await MacaroonLogins.start()));
afterAll(() => world[Symbol.asyncDispose]());
beforeEach(async () => (user = await world.newUser()));

test('registration gives a cookie, with which the discharge of the next login needs no password for two minutes', async () => {
  const admin = await world.api.open('/api');
  await admin.login('user-admin');
  const added = await admin.call('UserManager', 3, 'AddUser', {
    users: [{ username: `new${user}`, 'display-name': '' }],
  });
  const { results } = added.response as { results: { 'secret-key': string }[] };
  const { nonce, box } = sealBox(Buffer.from(results[0]!['secret-key'], 'base64'), '{"password":"new"}');
  const { headers } = await world.post(
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
  const root = macaroonFromJson((await world.logIn(`user-new${user}`)).required);
  const { status, body } = await world.askDischarge(root, {}, { Cookie });
  expect(status).toBe(200);
  const slice = [root, bind(root, bakeryFromJson(body['Macaroon']).macaroon)];
  expect(await world.logIn(`user-new${user}`, [slice])).toMatchObject({ identity: `user-new${user}` });
  // The cookie serves that discharge alone: no other user, no login, and not for long.
  const other = macaroonFromJson((await world.logIn('user-admin')).required);
  expect((await world.askDischarge(other, {}, { Cookie })).status).toBe(401);
  expect((await world.api.http('GET', '/charms', { headers: { Cookie } })).status).toBe(401);
  world.clock.advance(120_000);
  const later = macaroonFromJson((await world.logIn(`user-new${user}`)).required);
  expect((await world.askDischarge(later, {}, { Cookie })).status).toBe(401);
});
