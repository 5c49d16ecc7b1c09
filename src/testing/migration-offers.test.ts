/** Models that are related by an offer go to another controller, one after the other; nobody notices. */
import { expect, test } from 'vitest';
import { migratingOffers, type MigratingOffers } from './migrating-offers.ts';

/** Lets each side say something, and checks that the other side hears it. */
async function expectHeard(
  offers: MigratingOffers,
  at: { readonly mysql: 'source' | 'target'; readonly wordpress: 'source' | 'target' },
  word: string,
): Promise<void> {
  await offers.say(at.mysql, 'mysql', `${word}-of-mysql`);
  await offers.hears(at.wordpress, 'wordpress', `${word}-of-mysql`);
  await offers.say(at.wordpress, 'wordpress', `${word}-of-wordpress`);
  await offers.hears(at.mysql, 'mysql', `${word}-of-wordpress`);
}

test('a model that consumes an offer of its controller goes, and its relation stays up', async () => {
  await using offers = await migratingOffers();
  const { shop, world } = offers;
  const before = await offers.hooks();
  expect(await shop.begin(true)).toMatchObject({ 'migration-id': '' });
  await shop.begin();
  await shop.until('DONE');
  await shop.expectAt('target');
  const source = world.source.running().store.read().get('controller', 'self')!.uuid;
  expect(offers.view('target', shop).get('remote-application', 'db')).toMatchObject({
    saas: { url: 'test:admin/data.db', elsewhere: { controller: source } },
  });
  expect(await offers.hooks()).toEqual(before);
  await expectHeard(offers, { mysql: 'source', wordpress: 'target' }, 'then');
});
