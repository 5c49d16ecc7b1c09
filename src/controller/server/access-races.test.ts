/** Attacks by users whose access changes while what they ask for runs (login.md#access-is-fresh). */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { accessId } from '../../core/access/document.ts';
import { offerAccessId } from '../../core/offer-access/document.ts';
import { createCallers, type Callers, type How } from '../../testing/call.ts';
import { offerDoc } from '../../testing/offers.ts';
import { passwordCost } from '../../testing/password-cost.ts';
import { createPasswordCheck } from '../password-check.ts';
import { addUser } from '../transactions/begin/add-user.ts';
import { removeUser } from '../transactions/end/remove-user.ts';
import { onAccessLost } from './access-loss.ts';
import { authenticate } from './authenticate.ts';

const sleeps: number[] = [];
let callers: Callers;
const passwords = createPasswordCheck(passwordCost);
beforeEach(async () => {
  sleeps.length = 0;
  callers = await createCallers({
    sleep: async (ms) => {
      sleeps.push(ms);
      await Promise.resolve();
    },
  });
  Object.assign(callers.context, { passwords });
  await add('old password');
});
afterEach(() => callers[Symbol.asyncDispose]());

async function add(password: string): Promise<void> {
  const passwordHash = await passwords.hash(password, 'test');
  await callers.store.change(
    (tx) => addUser(tx, { name: 'bob', displayName: '', createdBy: 'admin', passwordHash }),
    'test',
  );
}
const remove = (): Promise<void> =>
  callers.store.change((tx) => removeUser(tx, { name: 'bob', owner: 'admin' }), 'test');
/** Gives the name to another user, whose record is of a later time. */
async function replaceBob(password = 'new password'): Promise<void> {
  callers.advance(1_000);
  await remove();
  await add(password);
}
const bob = () => callers.store.read().in('').get('user', 'bob')!;
const logIn = (password: string, name = 'bob'): Promise<unknown> =>
  authenticate(callers.context, '', {
    tag: `user-${name}`,
    password,
    nonce: '',
    remote: '10.0.0.9',
    macaroons: [],
    bakeryVersion: 0,
    host: '',
  });

/** Runs `meanwhile` at the first hash or check of a password, before its end. */
function during(method: 'hash' | 'verify', meanwhile: () => Promise<void>): void {
  let once = false;
  const run = async <T>(work: Promise<T>): Promise<T> => {
    const first = !once;
    once = true;
    const result = await work;
    if (first) await meanwhile();
    return result;
  };
  Object.assign(callers.context, {
    passwords: {
      ...passwords,
      [method]: (a: string, b: string) => run<unknown>(passwords[method](a, b)),
    },
  });
}

interface Results {
  readonly results: readonly { readonly error?: { readonly message: string; readonly code: string } }[];
}
const as: How = { as: 'bob' };

