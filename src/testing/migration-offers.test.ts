/** Models that are related by an offer go to another controller, one after the other; nobody notices. */
import { describe, expect, test } from 'vitest';
import { eventually } from './eventually.ts';
import { expectHeard, migratingOffers } from './migrating-offers.ts';

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

test('a model that offers goes, and its consumer in the old controller follows it', async () => {
  await using offers = await migratingOffers();
  const { data, world } = offers;
  const before = await offers.hooks();
  await data.begin();
  await data.until('DONE');
  await data.expectAt('target');
  const target = world.target.running().store.read().get('controller', 'self')!.uuid;
  expect(offers.view('source', offers.shop).get('remote-application', 'db')).toMatchObject({
    saas: { url: 'new:admin/data.db', elsewhere: { controller: target } },
  });
  await eventually(() =>
    expect(offers.view('source', offers.shop).get('remote-application', 'db')?.saas?.status.status).toBe(
      'active',
    ),
  );
  expect(await offers.hooks()).toEqual(before);
  await expectHeard(offers, { mysql: 'target', wordpress: 'source' }, 'then');
});

describe('both models go', () => {
  test.each([
    ['the consuming one first', ['shop', 'data']],
    ['the offering one first', ['data', 'shop']],
  ] as const)('%s', async (_, order) => {
    await using offers = await migratingOffers();
    const before = await offers.hooks();
    for (const name of order) {
      await offers[name].begin();
      await offers[name].until('DONE');
    }
    await offers.data.expectAt('target');
    await offers.shop.expectAt('target');
    const { uuid } = offers.world.target.running().store.read().get('controller', 'self')!;
    await eventually(() =>
      expect(offers.view('target', offers.shop).get('remote-application', 'db')?.saas).toMatchObject({
        elsewhere: { controller: uuid },
        status: { status: 'active' },
      }),
    );
    expect(await offers.hooks()).toEqual(before);
    await expectHeard(offers, { mysql: 'target', wordpress: 'target' }, 'then');
    // The same offer is consumed again, as it could be where it was.
    await offers.consume('target');
  });
});
