import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { limits } from '../../../core/limits.ts';
import { bind } from '../../../kit/macaroon/macaroon.ts';
import { macaroonToJson } from '../../../kit/macaroon/encode.ts';
import { bakeryFromJson } from '../../../kit/macaroon/slices.ts';
import { setDatabag } from '../../transactions/agent/set-databag.ts';
import { destroyUnit } from '../../transactions/end/destroy-unit.ts';
import { addUnits } from '../../transactions/begin/add-units.ts';
import { offered, ok, twoModels, type TwoModels } from '../../../testing/two-models.ts';

interface WireError {
  readonly code: string;
  readonly message: string;
  readonly info?: Readonly<Record<string, unknown>>;
}
interface Item<R = unknown> {
  readonly result?: R;
  readonly error?: WireError;
  readonly 'watcher-id'?: string;
  readonly changes?: Record<string, unknown>;
}

/** Another controller, as it calls the one that has the offers: all that it knows is what it was answered. */
class Consumer {
  readonly #world: TwoModels;
  readonly offer: string;
  readonly model = randomUUID();
  readonly application = randomUUID();
  readonly relation = randomUUID();
  /** Macaroons that it sends: at first the offer's, then the relation's. */
  macaroons: unknown;

  constructor(world: TwoModels, found: { offer: { 'offer-uuid': string }; macaroon: unknown }) {
    this.#world = world;
    this.offer = found.offer['offer-uuid'];
    this.macaroons = [found.macaroon];
  }

  async call(method: string, item: Record<string, unknown>, list = 'args'): Promise<Item> {
    const { results } = await this.raw<{ results: Item[] }>('CrossModelRelations', method, {
      [list]: [{ macaroons: this.macaroons, 'bakery-version': 3, ...item }],
    });
    return results[0]!;
  }

  raw<R>(facade: string, method: string, params: unknown = {}, id = ''): Promise<R> {
    const { callers, offering } = this.#world;
    const model = facade === 'CrossController' ? '' : offering.uuid;
    return callers.call<R>(facade, method, params, { as: { kind: 'anonymous' }, id, model });
  }

  async register(rest: Record<string, unknown> = {}): Promise<Item> {
    const item = await this.call(
      'RegisterRemoteRelations',
      {
        'application-token': this.application,
        'source-model-tag': `model-${this.model}`,
        'relation-token': this.relation,
        'remote-endpoint': { name: 'db', role: 'requirer', interface: 'mysql', limit: 0 },
        'offer-uuid': this.offer,
        'local-endpoint-name': 'server',
        ...rest,
      },
      'relations',
    );
    const { macaroon } = (item.result ?? {}) as { macaroon?: unknown };
    if (macaroon !== undefined) this.macaroons = [macaroon];
    return item;
  }

  publish(change: Record<string, unknown>): Promise<Item> {
    const item = { 'relation-token': this.relation, 'application-token': this.application, life: 'alive' };
    return this.call('PublishRelationChanges', { ...item, ...change }, 'changes');
  }

  watch(method = 'WatchRelationChanges'): Promise<Item> {
    return this.call(method, { 'relation-token': this.relation });
  }

  async next(facade: string, { 'watcher-id': id = '' }: Item): Promise<Item> {
    return this.raw<Item>(facade, 'Next', {}, id);
  }

  /** Discharges the macaroon of an error, which it sends from now on. */
  discharge({ error }: Item): void {
    const { macaroon } = bakeryFromJson(error?.info?.['bakery-macaroon']);
    const caveat = macaroon.caveats.find(({ verificationId }) => verificationId)!;
    expect(caveat.location).toBe('https://10.0.0.1:17070/offeraccess');
    const { offerMacaroons } = this.#world.callers.context;
    const discharge = bakeryFromJson(offerMacaroons.discharge({ id: caveat.id, caveat: caveat.id })).macaroon;
    this.macaroons = [macaroonToJson(macaroon), macaroonToJson(bind(macaroon, discharge))];
  }
}

