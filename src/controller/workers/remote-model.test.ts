/** Relations between models of two controllers, over their real API. */
import { hkdfSync } from 'node:crypto';
import { expect, test } from 'vitest';
import { addCondition, mint, verify, type Macaroon } from '../../kit/macaroon/macaroon.ts';
import { macaroonFromJson, macaroonToJson } from '../../kit/macaroon/encode.ts';
import type { RelationDoc } from '../../core/relation/document.ts';
import { eventually } from '../../testing/eventually.ts';
import { twoControllers, type FarSide, type TwoControllers } from '../../testing/two-controllers.ts';
import { ok } from '../../testing/two-models.ts';
import { addUnits } from '../transactions/begin/add-units.ts';
import { destroyUnit } from '../transactions/end/destroy-unit.ts';
import { setDatabag } from '../transactions/agent/set-databag.ts';

const kinds = { offering: 'offered', consuming: 'consumed' } as const;
type Which = keyof typeof kinds;

function relationOf(world: TwoControllers, which: Which): RelationDoc | undefined {
  return [...world[which].view().find('relation', 'remote', kinds[which])][0];
}

/** Numbers of units that the side's application, and its counterpart, have in the relation. */
function members(world: TwoControllers, which: Which): { own: number[]; others: number[] } {
  const relation = relationOf(world, which);
  const numbers = (isRemote: boolean): number[] =>
    [...world[which].view().find('scope', 'relation', String(relation?.id))]
      .filter(({ remote }) => (remote === true) === isRemote)
      .map(({ unit }) => Number(unit.split('/')[1]))
      .sort((a, b) => a - b);
  return { own: numbers(false), others: numbers(true) };
}

/** Waits until these units are in the relation, as both sides see it. */
function meet(world: TwoControllers, mysql: number[], wordpress: number[]): Promise<void> {
  return eventually(async () => {
    await world.settle();
    expect(members(world, 'offering')).toEqual({ own: mysql, others: wordpress });
    expect(members(world, 'consuming')).toEqual({ own: wordpress, others: mysql });
  });
}

function settingsOf(world: TwoControllers, which: Which, owner: string): Record<string, string> | undefined {
  const relation = relationOf(world, which)!;
  return world[which].view().get('settings', `${relation.id}#${owner}`)?.values;
}

const set = (side: FarSide, id: number, owner: string, values: Record<string, string>): Promise<void> =>
  side.change((tx) => setDatabag(tx, String(id), owner, values));

const saasOf = ({ consuming }: TwoControllers) => consuming.view().get('remote-application', 'db')?.saas;

const left = ({ view }: FarSide): number =>
  [...view().list('relation')].filter(({ remote }) => remote).length +
  [...view().list('scope')].filter(({ remote }) => remote).length;

/** Waits until no relation between the models is left, and the proxy is gone. */
function ended(world: TwoControllers): Promise<void> {
  return eventually(async () => {
    await world.settle();
    expect([left(world.offering), left(world.consuming)]).toEqual([0, 0]);
    expect(world.offering.view().count('remote-application')).toBe(0);
  });
}

