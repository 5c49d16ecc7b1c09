import { expect, test } from 'vitest';
import { limits } from '../../../core/limits.ts';
import { twoModels } from '../../../testing/two-models.ts';

const { max } = limits.recordId;

test.each<[string, object, string]>([
  ['an owner who does not exist', { 'owner-tag': 'user-nobody' }, 'user "nobody" not found'],
  ['an endpoint under a long name', { endpoints: { ['x'.repeat(max + 1)]: 'server' } }, 'exceed the limit'],
  ['no endpoint', { endpoints: {} }, 'no endpoints were named'],
  ['a peer endpoint', { endpoints: { cluster: 'cluster' } }, 'endpoint "cluster" is a peer relation'],
  [
    'an endpoint by a name of every object',
    { endpoints: { x: 'constructor' } },
    'has no "constructor" relation',
  ],
])('an offer with %s is refused, and nothing is left of it', async (_what, change, message) => {
  await using world = await twoModels();
  const { call, offering, callers } = world;
  const { results } = await call<{ results: { error?: { message: string } }[] }>(
    'ApplicationOffers',
    'Offer',
    {
      Offers: [
        {
          'model-tag': `model-${offering.uuid}`,
          'offer-name': 'db',
          'application-name': 'mysql',
          'application-description': '',
          endpoints: { server: 'server' },
          ...change,
        },
      ],
    },
  );
  expect(results[0]?.error?.message).toContain(message);
  expect(offering.view().count('offer')).toBe(0);
  expect(callers.store.read().in('').count('offer-access')).toBe(0);
});