/** Offers mysql, which bob may consume, and consumes it as he. */
async function consumer(world: TwoModels): Promise<Consumer> {
  await offered(world);
  await world.callers.addUser('bob');
  await modify(world, 'grant');
  const { results } = await world.call<{
    results: { offer: { 'offer-uuid': string }; macaroon: unknown }[];
  }>(
    'ApplicationOffers',
    'GetConsumeDetails',
    { 'offer-urls': { 'offer-urls': ['admin/default.db'] } },
    'bob',
  );
  return new Consumer(world, results[0]!);
}

function modify({ call }: TwoModels, action: 'grant' | 'revoke'): Promise<void> {
  const change = { 'user-tag': 'user-bob', action, access: action === 'grant' ? 'consume' : 'read' };
  return ok(
    call('ApplicationOffers', 'ModifyOfferAccess', {
      changes: [{ ...change, 'offer-url': 'admin/default.db' }],
    }),
  );
}

function relationOf({ offering }: TwoModels) {
  return [...offering.view().find('relation', 'remote', 'offered')][0];
}

const denied = { error: { code: 'unauthorized access', message: 'permission denied' } };
const dischargeRequired = { error: { code: 'macaroon discharge required' } };

describe('a controller that consumes an offer', () => {
  test('registers, hears of the units that are there, and tells of its own', async () => {
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
    // Settings that are not told are as they were.
    await bob.publish({ 'changed-units': [{ 'unit-id': 0 }], 'departed-units': [7] });
    expect(values('/0')).toEqual({ database: 'wp' });
    expect(scopes()).toEqual(['mysql/0', `${relation.remote!.application}/0`]);

    const next = bob.next('RemoteRelationWatcher', watch);
    await world.offering.change((tx) => setDatabag(tx, String(relation.id), 'mysql/0', { password: 'x' }));
    expect((await next).changes?.['changed-units']).toMatchObject([
      { 'unit-id': 0, settings: { password: 'x' } },
    ]);
  });

  test('hears of units that leave, of the end, and then no more', async () => {
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
    // Whoever tells of the end of what is gone already has told it.
    expect(await bob.publish({ life: 'dead' })).toEqual({});
  });

  test('hears of suspension and resumption', async () => {
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

  test('hears of the status of what is offered, and of the end of the offer', async () => {
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

  test('says where its units come from, and is told where those here do', async () => {
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
    // Other news leaves them.
    await bob.publish({ 'changed-units': [{ 'unit-id': 0, settings: {} }] });
    expect(heard()).toHaveLength(2);
    expect(await ingress([], false)).toEqual({});
    expect(heard()).toEqual([]);
    expect(await bob.watch('WatchEgressAddressesForRelations')).toMatchObject({ changes: ['10.0.1.0/32'] });
    expect(await bob.watch('WatchConsumedSecretsChanges')).toMatchObject({ changes: [] });
  });

  test('learns where the controller is', async () => {
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

  test('hears of more units than fit into one event by the next ones', async () => {
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

describe('macaroons', () => {
  test('three minutes on a discharge is asked for, and a discharged macaroon counts', async () => {
    await using world = await twoModels();
    const bob = await consumer(world);
    world.callers.advance(180_000);
    const refused = await bob.register();
    expect(refused).toMatchObject(dischargeRequired);
    bob.discharge(refused);
    expect(await bob.register()).toHaveProperty('result');
    world.callers.advance(180_000);
    const again = await bob.publish({});
    expect(again).toMatchObject(dischargeRequired);
    bob.discharge(again);
    expect(await bob.publish({})).toEqual({});
    world.callers.advance(179_000);
    expect(await bob.publish({})).toEqual({});
    world.callers.advance(1_000);
    const third = await bob.publish({});
    bob.discharge(third);
    expect(await bob.publish({})).toEqual({});
  });

  test('whoever has lost consume is refused at once, gets no discharge, and hears of the suspension only', async () => {
    await using world = await twoModels();
    const bob = await consumer(world);
    await bob.register();
    await world.offering.settle();
    const watch = await bob.watch();
    const { id } = relationOf(world)!;
    await modify(world, 'revoke');
    const refused = await bob.publish({ 'changed-units': [{ 'unit-id': 0, settings: {} }] });
    expect(refused).toMatchObject(dischargeRequired);
    expect(() => bob.discharge(refused)).toThrow('permission denied');
    await world.offering.change((tx) => setDatabag(tx, String(id), 'mysql', { password: 'new' }));
    const { changes } = await bob.next('RemoteRelationWatcher', watch);
    expect(changes).toMatchObject({ suspended: true, 'suspended-reason': 'offer permission revoked' });
    expect(changes).not.toHaveProperty('application-settings');
    expect(changes).not.toHaveProperty('changed-units');
    await modify(world, 'grant');
    expect(await bob.publish({})).toEqual({});
  });

  test('whoever has lost consume still leaves, and ends the relation', async () => {
    await using world = await twoModels();
    const bob = await consumer(world);
    await bob.register();
    await bob.publish({
      'changed-units': [{ 'unit-id': 0, settings: { database: 'wp' } }, { 'unit-id': 1 }],
    });
    const { id, remote } = relationOf(world)!;
    const units = () =>
      [...world.offering.view().find('scope', 'relation', String(id))].map(({ unit }) => unit).sort();
    const proxy = remote!.application;
    expect(units()).toEqual([`${proxy}/0`, `${proxy}/1`]);
    await modify(world, 'revoke');
    const change = {
      'changed-units': [{ 'unit-id': 0, settings: {} }, { 'unit-id': 2 }],
      'application-settings': { new: 'x' },
      'departed-units': [1],
    };
    expect(await bob.publish(change)).toMatchObject(dischargeRequired);
    expect(units()).toEqual([`${proxy}/0`]);
    const values = (owner: string) => world.offering.view().get('settings', `${id}#${owner}`)?.values;
    expect([values(`${proxy}/0`), values(proxy)]).toEqual([{ database: 'wp' }, undefined]);
    // A stranger ends nothing.
    const { macaroons } = bob;
    bob.macaroons = [];
    expect(await bob.publish({ life: 'dying' })).toMatchObject(denied);
    expect(relationOf(world)?.life).toBe('alive');
    bob.macaroons = macaroons;
    expect(await bob.publish({ life: 'dying' })).toEqual({});
    await world.offering.settle();
    expect(relationOf(world)).toBeUndefined();
  });

  test('a macaroon is of one user, offer and relation', async () => {
    await using world = await twoModels();
    const bob = await consumer(world);
    const { offer, macaroons } = bob;
    const other = new Consumer(world, { offer: { 'offer-uuid': randomUUID() }, macaroon: undefined });
    other.macaroons = macaroons;
    expect(await other.register()).toMatchObject(denied);
    expect(await other.register({ 'offer-uuid': offer })).toHaveProperty('result');
    // The other one's relation has macaroons of its own.
    bob.macaroons = other.macaroons;
    expect(await bob.register()).toMatchObject(denied);
    bob.macaroons = macaroons;
    await bob.register();
    const own = bob.macaroons;
    bob.macaroons = other.macaroons;
    expect(await bob.watch()).toMatchObject(denied);
    for (const none of [undefined, [], [{}], 'x', [[]]]) {
      bob.macaroons = none;
      expect((await bob.watch()).error?.code).toMatch(/^(unauthorized access|not valid)$/);
    }
    bob.macaroons = own;
    expect(await bob.watch()).toHaveProperty('changes');
  });

  test('what somebody adds to a macaroon does not make it another’s', async () => {
    await using world = await twoModels();
    const bob = await consumer(world);
    const [macaroon] = bob.macaroons as [Record<string, unknown>];
    const caveats = macaroon['c'] as object[];
    bob.macaroons = [{ ...macaroon, c: [...caveats, { i: 'declared username admin' }] }];
    expect(await bob.register()).toMatchObject(denied);
    bob.macaroons = [{ ...macaroon, c: caveats.slice(1) }];
    expect(await bob.register()).toMatchObject(denied);
  });

  test('a name that is given to another user does not count', async () => {
    await using world = await twoModels();
    const bob = await consumer(world);
    world.callers.advance(1_000);
    await world.callers.addUser('bob');
    const refused = await bob.register();
    expect(refused).toMatchObject(dischargeRequired);
    expect(() => bob.discharge(refused)).toThrow('permission denied');
  });

  test('a caveat that somebody else has made is not discharged', async () => {
    await using world = await twoModels();
    const { offerMacaroons } = world.callers.context;
    const garbage = Buffer.alloc(200, 3);
    expect(() => offerMacaroons.discharge({ id: garbage, caveat: garbage })).toThrow('caveat not valid');
  });
});

describe('what a stranger sends', () => {
  test('a token of another’s relation gives no access to it', async () => {
    await using world = await twoModels();
    const bob = await consumer(world);
    const { macaroons } = bob;
    await bob.register();
    const thief = new Consumer(world, { offer: { 'offer-uuid': bob.offer }, macaroon: undefined });
    thief.macaroons = macaroons;
    expect(await thief.register({ 'relation-token': bob.relation })).toMatchObject(denied);
    expect(await thief.register({ 'application-token': bob.application })).toMatchObject(denied);
  });

  test.each([
    ['a token', { 'relation-token': 'x' }, 'relation token "x" not valid'],
    ['an application token', { 'application-token': '../x' }, 'application token "../x" not valid'],
    ['a tag', { 'source-model-tag': 'user-bob' }, '"user-bob" is not a valid model tag'],
    ['an endpoint', { 'local-endpoint-name': 'nothing' }, 'offer "db" has no endpoint "nothing"'],
    [
      'a role',
      { 'remote-endpoint': { name: 'db', role: 'king', interface: 'mysql', limit: 0 } },
      'role "king" of an endpoint not valid',
    ],
    [
      'a name',
      { 'remote-endpoint': { name: 'a b', role: 'requirer', interface: 'mysql', limit: 0 } },
      'name "a b" of an endpoint or an interface not valid',
    ],
    [
      'a long name',
      { 'remote-endpoint': { name: 'a'.repeat(101), role: 'requirer', interface: 'mysql', limit: 0 } },
      'name of an endpoint, or of an interface: 101 characters exceed the limit of 100',
    ],
  ])('%s that is none is refused', async (_what, item, message) => {
    await using world = await twoModels();
    const bob = await consumer(world);
    expect(await bob.register(item)).toMatchObject({ error: { message } });
    expect(relationOf(world)).toBeUndefined();
  });

  test('changes that are none are refused', async () => {
    await using world = await twoModels();
    const bob = await consumer(world);
    await bob.register();
    const number = limits.remoteUnitNumber.max;
    const of = async (change: Record<string, unknown>) => (await bob.publish(change)).error?.message;
    expect(await of({ life: 'undead' })).toBe('life "undead" not valid');
    expect(await of({ 'changed-units': [{ 'unit-id': -1 }] })).toBe('unit -1 not valid');
    expect(await of({ 'departed-units': [number + 1] })).toContain(`exceed the limit of ${number}`);
    expect(await of({ 'changed-units': [{ 'unit-id': 0, settings: { a: 1 } }] })).toContain('it is no text');
    expect(await of({ 'application-settings': { a: 'x'.repeat(limits.databag.max) } })).toContain(
      `exceed the limit of ${limits.databag.max}`,
    );
    const networks = async (list: string[]) =>
      (
        await bob.call(
          'PublishIngressNetworkChanges',
          { 'relation-token': bob.relation, networks: list, 'ingress-required': true },
          'changes',
        )
      ).error?.message;
    expect(await networks(['10.0.0.0/99'])).toBe('CIDR "10.0.0.0/99" not valid');
    expect(await networks(Array.from({ length: 101 }, (_, n) => `10.0.0.${n}/32`))).toContain(
      `exceed the limit of ${limits.viaCidrs.max}`,
    );
  });

  test('watchers of a connection are limited', async () => {
    await using world = await twoModels();
    const bob = await consumer(world);
    await bob.register();
    const args = Array.from({ length: limits.watchersOfConnection.max + 1 }, () => ({
      'relation-token': bob.relation,
      macaroons: bob.macaroons,
    }));
    const { results } = await bob.raw<{ results: Item[] }>(
      'CrossModelRelations',
      'WatchRelationsSuspendedStatus',
      {
        args,
      },
    );
    expect(results.filter(({ error }) => error)).toMatchObject([{ error: { code: 'quota limit exceeded' } }]);
  });
});
