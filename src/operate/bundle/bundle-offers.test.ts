import { expect, test } from 'vitest';
import type { BundleModel } from '../../core/bundle/bundle-model.ts';
import type { Bundle } from '../../core/bundle/bundle.ts';
import { emptyModel } from '../../testing/bundle/model.ts';
import type { ControllerSession } from '../sessions.ts';
import { withConsumedUrls } from './bundle-offers.ts';

const uuids: Readonly<Record<string, string>> = { 'admin/data.db': 'u1', 'admin/data.other': 'u2' };

/** Controller with offers, which the client knows under two names. */
const session = {
  controller: 'here',
  user: 'admin',
  connection: {
    login: { controllerTag: 'controller-1' },
    call: (_facade: string, _method: string, params: { 'offer-urls': { 'offer-urls': string[] } }) => {
      const [url = ''] = params['offer-urls']['offer-urls'];
      return Promise.resolve({ results: [{ offer: { 'offer-uuid': uuids[url], endpoints: [] } }] });
    },
  },
} as unknown as ControllerSession;
const openController = (controller: string) => Promise.resolve({ ...session, controller });

async function urlIn(url: string, consumed?: BundleModel['consumed']): Promise<string | undefined> {
  const saas = { sql: { url: 'here:admin/data.db' } };
  const model = { ...emptyModel, state: { ...emptyModel.state, saas }, saas: { sql: [] }, consumed };
  const bundle: Bundle = { ...emptyModel.state, saas: { sql: { url } } };
  const means = { session, openController };
  return (await withConsumedUrls(bundle, model as BundleModel, means)).saas?.['sql']?.url;
}

test.each([
  ['the same URL', 'here:admin/data.db', { sql: 'u1' }, 'here:admin/data.db'],
  [
    'the same offer by another name of the controller',
    'prod:admin/data.db',
    { sql: 'u1' },
    'here:admin/data.db',
  ],
  ['a controller that tells no offers', 'prod:admin/data.db', undefined, 'prod:admin/data.db'],
])('the URL of %s', async (_, url, consumed, expected) => {
  expect(await urlIn(url, consumed)).toBe(expected);
});

test('another offer than the model has under the name is an error', async () => {
  await expect(urlIn('here:admin/data.other', { sql: 'u1' })).rejects.toMatchObject({
    code: 'already exists',
    message: expect.stringContaining(
      'saas "sql": the model has consumed another offer, here:admin/data.db',
    ) as string,
  });
});
