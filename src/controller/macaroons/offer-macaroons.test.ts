import { createSecretKey, hkdfSync } from 'node:crypto';
import { expect, test } from 'vitest';
import type { JujuError } from '../../core/errors.ts';
import { macaroonToJson } from '../../kit/macaroon/encode.ts';
import { addCondition, mint } from '../../kit/macaroon/macaroon.ts';
import { createCallers } from '../../testing/call.ts';
import { OfferMacaroons, renewed } from './offer-macaroons.ts';

const day = 86_400_000;

test('a macaroon of the key of earlier releases is answered with one of the key of its model, which then counts', async () => {
  await using callers = await createCallers();
  const { store, model } = callers;
  const { services } = callers.context;
  const macaroons = new OfferMacaroons({ store, services });
  const rootKey = new Uint8Array(hkdfSync('sha256', services.agentKey, '', 'grigri offers', 32));
  const since = Date.parse(store.read().get('user', 'admin')!.createdAt) + day;
  const own = macaroons.mint({ user: 'admin', since, offer: 'o', model });
  const conditions = own.caveats.map(({ id }) => id.toString());
  const earlier = conditions.reduce(addCondition, mint({ rootKey, id: own.id }));
  const check = (macaroon: unknown): unknown =>
    macaroons.check({ macaroons: [macaroon], bakeryVersion: 3, host: 'h:1' }, { model, offer: 'o' });
  let info: JujuError['info'];
  try {
    check(macaroonToJson(earlier));
  } catch (error) {
    ({ info } = error as JujuError);
  }
  expect(info).toHaveProperty('bakery-macaroon');
  expect(check(info![renewed])).toMatchObject({ user: 'admin', since });
});

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

test('a consent counts also when the clock was set back since its user was added', async () => {
  await using callers = await createCallers();
  const { store, model } = callers;
  const { services } = callers.context;
  const clock = {
    ...services.clock,
    now: () => Date.parse(store.read().get('user', 'admin')!.createdAt) - day,
  };
  const macaroons = new OfferMacaroons({ store, services: { ...services, clock } });
  const macaroon = macaroonToJson(macaroons.mintNow({ user: 'admin', offer: 'o', model }));
  const shown = { macaroons: [macaroon], bakeryVersion: 3, host: 'h:1' };
  expect(macaroons.check(shown, { model, offer: 'o' })).toMatchObject({ user: 'admin' });
});
