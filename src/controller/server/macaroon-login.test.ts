/** Logins by macaroons, and the root keys that they are made with. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { limits } from '../../core/limits.ts';
import { declared, timeBefore } from '../../kit/macaroon/conditions.ts';
import { macaroonFromJson } from '../../kit/macaroon/encode.ts';
import { addCondition, bind, mint } from '../../kit/macaroon/macaroon.ts';
import { bakeryFromJson, type Slice } from '../../kit/macaroon/slices.ts';
import { password, testModel } from '../../testing/api-server.ts';
import { day, MacaroonLogins } from '../../testing/macaroon-logins.ts';
import { resetUserPassword, setUserDisabled, setUserPassword } from '../transactions/set/set-user.ts';

let world: MacaroonLogins;
let user: string;
beforeAll(async () => (world = await MacaroonLogins.start()));
afterAll(() => world[Symbol.asyncDispose]());
beforeEach(async () => (user = await world.newUser()));

describe('a login by macaroons', () => {
  test.each([0, 3])(
    'a login with a discharge for the right password succeeds, with macaroon-bakery %s',
    async (version) => {
      const slice = await world.sliceOf(user, { version });
      expect(await world.logIn(`user-${user}`, [slice])).toMatchObject({
        identity: `user-${user}`,
        error: undefined,
      });
      expect(await world.logIn('', [slice])).toMatchObject({ identity: `user-${user}` });
      expect(await world.logIn(`user-${user}@local`, [slice])).toMatchObject({ identity: `user-${user}` });
    },
  );

  test('a discharge is asked for at the host that the client has dialled, whether or not the user exists', async () => {
    const { required, reason } = await world.logIn('user-nobody');
    const { caveats } = macaroonFromJson(required);
    expect(caveats.map(({ id, verificationId }) => (verificationId ? 'third party' : id.toString()))).toEqual(
      [timeBefore(world.clock.now() + day), 'third party'],
    );
    expect(caveats[1]!.location).toBe(`https://127.0.0.1:${world.api.server.port}/auth`);
    expect(reason).toBe('macaroon discharge required: no macaroons');
  });

  test('a login by macaroons takes the first slice that counts, whatever stands before it', async () => {
    const other = [mint({ rootKey: Buffer.alloc(24), id: Buffer.from('x') })];
    expect(await world.logIn(`user-${user}`, [other, [], await world.sliceOf(user)])).toMatchObject({
      identity: `user-${user}`,
    });
  });

  test('a password wins over macaroons', async () => {
    const slice = await world.sliceOf(user);
    expect(await world.logIn(`user-${user}`, [slice], { credentials: 'wrong' })).toMatchObject({
      error: 'invalid entity name or password',
    });
    expect(await world.logIn('user-reader', [slice], { credentials: password })).toMatchObject({
      identity: 'user-reader',
    });
  });

  test('a login by macaroons gives no access that the user has not', async () => {
    expect(
      await world.logIn(`user-${user}`, [await world.sliceOf(user)], { path: `/model/${testModel}/api` }),
    ).toMatchObject({ error: 'permission denied' });
    expect(
      await world.logIn('user-reader', [await world.sliceOf('reader')], { path: `/model/${testModel}/api` }),
    ).toMatchObject({ identity: 'user-reader' });
  });

  test('a client without name and macaroons has no credentials', async () => {
    expect(await world.logIn('')).toMatchObject({
      error: 'authentication failed: no credentials provided',
    });
  });

  test('users of other domains and names that nobody can have are refused', async () => {
    for (const name of ['bob@external', 'a b', 'x'.repeat(limits.userName.max + 1)])
      expect(await world.logIn(`user-${name}`)).toMatchObject({ error: 'invalid entity name or password' });
  });

  type Refused = readonly [string, (slice: Slice) => Promise<Slice> | Slice, RegExp];
  test.each<Refused>([
    ['without its discharge', (slice) => slice.slice(0, 1), /a discharge is missing/],
    [
      'with a discharge that is not bound',
      ([root, one]) => [root!, { ...one!, signature: root!.signature }],
      /signature/,
    ],
    ['of another user', () => world.sliceOf('reader'), /is for another user/],
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
  ])('a macaroon %s is to be discharged again', async (_what, change, reason) => {
    const answer = await world.logIn(`user-${user}`, [await change(await world.sliceOf(user))]);
    expect(answer.identity).toBeUndefined();
    expect(answer.reason).toMatch(reason);
    expect(answer.required).toBeDefined();
  });

  test('a condition that was added before the discharge was bound makes the macaroon a weaker one', async () => {
    const { required } = await world.logIn(`user-${user}`);
    const root = addCondition(macaroonFromJson(required), declared('username', 'admin'));
    const third = root.caveats.find(({ verificationId }) => verificationId)!;
    const { body } = await world.post(
      '/auth/discharge',
      new URLSearchParams({
        id64: third.id.toString('base64url'),
        'token-kind': 'juju_userpass',
        token64: await world.tokenFor(user),
      }).toString(),
    );
    const slice = [root, bind(root, bakeryFromJson(body['Macaroon']).macaroon)];
    for (const tag of [`user-${user}`, 'user-admin'])
      expect((await world.logIn(tag, [slice])).reason).toMatch(/declared in two ways/);
  });

  test('the macaroon of a login ends with its day', async () => {
    const slice = await world.sliceOf(user);
    world.clock.advance(day - 1);
    expect(await world.logIn(`user-${user}`, [slice])).toMatchObject({ identity: `user-${user}` });
    world.clock.advance(1);
    expect((await world.logIn(`user-${user}`, [slice])).reason).toMatch(/has expired/);
  });

  test.each<[string, (name: string) => Promise<unknown>, RegExp]>([
    [
      'another password',
      (name) =>
        world.api.store.change((tx) => {
          const { passwordHash } = tx.get('user', name)!;
          setUserPassword(tx, { name, passwordHash });
        }, 'test'),
      /of before a change of the password/,
    ],
    [
      'a reset of the password',
      (name) => world.api.store.change((tx) => resetUserPassword(tx, { name, registrationKey: 'k' }), 'test'),
      /of before a change of the password/,
    ],
    [
      'the end of the user',
      (name) => world.api.store.change((tx) => setUserDisabled(tx, { name, disabled: true }), 'test'),
      /./,
    ],
  ])('the macaroon of a login ends with %s', async (_what, change, reason) => {
    const slice = await world.sliceOf(user);
    const token = await world.tokenFor(user);
    world.clock.advance(1);
    await change(user);
    expect((await world.logIn(`user-${user}`, [slice])).reason).toMatch(reason);
    const { required } = await world.logIn(`user-${user}`);
    expect(
      await world.askDischarge(macaroonFromJson(required), { 'token-kind': 'juju_userpass', token64: token }),
    ).toMatchObject({ status: 401, body: { Code: 'unauthorized access', Message: 'permission denied' } });
  });
});

test('root keys are one for an hour, are sealed, and go when they have expired', async () => {
  const keys = () => [...world.api.store.read().in('').list('root-key')];
  // Root keys of other tests have expired by then.
  world.clock.advance(2 * day);
  await world.logIn(`user-${user}`);
  const [first] = keys();
  expect(first?.sealedKey).toMatch(/^sealed:1:/);
  await world.logIn(`user-${user}`);
  expect(keys()).toHaveLength(1);
  world.clock.advance(3_600_001);
  await world.logIn(`user-${user}`);
  expect(keys()).toHaveLength(2);
  world.clock.advance(2 * day);
  await world.logIn(`user-${user}`);
  expect(keys().map(({ id }) => id)).not.toContain(first?.id);
  expect(keys()).toHaveLength(1);
});
