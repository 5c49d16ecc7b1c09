/** Secrets over an offer of another controller, over the real API of both, as the agents of both sides ask for them. */
import { expect, test, vi } from 'vitest';
import { eventually } from '../../testing/eventually.ts';
import {
  offeredRelation,
  overControllers,
  type SecretsOverOffers,
} from '../../testing/secrets-over-offers.ts';
import { twoControllers, type TwoControllers } from '../../testing/two-controllers.ts';
import { ok } from '../../testing/two-models.ts';

const denied = { code: 'unauthorized access', message: 'permission denied' };

/** Both controllers with wordpress/0 and mysql/0 related over the offer `db`. */
async function relatedControllers(user?: {
  tag: string;
  password: string;
}): Promise<{ world: TwoControllers; secrets: SecretsOverOffers }> {
  const world = await twoControllers();
  try {
    if (user) await addBob(world, user.password);
    await world.consume(user);
    await world.consuming.call('Application', 'AddRelation', {
      endpoints: ['wordpress:db', 'db'],
      'via-cidrs': [],
    });
    await eventually(async () => {
      await world.settle();
      const { id } = offeredRelation(world.offering);
      expect(world.offering.view().count('scope', 'relation', String(id))).toBe(2);
    });
    return { world, secrets: await overControllers(world) };
  } catch (error) {
    await world[Symbol.asyncDispose]();
    throw error;
  }
}

async function addBob(world: TwoControllers, password: string): Promise<void> {
  await ok(
    world.offering.call('UserManager', 'AddUser', {
      users: [{ username: 'bob', 'display-name': '', password }],
    }),
  );
  await access(world, 'grant');
}

function access({ offering }: TwoControllers, action: 'grant' | 'revoke'): Promise<void> {
  const change = { 'user-tag': 'user-bob', action, access: action === 'grant' ? 'consume' : 'read' };
  return ok(
    offering.call('ApplicationOffers', 'ModifyOfferAccess', {
      changes: [{ ...change, 'offer-url': 'admin/data.db' }],
    }),
  );
}

test('a unit reads, tracks, and is told of new revisions', async () => {
  const { world, secrets } = await relatedControllers();
  await using _ended = world;
  const { add, own, read, update, revisions, due, grantOf } = secrets;
  const id = await add('one', false);
  await expect(read({ id })).rejects.toMatchObject(denied);
  await own({ grant: [grantOf(id)] });
  expect(await read({ id, label: 'pw' })).toBe('one 1');
  await update(id, 'two');
  await eventually(() => expect(due(id)).toBe(2));
  expect(await read({ label: 'pw' })).toBe('one 1');
  expect(await read({ label: 'pw', peek: true })).toBe('two 2');
  expect(revisions(id)).toEqual(['1', '2']);
  expect(await read({ label: 'pw', refresh: true })).toBe('two 2');
  expect(due(id)).toBeUndefined();
  expect(revisions(id)).toEqual(['1 obsolete', '2']);
  await own({ revoke: [grantOf(id)] });
  await expect(read({ id })).rejects.toMatchObject(denied);
  await own({ remove: [{ id }] });
  await expect(read({ id })).rejects.toMatchObject({
    code: 'not found',
    message: `secret "${id}" not found`,
  });
});

test('another controller hears which controller reads one of its secrets', async () => {
  const { world, secrets } = await relatedControllers();
  await using _ended = world;
  const id = await secrets.add('one');
  const { services, store } = world.consuming.controller.running();
  const asked: unknown[] = [];
  const { elsewhere } = services;
  const connect = elsewhere.connect.bind(elsewhere);
  const spy = vi.spyOn(elsewhere, 'connect').mockImplementation(async (target) => {
    const connection = await connect(target);
    return {
      ...connection,
      call(facade, method, params, options) {
        if (method === 'GetSecretContentInfo') asked.push(params);
        return connection.call(facade, method, params, options);
      },
    };
  });
  try {
    await secrets.read({ id });
  } finally {
    spy.mockRestore();
  }
  const { uuid } = store.read().in('').get('controller', 'self')!;
  expect(asked).toMatchObject([{ args: [{ 'source-controller-uuid': uuid }] }]);
});

test('a revision is told after the controllers were restarted, and everything ends with the relation', async () => {
  const { world, secrets } = await relatedControllers();
  await using _ended = world;
  const { add, read, update, due } = secrets;
  const id = await add('one');
  expect(await read({ id })).toBe('one 1');
  await world.restart('consuming');
  await update(id, 'two');
  await eventually(() => expect(due(id)).toBe(2));
  await world.consuming.call('Application', 'DestroyRelation', { endpoints: ['wordpress:db', 'db'] });
  await eventually(async () => {
    await world.settle();
    expect(world.offering.view().count('secret-grant')).toBe(0);
    expect(world.offering.view().count('secret-consumer')).toBe(0);
    expect(world.consuming.view().count('secret-consumer')).toBe(0);
  });
});

test('a controller that cannot be reached is reported, and what a unit tracks stays', async () => {
  const { world, secrets } = await relatedControllers();
  await using _ended = world;
  const { add, read } = secrets;
  const id = await add('one');
  expect(await read({ id })).toBe('one 1');
  world.gate.shut();
  await expect(read({ id })).rejects.toMatchObject({
    code: 'try again',
    message: expect.stringContaining('cannot connect to external controller') as string,
  });
  world.gate.lead(world.offering.controller.running().server.port);
  await eventually(async () => expect(await read({ id })).toBe('one 1'));
});

test('a user who may not consume the offer any more has its secrets taken at once', async () => {
  const { world, secrets } = await relatedControllers({ tag: 'user-bob', password: 'a-password-of-bob' });
  await using _ended = world;
  const { add, read } = secrets;
  const id = await add('one');
  expect(await read({ id })).toBe('one 1');
  await access(world, 'revoke');
  await expect(read({ id })).rejects.toMatchObject({ code: 'unauthorized access' });
});