test('units meet, settings go both ways, units come and go, and the status is heard', async () => {
  await using world = await twoControllers();
  const { offering, consuming } = world;
  await world.relate();
  await meet(world, [0], [0]);
  const [there, here] = [relationOf(world, 'offering')!, relationOf(world, 'consuming')!];
  const proxy = there.remote!.application;
  expect(there.remote).toMatchObject({
    token: here.remote!.token,
    offered: { user: 'admin', model: consuming.uuid },
  });
  await set(offering, there.id, 'mysql/0', { password: 'x' });
  await set(offering, there.id, 'mysql', { version: '8' });
  await set(consuming, here.id, 'wordpress/0', { database: 'wp' });
  await set(consuming, here.id, 'wordpress', { size: '3' });
  await eventually(() => {
    expect(settingsOf(world, 'consuming', 'db/0')).toMatchObject({ password: 'x' });
    expect(settingsOf(world, 'consuming', 'db')).toEqual({ version: '8' });
    expect(settingsOf(world, 'offering', `${proxy}/0`)).toMatchObject({ database: 'wp' });
    expect(settingsOf(world, 'offering', proxy)).toEqual({ size: '3' });
  });
  await set(offering, there.id, 'mysql/0', { password: '' });
  await eventually(() => expect(settingsOf(world, 'consuming', 'db/0')).not.toHaveProperty('password'));

  for (const [side, application] of [[offering, 'mysql'] as const, [consuming, 'wordpress'] as const])
    await side.change((tx) => addUnits(tx, { application, count: 1, placement: [] }));
  await meet(world, [0, 1], [0, 1]);
  await offering.change((tx) => destroyUnit(tx, { unit: 'mysql/0' }));
  await consuming.change((tx) => destroyUnit(tx, { unit: 'wordpress/1' }));
  await meet(world, [1], [0]);
  expect(saasOf(world)?.status.status).not.toMatch(/error|terminated/);
});

/** Grants bob the right to consume the offer, or revokes it. */
const allow = ({ offering }: TwoControllers, action: 'grant' | 'revoke'): Promise<void> =>
  ok(
    offering.call('ApplicationOffers', 'ModifyOfferAccess', {
      changes: [{ 'user-tag': 'user-bob', action, access: 'consume', 'offer-url': 'admin/data.db' }],
    }),
  );

async function relatedByBob(world: TwoControllers): Promise<void> {
  const { offering, consuming } = world;
  await ok(
    offering.call('UserManager', 'AddUser', {
      users: [{ username: 'bob', 'display-name': '', password: 'secret' }],
    }),
  );
  await allow(world, 'grant');
  await world.consume({ tag: 'user-bob', password: 'secret' });
  await consuming.call('Application', 'AddRelation', { endpoints: ['wordpress:db', 'db'], 'via-cidrs': [] });
  await meet(world, [0], [0]);
}

test('a suspended relation is left and entered again, and a user who loses access has his relations suspended', async () => {
  await using world = await twoControllers();
  const { offering } = world;
  await relatedByBob(world);
  const { id, remote } = relationOf(world, 'offering')!;
  expect(remote?.offered?.user).toBe('bob');
  const suspend = (suspended: boolean): Promise<void> =>
    ok(
      offering.call('Application', 'SetRelationsSuspended', {
        args: [{ 'relation-id': id, suspended, message: 'audit' }],
      }),
    );
  await suspend(true);
  await meet(world, [], []);
  expect(relationOf(world, 'consuming')?.suspended).toEqual({ reason: 'audit' });
  await suspend(false);
  await meet(world, [0], [0]);
  await allow(world, 'revoke');
  await eventually(async () => {
    await world.settle();
    expect(members(world, 'consuming')).toEqual({ own: [], others: [] });
    expect(members(world, 'offering').own).toEqual([]);
    expect(relationOf(world, 'consuming')?.suspended).toEqual({ reason: 'offer permission revoked' });
  });
  await allow(world, 'grant');
  await suspend(false);
  await meet(world, [0], [0]);
});

test('a user who loses access while the controllers are apart leaves the relation, and ends it', async () => {
  await using world = await twoControllers();
  await relatedByBob(world);
  const { offering, consuming, gate } = world;
  gate.shut();
  await allow(world, 'revoke');
  await world.restart('consuming');
  gate.lead(offering.controller.running().server.port);
  await meet(world, [], []);
  await consuming.call('Application', 'DestroyRelation', {
    'relation-id': relationOf(world, 'consuming')!.id,
  });
  await ended(world);
});

test.each(['offering', 'consuming'] as const)(
  'a relation that is removed at the %s side ends',
  async (from) => {
    await using world = await twoControllers();
    await world.relate();
    await meet(world, [0], [0]);
    await world[from].call('Application', 'DestroyRelation', { 'relation-id': relationOf(world, from)!.id });
    await ended(world);
    expect(saasOf(world)).toBeDefined();
  },
);