describe('access that a request had when it came in, and has no more when the request changes something', () => {
  /** The revocation is not durable yet when the request is authorized, and comes before it. */
  const revoke = (): Promise<void> =>
    callers.store.change(
      (tx) => tx.remove('access', accessId({ user: 'bob', model: callers.model })),
      'test',
    );

  test('a writer whose access is revoked switches no block on', async () => {
    await callers.grant('bob', 'write');
    const revoked = revoke();
    const switched = callers.call('Block', 'SwitchBlockOn', { type: 'BlockDestroy', message: '' }, as);
    await expect(switched).rejects.toMatchObject({ code: 'unauthorized access' });
    await revoked;
    expect([...callers.view().list('block')]).toEqual([]);
  });

  test('a command that somebody disables meanwhile changes nothing', async () => {
    await callers.grant('bob', 'write');
    const block = { type: 'BlockChange', number: 1, message: 'no' } as const;
    const disabled = callers.change((tx) => tx.put('block', 'BlockChange', block));
    const added = callers.call('MachineManager', 'AddMachines', { params: [{ jobs: ['host-units'] }] }, as);
    const answer = await added.catch((error: unknown) => error);
    await disabled;
    expect([...callers.view().list('machine')]).toEqual([]);
    expect(JSON.stringify(answer)).toContain('operation is blocked');
  });

  test('an admin who becomes a writer runs no command as root', async () => {
    await callers.call('MachineManager', 'AddMachines', { params: [{ jobs: ['host-units'] }] });
    await callers.grant('bob', 'admin');
    const access = { user: 'bob', model: callers.model, access: 'write' } as const;
    const demoted = callers.store.change((tx) => tx.put('access', accessId(access), access), 'test');
    const actions = [{ receiver: 'machine-0', name: 'juju-exec', parameters: { command: 'id', timeout: 0 } }];
    const enqueued = callers.call('Action', 'EnqueueOperation', { actions }, as);
    await expect(enqueued).rejects.toMatchObject({ code: 'unauthorized access' });
    await demoted;
    expect([...callers.view().list('operation')]).toEqual([]);
  });

  test('an admin whose access is revoked cannot give it back to himself', async () => {
    await callers.grant('bob', 'admin');
    const revoked = revoke();
    const change = { 'user-tag': 'user-bob', action: 'grant', access: 'admin' };
    const changes = [{ ...change, 'model-tag': `model-${callers.model}` }];
    const granted = await callers.call<Results>('ModelManager', 'ModifyModelAccess', { changes }, as);
    expect(granted.results[0]?.error?.code).toBe('unauthorized access');
    await revoked;
    expect([...callers.store.read().in('').find('access', 'user', 'bob')]).toEqual([]);
  });

  describe('an admin of an offer whose access is revoked', () => {
    const url = 'admin/default.db';
    beforeEach(async () => {
      await callers.grant('bob', 'admin');
      await callers.store.change((tx) => {
        const offer = offerDoc('db', 'mysql');
        tx.in(callers.model).put('offer', 'db', offer);
        const access = { user: 'bob', offer: offer.uuid, model: callers.model, access: 'admin' } as const;
        tx.put('offer-access', offerAccessId(access), access);
      }, 'test');
    });
    const lose = (): Promise<void> =>
      callers.store.change((tx) => {
        tx.remove('access', accessId({ user: 'bob', model: callers.model }));
        tx.remove('offer-access', offerAccessId({ user: 'bob', offer: 'uuid-db' }));
      }, 'test');

    test.each<[string, string, () => object]>([
      [
        'gives his access back to himself',
        'ModifyOfferAccess',
        () => ({ changes: [{ 'user-tag': 'user-bob', action: 'grant', access: 'admin', 'offer-url': url }] }),
      ],
      ['removes it', 'DestroyOffers', () => ({ 'offer-urls': [url] })],
      [
        'makes another',
        'Offer',
        () => ({
          Offers: [
            {
              'model-tag': `model-${callers.model}`,
              'offer-name': 'other',
              'application-name': 'mysql',
              'application-description': '',
              endpoints: { server: 'server' },
            },
          ],
        }),
      ],
    ])('the admin is refused when he %s', async (_what, method, params) => {
      const lost = lose();
      const { results } = await callers.call<Results>('ApplicationOffers', method, params(), as);
      await lost;
      expect(['unauthorized access', 'not found']).toContain(results[0]?.error?.code);
      // The caller does not learn whether there is such an application.
      expect(results[0]?.error?.message).not.toContain('getting offered application');
      const state = callers.store.read();
      expect([...state.in(callers.model).list('offer')].map(({ name }) => name)).toEqual(['db']);
      expect([...state.in('').find('offer-access', 'user', 'bob')]).toEqual([]);
    });
  });

  test('an admin whose access is revoked does not destroy the model', async () => {
    await callers.grant('bob', 'admin');
    const revoked = revoke();
    const models = [{ 'model-tag': `model-${callers.model}` }];
    const destroyed = await callers.call<Results>('ModelManager', 'DestroyModels', { models }, as);
    expect(destroyed.results[0]?.error?.code).toBe('unauthorized access');
    await revoked;
    expect(callers.store.read().in('').get('model', callers.model)?.life).toBe('alive');
  });

  test('a superuser who ceases to be one adds no users', async () => {
    await callers.store.change((tx) => tx.put('user', 'bob', { ...bob(), access: 'superuser' }), 'test');
    const revoked = callers.store.change(
      (tx) => tx.put('user', 'bob', { ...bob(), access: 'login' }),
      'test',
    );
    const users = [{ username: 'eve', 'display-name': '' }];
    const added = await callers.call<Results>('UserManager', 'AddUser', { users }, as);
    expect(added.results[0]?.error?.code).toBe('unauthorized access');
    await revoked;
  });
});

