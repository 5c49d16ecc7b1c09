import { describe, expect, test } from 'vitest';
import { setDatabag } from '../../transactions/agent/set-databag.ts';
import { destroyUnit } from '../../transactions/end/destroy-unit.ts';
import { addUnits } from '../../transactions/begin/add-units.ts';
import { ok, twoModels } from '../../../testing/two-models.ts';
import { consumer, relationOf } from '../../../testing/consuming-controller.ts';

describe('a controller that consumes an offer', () => {
  test('a consuming controller registers, hears of the units that are there, and tells of its own', async () => {
    await using world = await twoModels();
    const bob = await consumer(world);
    expect(await bob.register()).toEqual({
      result: { 'relation-token': bob.offer, macaroon: expect.anything() as unknown },
    });
    const relation = relationOf(world)!;
    expect(relation.remote).toMatchObject({
      token: bob.relation,
      application: `remote-${bob.application.replaceAll('-', '')}`,
      offered: { offer: 'db', user: 'bob', model: bob.model },
    });
    await world.offering.settle();
    const watch = await bob.watch();
    expect(watch).toMatchObject({
      changes: {
        'relation-token': bob.relation,
        'application-token': bob.offer,
        life: 'alive',
        suspended: false,
        'unit-count': 1,
        'changed-units': [{ 'unit-id': 0, settings: { 'ingress-address': '10.0.1.0' } }],
      },
    });

    expect(
      await bob.publish({
        'unit-count': 2,
        'application-settings': { version: '6' },
        'changed-units': [{ 'unit-id': 0, settings: { database: 'wp' } }, { 'unit-id': 7 }],
      }),
    ).toEqual({});
    const values = (owner: string) =>
      world.offering.view().get('settings', `${relation.id}#${relation.remote!.application}${owner}`)?.values;
    const scopes = () =>
      [...world.offering.view().find('scope', 'relation', String(relation.id))].map(({ unit }) => unit);
    expect([values(''), values('/0'), values('/7')]).toEqual([{ version: '6' }, { database: 'wp' }, {}]);
    expect(scopes()).toHaveLength(3);
    // Settings that a change leaves out stay as they were.
    await bob.publish({ 'changed-units': [{ 'unit-id': 0 }], 'departed-units': [7] });
    expect(values('/0')).toEqual({ database: 'wp' });
    expect(scopes()).toEqual(['mysql/0', `${relation.remote!.application}/0`]);

    const next = bob.next('RemoteRelationWatcher', watch);
    await world.offering.change((tx) => setDatabag(tx, String(relation.id), 'mysql/0', { password: 'x' }));
    expect((await next).changes?.['changed-units']).toMatchObject([
      { 'unit-id': 0, settings: { password: 'x' } },
    ]);
  });

  test('a consuming controller hears of units that leave, of the end of the relation, and then no more', async () => {
    await using world = await twoModels();
    const bob = await consumer(world);
    await bob.register();
    await world.offering.change((tx) => addUnits(tx, { application: 'mysql', count: 1, placement: [] }));
    await world.offering.settle();
    const watch = await bob.watch();
    expect(watch.changes).toMatchObject({ 'unit-count': 2 });
    await world.offering.change((tx) => destroyUnit(tx, { unit: 'mysql/1' }));
    await world.offering.settle();
    expect((await bob.next('RemoteRelationWatcher', watch)).changes).toMatchObject({ 'departed-units': [1] });

    expect(await bob.publish({ life: 'dying' })).toEqual({});
    await world.offering.settle();
    expect(relationOf(world)).toBeUndefined();
    let news = await bob.next('RemoteRelationWatcher', watch);
    if (news.changes?.['life'] !== 'dead') news = await bob.next('RemoteRelationWatcher', watch);
    expect(news.changes).toMatchObject({ life: 'dead', 'unit-count': 0 });
    expect(await bob.watch()).toMatchObject({ error: { code: 'not found' } });
    // The end of a relation that is gone may be told again.
    expect(await bob.publish({ life: 'dead' })).toEqual({});
  });

  test('a consuming controller hears of suspension and resumption', async () => {
    await using world = await twoModels();
    const bob = await consumer(world);
    await bob.register();
    const { id, key } = relationOf(world)!;
    const watch = await bob.watch('WatchRelationsSuspendedStatus');
    expect(watch.changes).toEqual([{ key, life: 'alive', suspended: false, 'suspended-reason': '' }]);
    const suspend = (suspended: boolean): Promise<void> =>
      ok(
        world.callers.call('Application', 'SetRelationsSuspended', {
          args: [{ 'relation-id': id, suspended, message: 'maintenance' }],
        }),
      );
    await suspend(true);
    world.callers.advance(2_000);
    expect((await bob.next('RelationStatusWatcher', watch)).changes).toEqual([
      { key, life: 'alive', suspended: true, 'suspended-reason': 'maintenance' },
    ]);
  });

  test('a consumer is told of the status of the offered application, and of the end of the offer', async () => {
    await using world = await twoModels();
    const bob = await consumer(world);
    const watch = await bob.call('WatchOfferStatus', { 'offer-uuid': bob.offer });
    expect(watch.changes).toMatchObject([
      { 'offer-name': 'db', status: { status: expect.any(String) as unknown } },
    ]);
    await ok(world.call('ApplicationOffers', 'DestroyOffers', { 'offer-urls': ['admin/default.db'] }));
    world.callers.advance(2_000);
    expect((await bob.next('OfferStatusWatcher', watch)).changes).toMatchObject([
      { status: { status: 'terminated', info: 'offer has been removed' } },
    ]);
    expect(await bob.call('WatchOfferStatus', { 'offer-uuid': bob.offer })).toMatchObject({
      error: { code: 'not found' },
    });
  });

  test('a consuming controller says where its units come from, and is told where the offering units come from', async () => {
    await using world = await twoModels();
    const bob = await consumer(world);
    await bob.register();
    await world.offering.settle();
    const ingress = (networks: string[], isRequired = true) =>
      bob.call(
        'PublishIngressNetworkChanges',
        { 'relation-token': bob.relation, networks, 'ingress-required': isRequired },
        'changes',
      );
    expect(await ingress(['192.168.2.0/24', '10.9.0.1/32'])).toEqual({});
    const heard = () => relationOf(world)!.remote!.offered!.ingress;
    expect(heard()).toEqual(['10.9.0.1/32', '192.168.2.0/24']);
    // A change without networks leaves the known ones.
    await bob.publish({ 'changed-units': [{ 'unit-id': 0, settings: {} }] });
    expect(heard()).toHaveLength(2);
    expect(await ingress([], false)).toEqual({});
    expect(heard()).toEqual([]);
    expect(await bob.watch('WatchEgressAddressesForRelations')).toMatchObject({ changes: ['10.0.1.0/32'] });
    expect(await bob.watch('WatchConsumedSecretsChanges')).toMatchObject({ changes: [] });
  });

  test('a consuming controller learns where the offering controller is', async () => {
    await using world = await twoModels();
    const bob = await consumer(world);
    expect(await bob.raw('CrossController', 'ControllerInfo')).toEqual({
      results: [{ addresses: ['10.0.0.1:17070'], cacert: 'the CA' }],
    });
    const { results } = await bob.raw<{ results: { NotifyWatcherId: string }[] }>(
      'CrossController',
      'WatchControllerInfo',
    );
    const next = bob.raw('NotifyWatcher', 'Next', {}, results[0]!.NotifyWatcherId);
    await bob.raw('NotifyWatcher', 'Stop', {}, results[0]!.NotifyWatcherId);
    await expect(next).rejects.toMatchObject({ code: 'stopped' });
  });

  test('a consuming controller hears of more units than fit into one event by the next events', async () => {
    await using world = await twoModels();
    const bob = await consumer(world);
    await bob.register();
    await world.offering.change((tx) => addUnits(tx, { application: 'mysql', count: 600, placement: [] }));
    await world.offering.settle();
    const watch = await bob.watch();
    const numbers = new Set<number>();
    let { changes } = watch;
    while (numbers.size < 601) {
      for (const { 'unit-id': number } of changes!['changed-units'] as { 'unit-id': number }[])
        numbers.add(number);
      if (numbers.size < 601) ({ changes } = await bob.next('RemoteRelationWatcher', watch));
    }
    expect([...numbers].every((number) => number <= 600)).toBe(true);
  });
});