test('changes that were made while the offering controller was down are told when it is back', async () => {
  await using world = await twoControllers();
  const { offering, consuming, gate } = world;
  await world.relate();
  await meet(world, [0], [0]);
  gate.shut();
  const [there, here] = [relationOf(world, 'offering')!, relationOf(world, 'consuming')!];
  await set(consuming, here.id, 'wordpress/0', { database: 'late' });
  await set(offering, there.id, 'mysql/0', { password: 'late' });
  await offering.change((tx) => addUnits(tx, { application: 'mysql', count: 1, placement: [] }));
  await consuming.change((tx) => addUnits(tx, { application: 'wordpress', count: 1, placement: [] }));
  await eventually(async () => {
    await world.settle();
    expect(members(world, 'offering').own).toEqual([0, 1]);
  });
  await offering.change((tx) => destroyUnit(tx, { unit: 'mysql/0' }));
  await consuming.change((tx) => destroyUnit(tx, { unit: 'wordpress/0' }));
  await eventually(() =>
    expect(saasOf(world)?.status).toMatchObject({
      status: 'error',
      message: expect.stringContaining('cannot connect to external controller') as string,
    }),
  );
  await world.restart('offering');
  await meet(world, [1], [1]);
  await eventually(() => expect(saasOf(world)?.status.status).not.toBe('error'));
  await world.restart('consuming');
  await consuming.change((tx) => addUnits(tx, { application: 'wordpress', count: 1, placement: [] }));
  await meet(world, [1], [1, 2]);
});

test('a removal waits while the other controller is down, says for what it waits, and is forced', async () => {
  await using world = await twoControllers();
  const { consuming, gate } = world;
  await world.relate();
  await meet(world, [0], [0]);
  gate.shut();
  await eventually(() => expect(saasOf(world)?.status.status).toBe('error'));
  const remove = (rest: object): Promise<void> =>
    ok(
      consuming.call('Application', 'DestroyConsumedApplications', {
        applications: [{ 'application-tag': 'application-db', ...rest }],
      }),
    );
  await remove({});
  await eventually(async () => {
    await consuming.settle();
    expect(members(world, 'consuming').own).toEqual([]);
  });
  expect(relationOf(world, 'consuming')).toMatchObject({ life: 'dying' });
  await remove({ force: true, 'max-wait': 0 });
  await eventually(() => {
    expect(left(consuming)).toBe(0);
    expect(consuming.view().count('remote-application')).toBe(0);
  });
  // News that is still to be told outlives the controller.
  await world.restart('consuming');
  expect(consuming.view().count('relation-end')).toBe(1);
  expect(left(world.offering)).toBeGreaterThan(0);
  gate.lead(world.offering.controller.running().server.port);
  await ended(world);
  await eventually(() => {
    expect(consuming.view().count('relation-end')).toBe(0);
    expect(consuming.view().count('external-controller')).toBe(0);
  });
});

test('a relation that is removed before the other controller has answered ends at both', async () => {
  await using world = await twoControllers();
  const { consuming, gate } = world;
  await world.consume();
  gate.shut();
  await consuming.call('Application', 'AddRelation', { endpoints: ['wordpress:db', 'db'], 'via-cidrs': [] });
  const { id } = relationOf(world, 'consuming')!;
  await eventually(() =>
    expect(consuming.view().get('status', `relation:${id}`)?.message).toContain('cannot connect'),
  );
  await consuming.call('Application', 'DestroyRelation', { 'relation-id': id });
  await consuming.settle();
  expect(relationOf(world, 'consuming')).toMatchObject({ life: 'dying' });
  gate.lead(world.offering.controller.running().server.port);
  await ended(world);
});

test('the end of a relation that is removed by force is told, too', async () => {
  await using world = await twoControllers();
  await world.relate();
  await meet(world, [0], [0]);
  await world.consuming.call('Application', 'DestroyRelation', {
    'relation-id': relationOf(world, 'consuming')!.id,
    force: true,
    'max-wait': 0,
  });
  await ended(world);
});

