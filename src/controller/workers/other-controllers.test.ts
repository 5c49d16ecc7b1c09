/** Tests of controllers that are silent, or answer anything, beside relations that work. */
import { expect, test } from 'vitest';
import { limits } from '../../core/limits.ts';
import { macaroonToJson } from '../../kit/macaroon/encode.ts';
import { mint } from '../../kit/macaroon/macaroon.ts';
import { eventually } from '../../testing/eventually.ts';
import { TcpGate } from '../../testing/tcp-gate.ts';
import { makeTestCa } from '../../testing/test-ca.ts';
import { related, settleBoth, twoModels, type TwoModels } from '../../testing/two-models.ts';
import { addUnits } from '../transactions/begin/add-units.ts';
import { consumeOffer } from '../transactions/begin/consume-offer.ts';
import type { OtherControllers, PeerConnection } from '../other-controllers.ts';

const macaroon = macaroonToJson(mint({ rootKey: Buffer.alloc(24), id: Buffer.from('m') }));

/** Consumes what another controller, at this address, calls an offer, as `far`; and relates wordpress with it. */
async function relateFar(world: TwoModels, address: string): Promise<void> {
  const { caCert } = await makeTestCa();
  const { callers, consuming, call } = world;
  await consuming.change((tx) =>
    consumeOffer(tx, {
      name: 'far',
      model: '6f1c2b1e-0000-4000-8000-000000000001',
      offerUuid: 'offer-1',
      url: 'far:admin/data.db',
      user: 'admin',
      endpoints: [{ name: 'server', role: 'provider', interface: 'mysql', limit: 0 }],
      elsewhere: {
        controller: {
          uuid: '6f1c2b1e-0000-4000-8000-000000000002',
          alias: 'far',
          addresses: [address],
          caCert,
        },
        macaroon: callers.context.services.sealer.seal(JSON.stringify(macaroon)),
      },
    }),
  );
  await call('Application', 'AddRelation', { endpoints: ['wordpress:cache', 'far'], 'via-cidrs': [] });
}

test('a controller that is silent holds no relation with a model of this one', async () => {
  await using gate = await TcpGate.open();
  gate.swallow();
  await using world = await twoModels();
  await relateFar(world, gate.address);
  await world.carry();
  await eventually(() => expect(gate.connections).toBe(2));
  // The clock stands still, so the silent controller's answer is waited for as long as the test lasts.
  await related(world);
  const { offering, consuming } = world;
  await offering.change((tx) => addUnits(tx, { application: 'mysql', count: 1, placement: [] }));
  await settleBoth(world);
  const [relation] = [...consuming.view().find('relation', 'application', 'db')];
  const units = [...consuming.view().find('scope', 'relation', String(relation?.id))].map(({ unit }) => unit);
  expect(units.sort()).toEqual(['db/0', 'db/1', 'wordpress/0']);
  expect(gate.connections).toBe(2);
});

/** A controller that gives the answers by the names of methods, and reports what it was asked. */
function answering(
  answers: Readonly<Record<string, unknown>>,
): OtherControllers & { readonly asked: string[] } {
  const asked: string[] = [];
  const connection: PeerConnection = {
    call(facade, method, _params, { id = '' }) {
      asked.push([facade, method, id].join(' ').trim());
      if (method === 'Next') return new Promise(() => undefined);
      return Promise.resolve(answers[method] ?? { results: [{}] });
    },
    closed: new Promise(() => undefined),
    close: () => Promise.resolve(),
  };
  return {
    asked,
    connect: () => Promise.resolve(connection),
    discharge: () => Promise.reject(new Error('none')),
  };
}

const failing = (code: string, message: string): object => ({ results: [{ error: { code, message } }] });
const registered = { results: [{ result: { macaroon } }] };

test('the error in another controller’s answer is cut before it is shown', async () => {
  const message = 'x'.repeat(1_000_000);
  const elsewhere = answering({
    RegisterRemoteRelations: failing('not found', message),
    WatchOfferStatus: failing('', message),
  });
  await using world = await twoModels({ elsewhere });
  await relateFar(world, '10.9.9.9:17070');
  await world.carry();
  const { consuming } = world;
  const { id } = [...consuming.view().find('relation', 'application', 'far')][0]!;
  await eventually(() => {
    const { saas } = consuming.view().get('remote-application', 'far')!;
    const { status, message: text = '' } = consuming.view().get('status', `relation:${id}`) ?? {};
    expect([saas?.status.status, status]).toEqual(['error', 'error']);
    for (const shown of [saas!.status.message, text])
      expect(shown.length).toBeLessThanOrEqual(limits.statusMessage.max);
  });
});

test('a watcher at the other controller is stopped when its answer, or that of the next watcher, is of no use', async () => {
  const elsewhere = answering({
    RegisterRemoteRelations: registered,
    WatchRelationChanges: { results: [{ 'watcher-id': '1', changes: {} }] },
    WatchRelationsSuspendedStatus: failing('quota limit exceeded', 'too many watchers'),
  });
  await using world = await twoModels({ elsewhere });
  await relateFar(world, '10.9.9.9:17070');
  await world.carry();
  await eventually(() => expect(elsewhere.asked).toContain('RemoteRelationWatcher Stop 1'));
});