describe('the name of a removed user, given to a new one', () => {
  test('the old password, whose check began before, is not the new user’s', async () => {
    during('verify', replaceBob);
    await expect(logIn('old password')).rejects.toThrow('invalid entity name or password');
    await expect(logIn('new password')).resolves.toMatchObject({ name: 'bob' });
  });

  test('a password that gets another hash during its check is right', async () => {
    during('verify', async () => {
      const passwordHash = await passwords.hash('old password', 'test');
      await callers.store.change((tx) => tx.put('user', 'bob', { ...bob(), passwordHash }), 'test');
    });
    await expect(logIn('old password')).resolves.toMatchObject({ name: 'bob' });
  });

  test('the former user’s new password, whose hash was made before, does not become the new user’s', async () => {
    during('hash', replaceBob);
    const changes = [{ tag: 'user-bob', password: 'mine for ever' }];
    const set = await callers.call<Results>('UserManager', 'SetPassword', { changes }, as);
    expect(set.results[0]?.error?.code).toBe('unauthorized access');
    expect(await passwords.verify('new password', bob().passwordHash)).toBe(true);
  });

  test('the former user’s connection ends, also when both changes become durable together', async () => {
    let ended = 0;
    const { name, createdAt: since } = bob();
    onAccessLost(callers.context, { name, since, model: '' }, () => ended++);
    const passwordHash = await passwords.hash('x', 'test');
    const args = { name: 'bob', displayName: '', createdBy: 'admin', passwordHash };
    callers.advance(1_000);
    await Promise.all([remove(), callers.store.change((tx) => addUser(tx, args), 'test')]);
    expect(ended).toBe(1);
    await expect(
      callers.call('UserManager', 'UserInfo', {}, { as: { kind: 'user', name, since } }),
    ).rejects.toThrow('permission denied');
  });
});

test('guesses are slowed down whatever the case of the name', async () => {
  for (const name of ['bob', 'Bob', 'bOb', 'boB', 'BOB', 'bob@local'])
    await expect(logIn('guess', name)).rejects.toThrow('invalid entity name or password');
  expect(sleeps.length).toBeGreaterThan(0);
});

describe('credentials of a removed user', () => {
  const put = (name: string, owner = 'bob', method = 'UpdateCredentialsCheckModels'): Promise<Results> =>
    callers.call(
      'Cloud',
      method,
      {
        credentials: [
          {
            tag: `cloudcred-home_${owner}_${name}`,
            credential: { 'auth-type': 'userpass', attrs: { username: 'u', password: 'p' } },
          },
        ],
      },
      as,
    );
  const list = async (): Promise<unknown> => {
    const clouds = [{ 'user-tag': 'user-bob', 'cloud-tag': 'cloud-home' }];
    const { results } = await callers.call<{ results: { result: unknown }[] }>(
      'Cloud',
      'UserCredentials',
      { 'user-clouds': clouds },
      as,
    );
    return results[0]!.result;
  };
  const use = (credential: string): Promise<Results> =>
    callers.call(
      'ModelManager',
      'ChangeModelCredential',
      { 'model-credentials': [{ 'model-tag': `model-${callers.model}`, 'credential-tag': credential }] },
      as,
    );
  beforeEach(async () => {
    await callers.grant('bob', 'admin');
    for (const name of ['used', 'unused']) expect((await put(name)).results[0]?.error).toBeUndefined();
    expect((await use('cloudcred-home_bob_used')).results[0]?.error).toBeUndefined();
    await replaceBob();
    await callers.grant('bob', 'admin');
  });

  test('credentials of a removed user do not pass to a new user of that name; models keep using them', async () => {
    expect(await list()).toEqual([]);
    expect((await use('cloudcred-home_bob_used')).results[0]?.error?.code).toBe('not found');
    expect((await put('used')).results[0]?.error?.code).toBe('already exists');
    expect((await put('used', 'bob', 'AddCredentials')).results[0]?.error?.code).toBe('already exists');
    const root = callers.store.read().in('');
    expect(root.get('model', callers.model)?.credential).toBe('home_bob_used');
    expect(root.get('credential', 'home_bob_used')).toMatchObject({ left: true });
    expect(root.get('credential', 'home_bob_unused')).toBeUndefined();
  });

  test('a user who does not exist is given no credential', async () => {
    const credential = { 'auth-type': 'empty', attrs: {} };
    const credentials = [{ tag: 'cloudcred-home_nobody_x', credential }];
    const { results } = await callers.call<Results>('Cloud', 'AddCredentials', { credentials });
    expect(results[0]?.error?.code).toBe('user not found');
  });

  test('a superuser may name credentials of a removed user, and renews them for their models', async () => {
    const credential = { 'auth-type': 'userpass', attrs: { username: 'u', password: 'new' } };
    const credentials = [{ tag: 'cloudcred-home_bob_used', credential }];
    const { results } = await callers.call<Results>('Cloud', 'UpdateCredentialsCheckModels', {
      credentials,
      force: true,
    });
    expect(results[0]?.error).toBeUndefined();
    expect(callers.store.read().in('').get('credential', 'home_bob_used')).toMatchObject({ left: true });
    expect(await list()).toEqual([]);
  });

  test('the owner in a credential’s tag is the user whatever its case', async () => {
    expect((await put('mine', 'BOB')).results[0]?.error).toBeUndefined();
    expect(await list()).toEqual(['cloudcred-home_bob_mine']);
  });
});
