import { expect, test } from 'vitest';
import { consumed, offered, ok, related, settleBoth, twoModels } from '../../../testing/two-models.ts';

test('an offer that gets the name of one removed by force has none of its connections', async () => {
  await using world = await twoModels();
  await related(world);
  const { call, carry, offering, consuming } = world;
  const destroy = (force: boolean): Promise<void> =>
    ok(call('ApplicationOffers', 'DestroyOffers', { 'offer-urls': ['admin/default.db'], force }));
  await destroy(true);
  const left = (): string[] =>
    [...offering.view().list('relation')].filter(({ remote }) => remote).map(({ life }) => life);
  expect(left()).toEqual(['dying']);
  await offered(world);
  const connections = async (): Promise<unknown> => {
    const { results } = await call<{ results: { result: { connections: unknown[] } }[] }>(
      'ApplicationOffers',
      'ApplicationOffers',
      { 'offer-urls': ['admin/default.db'] },
    );
    return results[0]!.result.connections;
  };
  expect(await connections()).toEqual([]);
  await destroy(false);
  await carry();
  await settleBoth(world);
  expect([left(), consuming.view().count('relation', 'remote', 'consumed')]).toEqual([[], 0]);

  await offered(world);
  await consumed(world, 'admin', 'again');
  await call('Application', 'AddRelation', { endpoints: ['wordpress:db', 'again'], 'via-cidrs': [] });
  await carry();
  expect(await connections()).toHaveLength(1);
});
