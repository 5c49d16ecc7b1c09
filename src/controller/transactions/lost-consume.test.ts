import { expect, test } from 'vitest';
import { consumed, offered, ok, settleBoth, twoModels, type TwoModels } from '../../testing/two-models.ts';

const changeOf = {
  offer: ['ApplicationOffers', 'ModifyOfferAccess', 'consume'],
  model: ['ModelManager', 'ModifyModelAccess', 'admin'],
  controller: ['Controller', 'ModifyControllerAccess', 'superuser'],
} as const;
type Object = keyof typeof changeOf;

function change({ callers, offering }: TwoModels, action: string, object: Object): Promise<void> {
  const [facade, method, access] = changeOf[object];
  const changed = {
    'user-tag': 'user-bob',
    action,
    access,
    ...(object === 'offer' && { 'offer-url': 'admin/default.db' }),
    ...(object === 'model' && { 'model-tag': `model-${offering.uuid}` }),
  };
  return ok(callers.call(facade, method, { changes: [changed] }, { model: '' }));
}
const users = (world: TwoModels, method: string): Promise<void> =>
  ok(world.callers.call('UserManager', method, { entities: [{ tag: 'user-bob' }] }, { model: '' }));
/** Reason of the suspension of the relation that bob has made. */
function suspensionOf({ offering }: TwoModels): string | undefined {
  return [...offering.view().find('relation', 'user', 'bob')][0]?.suspended?.reason;
}

/** Relates wordpress with the offer as bob, who may consume it by the access that `by` gives. */
async function relatedByBob(by: Object): Promise<TwoModels> {
  const world = await twoModels();
  const { callers, call, consuming } = world;
  await callers.addUser('bob');
  await callers.grant('bob', 'admin', consuming.uuid);
  await offered(world);
  await change(world, 'grant', by);
  await consumed(world, 'bob');
  await call('Application', 'AddRelation', { endpoints: ['wordpress:db', 'db'], 'via-cidrs': [] }, 'bob');
  await world.carry();
  await settleBoth(world);
  expect(world.offering.view().count('relation', 'user', 'bob')).toBe(1);
  return world;
}

test.each(['offer', 'model', 'controller'] as const)(
  'a relation is suspended when its user loses the access to the %s by which he consumed',
  async (by) => {
    await using world = await relatedByBob(by);
    expect(suspensionOf(world)).toBeUndefined();
    await change(world, 'revoke', by);
    expect(suspensionOf(world)).toBe('offer permission revoked');
  },
);

test('a relation stays when its user may consume by other access, too', async () => {
  await using world = await relatedByBob('offer');
  await change(world, 'grant', 'model');
  await change(world, 'revoke', 'offer');
  expect(suspensionOf(world)).toBeUndefined();
});

test('relations of a user who is removed are suspended, those of a user who is disabled stay', async () => {
  await using world = await relatedByBob('offer');
  await users(world, 'DisableUser');
  expect(suspensionOf(world)).toBeUndefined();
  await users(world, 'RemoveUser');
  expect(suspensionOf(world)).toBe('offer permission revoked');
});