test('a model that consumes is destroyed by force while the other controller is down', async () => {
  await using world = await twoControllers();
  const { consuming, gate } = world;
  await world.relate();
  await meet(world, [0], [0]);
  gate.shut();
  await ok(
    consuming.call('ModelManager', 'DestroyModels', {
      models: [{ 'model-tag': `model-${consuming.uuid}`, force: true, 'max-wait': 0 }],
    }),
  );
  await eventually(async () => {
    const { store } = consuming.controller.running();
    await consuming.settle();
    expect(store.read().in('').get('model', consuming.uuid)).toBeUndefined();
  });
});

test('an offer that is removed by force ends its relations, and its consumer sees it as terminated', async () => {
  await using world = await twoControllers();
  await world.relate();
  await meet(world, [0], [0]);
  const urls = { 'offer-urls': ['admin/data.db'], force: true };
  await ok(world.offering.call('ApplicationOffers', 'DestroyOffers', urls));
  await ended(world);
  await eventually(() => expect(saasOf(world)?.status.status).toBe('terminated'));
});

test('macaroons of an offer and of a relation that an earlier release has made are replaced', async () => {
  await using world = await twoControllers();
  const { consuming, offering } = world;
  await world.relate();
  await meet(world, [0], [0]);
  const { sealer } = consuming.controller.running().services;
  const { agentKey } = offering.controller.running().services;
  const rootKey = new Uint8Array(hkdfSync('sha256', agentKey, '', 'grigri offers', 32));
  const opened = (sealed: string): Macaroon => macaroonFromJson(JSON.parse(sealer.open(sealed)));
  const earlier = (sealed: string): string => {
    const { id, caveats } = opened(sealed);
    const made = caveats.reduce((one, caveat) => addCondition(one, String(caveat.id)), mint({ rootKey, id }));
    return sealer.seal(JSON.stringify(macaroonToJson(made)));
  };
  const expectEarlier = (sealed: string, is: boolean): void => {
    const check = expect(() => verify(rootKey, [opened(sealed)]));
    if (is) check.not.toThrow();
    else check.toThrow('the signature is wrong');
  };
  const expectAll = (is: boolean): void => {
    expectEarlier(consuming.view().get('remote-application', 'db')!.saas!.elsewhere!.macaroon, is);
    expectEarlier(relationOf(world, 'consuming')!.remote!.consumed!.macaroon!, is);
  };
  expectAll(false);
  await consuming.change((tx) => {
    const of = tx.get('remote-application', 'db')!;
    const saas = of.saas!;
    const elsewhere = { ...saas.elsewhere!, macaroon: earlier(saas.elsewhere!.macaroon) };
    tx.put('remote-application', 'db', { ...of, saas: { ...saas, elsewhere } });
    const { remote, ...relation } = relationOf(world, 'consuming')!;
    const consumed = { ...remote!.consumed!, macaroon: earlier(remote!.consumed!.macaroon!) };
    tx.put('relation', String(relation.id), { ...relation, remote: { ...remote!, consumed } });
  });
  expectAll(true);
  await world.restart('consuming');
  await eventually(() => expectAll(false));
});

test('a macaroon that has expired is discharged', async () => {
  await using world = await twoControllers();
  const { consuming } = world;
  await world.consume();
  const { sealer } = consuming.controller.running().services;
  await consuming.change((tx) => {
    const remote = tx.get('remote-application', 'db')!;
    const saas = remote.saas!;
    const { macaroon, controller } = saas.elsewhere!;
    const expired = addCondition(
      macaroonFromJson(JSON.parse(sealer.open(macaroon))),
      'time-before 2020-01-01T00:00:00Z',
    );
    const sealed = sealer.seal(JSON.stringify(macaroonToJson(expired)));
    tx.put('remote-application', 'db', {
      ...remote,
      saas: { ...saas, elsewhere: { controller, macaroon: sealed } },
    });
  });
  await consuming.call('Application', 'AddRelation', { endpoints: ['wordpress:db', 'db'], 'via-cidrs': [] });
  await meet(world, [0], [0]);
});
