import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { setDatabag } from '../../transactions/agent/set-databag.ts';
import { setSuspended } from '../../transactions/end/suspend-relation.ts';
import { offered, twoModels } from '../../../testing/two-models.ts';
import {
  Consumer,
  consumer,
  consuming,
  modify,
  relationOf,
  denied,
  dischargeRequired,
} from '../../../testing/consuming-controller.ts';

describe('macaroons', () => {
  test('a client that says nothing of macaroon-bakery is told an offer’s macaroon in the first form, others in the second', async () => {
    await using world = await twoModels();
    await offered(world);
    const told = async (more: object): Promise<string[]> => {
      const asked = { 'offer-urls': { 'offer-urls': ['admin/default.db'], ...more } };
      const { results } = await world.callers.call<{ results: { macaroon: object }[] }>(
        'ApplicationOffers',
        'GetConsumeDetails',
        asked,
      );
      return Object.keys(results[0]!.macaroon).sort();
    };
    const firstForm = ['caveats', 'identifier', 'location', 'signature'];
    expect(await told({})).toEqual(firstForm);
    expect(await told({ 'bakery-version': 1 })).toEqual(firstForm);
    for (const version of [2, 3])
      expect(await told({ 'bakery-version': version })).toEqual(['c', 'i', 's64']);
  });

  test('a discharge is asked for after three minutes, and a discharged macaroon counts', async () => {
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

  test('a user who has lost consume access is refused at once, gets no discharge, and hears of the suspension only', async () => {
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

  test('a user who has lost consume access hears of units that leave, and of others once the access is back', async () => {
    await using world = await twoModels();
    const bob = await consumer(world);
    const { offering } = world;
    await bob.register();
    await offering.settle();
    const watch = await bob.watch();
    const id = String(relationOf(world)!.id);
    const next = async (): Promise<object> => (await bob.next('RemoteRelationWatcher', watch)).changes ?? {};
    await modify(world, 'revoke');
    expect(await next()).toMatchObject({ suspended: true });
    await offering.change((tx) => setDatabag(tx, id, 'mysql/0', { password: 'new' }));
    await modify(world, 'grant');
    await offering.change((tx) => setSuspended(tx, relationOf(world)!, undefined));
    expect(await next()).toMatchObject({
      suspended: false,
      'changed-units': [{ 'unit-id': 0, settings: { password: 'new' } }],
    });
    await modify(world, 'revoke');
    expect(await next()).toMatchObject({ suspended: true });
    await offering.settle();
    const left = await next();
    expect(left).toMatchObject({ 'departed-units': [0] });
    expect(left).not.toHaveProperty('changed-units');
  });

  test('a superuser gets an offer for a user of another domain, who consumes it as long as that user may', async () => {
    await using world = await twoModels();
    await offered(world);
    await world.callers.addUser('bob');
    const mary = { 'user-tag': 'user-mary@external' };
    const hidden = { code: 'not found' };
    await expect(consuming(world, mary, 'admin')).rejects.toMatchObject(hidden);
    await modify(world, 'grant', 'mary@external');
    await expect(consuming(world, mary, 'bob')).rejects.toMatchObject({ code: 'unauthorized access' });
    const of = await consuming(world, mary, 'admin');
    expect(await of.register()).toHaveProperty('result');
    expect(relationOf(world)?.remote?.offered?.user).toBe('mary@external');
    world.callers.advance(180_000);
    of.discharge(await of.publish({}));
    expect(await of.publish({})).toEqual({});
    await modify(world, 'revoke', 'mary@external');
    expect(relationOf(world)?.suspended).toEqual({ reason: 'offer permission revoked' });
    expect(await of.publish({ 'changed-units': [{ 'unit-id': 0 }] })).toMatchObject(dischargeRequired);
  });

  test('a user who has lost consume access can still leave and end the relation', async () => {
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
    // A controller without the macaroons cannot end the relation.
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
    // A relation of another consumer has macaroons of its own.
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

  test('caveats that somebody adds to a macaroon, or removes, do not make it valid for another user', async () => {
    await using world = await twoModels();
    const bob = await consumer(world);
    const [macaroon] = bob.macaroons as [Record<string, unknown>];
    const caveats = macaroon['c'] as object[];
    bob.macaroons = [{ ...macaroon, c: [...caveats, { i: 'declared username admin' }] }];
    expect(await bob.register()).toMatchObject(denied);
    bob.macaroons = [{ ...macaroon, c: caveats.slice(1) }];
    expect(await bob.register()).toMatchObject(denied);
  });

  test('a macaroon of a removed user does not count for a new user of the same name', async () => {
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
