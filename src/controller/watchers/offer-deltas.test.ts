import { expect, test } from 'vitest';
import { destroyOffer } from '../transactions/end/remove-offer.ts';
import { consumed, offered, settleBoth, twoModels, type TwoModels } from '../../testing/two-models.ts';
import { AllWatcher } from './all-watcher.ts';
import { next } from '../../testing/watched-model.ts';

function watchOffering({ callers, offering }: TwoModels, offers: boolean): AllWatcher {
  return new AllWatcher(callers.store, offering.uuid, callers.context.services, { offers });
}
/** The deltas of offers in the next answer: what happened, and the numbers of connections. */
async function told(watcher: AllWatcher): Promise<unknown[]> {
  return (await next(watcher))
    .filter(([kind]) => kind === 'applicationOffer')
    .map(([, what, body]) => [what, body['active-connected-count'], body['total-connected-count']]);
}

test('admins are told of offers, of their connections and of their end', async () => {
  await using world = await twoModels();
  const { offering } = world;
  await offered(world);
  const watcher = watchOffering(world, true);
  const [delta] = (await next(watcher)).filter(([kind]) => kind === 'applicationOffer');
  expect(delta?.[2]).toEqual({
    'model-uuid': offering.uuid,
    'offer-name': 'db',
    'offer-uuid': offering.view().get('offer', 'db')?.uuid,
    'application-name': 'mysql',
    'charm-name': 'mysql',
    'active-connected-count': 0,
    'total-connected-count': 0,
  });
  await consumed(world);
  await world.call('Application', 'AddRelation', { endpoints: ['wordpress:db', 'db'], 'via-cidrs': [] });
  await world.carry();
  expect(await told(watcher)).toEqual([['change', 0, 1]]);
  await settleBoth(world);
  expect(await told(watcher)).toEqual([['change', 1, 1]]);
  await offering.change((tx) => destroyOffer(tx, { name: 'db', force: { maxWaitMs: 0, by: 'admin' } }));
  const removed = (await next(watcher)).find(
    ([kind, what]) => kind === 'applicationOffer' && what === 'remove',
  );
  expect(removed?.[2]).toEqual({
    'model-uuid': offering.uuid,
    'offer-name': 'db',
    'application-name': 'mysql',
  });
  watcher.stop();
});

test('users who are no admins get no changes of offers', async () => {
  await using world = await twoModels();
  await offered(world);
  const watcher = watchOffering(world, false);
  expect(await told(watcher)).toEqual([]);
  await world.offering.deploy('wordpress', 1);
  await offered(world);
  expect(await told(watcher)).toEqual([]);
  watcher.stop();
});
