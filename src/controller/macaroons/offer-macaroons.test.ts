import { createSecretKey } from 'node:crypto';
import { expect, test } from 'vitest';
import { macaroonToJson } from '../../kit/macaroon/encode.ts';
import { createCallers } from '../../testing/call.ts';
import { OfferMacaroons } from './offer-macaroons.ts';

const day = 86_400_000;

test('consents from before a model came count as they did in the controller that it comes from', async () => {
  await using callers = await createCallers();
  const { store, model } = callers;
  const { services } = callers.context;
  const there = new OfferMacaroons({
    store,
    services: { ...services, agentKey: createSecretKey(Buffer.alloc(32, 1)) },
  });
  const here = new OfferMacaroons({ store, services });
  // Whoever consented there was added here later.
  const added = Date.parse(store.read().get('user', 'admin')!.createdAt);
  const consent = { user: 'admin', since: added - day, offer: 'o', model };
  const shown = { macaroons: [macaroonToJson(there.mint(consent))], bakeryVersion: 3, host: 'h:1' };
  const check = (): unknown => here.check(shown, { model, offer: 'o' });
  expect(check).toThrow('permission denied');
  const arrive = (since: number): Promise<void> =>
    store.change((tx) => {
      const key = services.sealer.seal(Buffer.from(there.rootKeyOf(model)).toString('base64'));
      const at = new Date(added + day).toISOString();
      const consents = { key, at, since: { admin: new Date(since).toISOString() } };
      tx.put('model', model, { ...tx.get('model', model)!, consents });
    }, 'test');
  await arrive(added - 2 * day);
  expect(check()).toMatchObject(consent);
  await arrive(added - day / 2);
  expect(check).toThrow('macaroon discharge required');
});
