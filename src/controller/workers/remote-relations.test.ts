import { expect, test } from 'vitest';
import {
  consumed,
  offered,
  ok,
  related,
  settleBoth,
  twoModels,
  type Side,
} from '../../testing/two-models.ts';
import { setDatabag } from '../transactions/agent/set-databag.ts';
import { prepareLeaveScope } from '../transactions/end/leave-scope.ts';
import { limits } from '../../core/limits.ts';
import { destroyUnit } from '../transactions/end/destroy-unit.ts';
import { addUnits } from '../transactions/begin/add-units.ts';
import type { RelationDoc } from '../../core/relation/document.ts';

/** The relation of a side with the other model. */
function relationOf({ view }: Side, kind: 'consumed' | 'offered'): RelationDoc | undefined {
  return [...view().find('relation', 'remote', kind)][0];
}

/** Units in the scope of the side's relation, with their settings. */
function scopeOf(side: Side, kind: 'consumed' | 'offered'): Record<string, unknown> {
  const relation = relationOf(side, kind);
  const found = [...side.view().find('scope', 'relation', String(relation?.id))];
  return Object.fromEntries(
    found.map(({ unit }) => [
      unit,
      side.view().get('settings', `${relation?.id}#${unit}`)?.values['ingress-address'],
    ]),
  );
}
const leftOf = ({ view }: Side) => ({
  relations: [...view().list('relation')].filter(({ remote }) => remote).length,
  scopes: [...view().list('scope')].filter(({ remote }) => remote).length,
  settings: [...view().list('settings')].filter(({ owner }) => !owner.startsWith('mysql')).length,
  remotes: view().count('remote-application'),
});
const nothing = { relations: 0, scopes: 0, settings: 0, remotes: 0 };

test('a relation has a side in each model, and its units see each other’s addresses', async () => {
  await using world = await twoModels();
  await related(world);
  const { offering, consuming } = world;
  const there = relationOf(offering, 'offered')!;
  const here = relationOf(consuming, 'consumed')!;
  expect(there.remote?.token).toBe(here.remote?.token);
  expect(there.remote?.application).toMatch(/^remote-[0-9a-f]{32}$/);
  expect(there.key).toBe(`${there.remote?.application}:db mysql:server`);
  expect(here.key).toBe('wordpress:db db:server');
  expect(scopeOf(consuming, 'consumed')).toEqual({ 'wordpress/0': '10.0.2.0', 'db/0': '10.0.1.0' });
  expect(scopeOf(offering, 'offered')).toEqual({
    'mysql/0': '10.0.1.0',
    [`${there.remote?.application}/0`]: '10.0.2.0',
  });
  expect(there.remote?.offered).toMatchObject({
    user: 'admin',
    model: consuming.uuid,
    ingress: ['10.0.2.0/32'],
  });
});

test('settings of units and applications go both ways, and so do deletions', async () => {
  await using world = await twoModels();
  await related(world);
  const { offering, consuming, carry } = world;
  const [there, here] = [relationOf(offering, 'offered')!, relationOf(consuming, 'consumed')!];
  const proxy = there.remote!.application;
  const get = ({ view }: Side, id: number, owner: string) => view().get('settings', `${id}#${owner}`)?.values;
  await offering.change((tx) => {
    setDatabag(tx, String(there.id), 'mysql/0', { password: 'x', user: 'wp' });
    setDatabag(tx, String(there.id), 'mysql', { version: '8' });
  });
  await consuming.change((tx) => setDatabag(tx, String(here.id), 'wordpress/0', { database: 'wp' }));
  await carry();
  expect(get(consuming, here.id, 'db/0')).toMatchObject({ password: 'x', user: 'wp' });
  expect(get(consuming, here.id, 'db')).toEqual({ version: '8' });
  expect(get(offering, there.id, `${proxy}/0`)).toMatchObject({ database: 'wp' });

  await offering.change((tx) => setDatabag(tx, String(there.id), 'mysql/0', { user: '' }));
  await carry();
  expect(get(consuming, here.id, 'db/0')).not.toHaveProperty('user');
});

test('units that come and go are seen at the other side, a leaving one as gone at once', async () => {
  await using world = await twoModels();
  await related(world);
  const { offering, consuming, carry } = world;
  const place = { application: 'mysql', count: 1, placement: [] };
  await offering.change((tx) => addUnits(tx, place));
  await settleBoth(world);
  expect(Object.keys(scopeOf(consuming, 'consumed')).sort()).toEqual(['db/0', 'db/1', 'wordpress/0']);
  const id = String(relationOf(offering, 'offered')!.id);
  await offering.change((tx) => prepareLeaveScope(tx, { unit: 'mysql/1', relation: id }));
  await carry();
  expect(Object.keys(scopeOf(consuming, 'consumed'))).not.toContain('db/1');
  await offering.change((tx) => destroyUnit(tx, { unit: 'mysql/0' }));
  await settleBoth(world);
  expect(Object.keys(scopeOf(consuming, 'consumed')).sort()).toEqual(['wordpress/0']);
});

test.each(['consuming', 'offering'] as const)(
  'a relation that is removed at the %s side ends at both, and its proxy with it',
  async (from) => {
    await using world = await twoModels();
    await related(world);
    const { offering, consuming, callers } = world;
    const side = world[from];
    const relation = relationOf(side, from === 'consuming' ? 'consumed' : 'offered')!;
    await callers.call(
      'Application',
      'DestroyRelation',
      { 'relation-id': relation.id },
      { model: side.uuid },
    );
    await world.carry();
    await settleBoth(world);
    expect(leftOf(offering)).toEqual(nothing);
    expect(leftOf(consuming)).toEqual({ ...nothing, remotes: 1 });
  },
);

test('changes that a killed worker had still to tell are told by the next worker', async () => {
  await using world = await twoModels();
  await related(world);
  const { offering, consuming } = world;
  const there = String(relationOf(offering, 'offered')!.id);
  await world.restart();
  await offering.change((tx) => {
    setDatabag(tx, there, 'mysql/0', { password: 'late' });
    addUnits(tx, { application: 'mysql', count: 1, placement: [] });
  });
  await offering.settle();
  await offering.change((tx) => destroyUnit(tx, { unit: 'mysql/1' }));
  await offering.settle();
  await world.restart();
  await settleBoth(world);
  expect(scopeOf(consuming, 'consumed')).toEqual({ 'wordpress/0': '10.0.2.0', 'db/0': '10.0.1.0' });
  const here = relationOf(consuming, 'consumed')!.id;
  expect(consuming.view().get('settings', `${here}#db/0`)?.values['password']).toBe('late');
});

test('remove-saas ends the relations, and goes with the last', async () => {
  await using world = await twoModels();
  await related(world);
  const { offering, consuming, call } = world;
  await ok(
    call('Application', 'DestroyConsumedApplications', {
      applications: [{ 'application-tag': 'application-db' }],
    }),
  );
  expect(consuming.view().get('remote-application', 'db')).toMatchObject({ ending: true });
  await settleBoth(world);
  expect([leftOf(offering), leftOf(consuming)]).toEqual([nothing, nothing]);
});

test('an offer with a relation is removed by force only, and its consumer sees it as terminated, until it consumes another', async () => {
  await using world = await twoModels();
  await related(world);
  const { offering, consuming, call } = world;
  const urls = { 'offer-urls': ['admin/default.db'] };
  await expect(ok(call('ApplicationOffers', 'DestroyOffers', urls))).rejects.toThrow(
    'cannot delete application offer "db": offer has 1 relation',
  );
  await ok(call('ApplicationOffers', 'DestroyOffers', { ...urls, force: true }));
  await world.carry('later');
  await settleBoth(world);
  expect([leftOf(offering), leftOf(consuming)]).toEqual([nothing, { ...nothing, remotes: 1 }]);
  expect(consuming.view().get('remote-application', 'db')?.saas?.status).toMatchObject({
    status: 'terminated',
    message: 'offer has been removed',
  });
  await offered(world);
  await world.carry('later');
  await consumed(world);
  const statusNow = (): string | undefined =>
    consuming.view().get('remote-application', 'db')?.saas?.status.status;
  expect(statusNow()).toBe('unknown');
  await world.carry('later');
  expect(statusNow()).toBe('waiting');
});

test('a relation with an offer that is gone before its other side was made ends', async () => {
  await using world = await twoModels();
  await offered(world);
  await consumed(world);
  const { call, consuming } = world;
  await ok(call('ApplicationOffers', 'DestroyOffers', { 'offer-urls': ['admin/default.db'] }));
  await call('Application', 'AddRelation', { endpoints: ['wordpress:db', 'db'], 'via-cidrs': [] });
  await world.carry('later');
  expect(leftOf(consuming)).toEqual({ ...nothing, remotes: 1 });
});

test('a suspended relation is left by the units of both models, and entered again when it is resumed', async () => {
  await using world = await twoModels();
  await related(world);
  const { offering, consuming, callers } = world;
  const { id } = relationOf(offering, 'offered')!;
  const suspend = (suspended: boolean): Promise<void> =>
    ok(
      callers.call('Application', 'SetRelationsSuspended', {
        args: [{ 'relation-id': id, suspended, message: 'audit' }],
      }),
    );
  await suspend(true);
  await world.carry();
  expect(relationOf(consuming, 'consumed')?.suspended).toEqual({ reason: 'audit' });
  await settleBoth(world);
  expect([scopeOf(offering, 'offered'), scopeOf(consuming, 'consumed')]).toEqual([{}, {}]);
  expect(offering.view().get('status', `relation:${id}`)).toMatchObject({
    status: 'suspended',
    message: 'audit',
  });
  await suspend(false);
  await settleBoth(world);
  expect(Object.keys(scopeOf(consuming, 'consumed')).sort()).toEqual(['db/0', 'wordpress/0']);
  expect(offering.view().get('status', `relation:${id}`)).toMatchObject({ status: 'joined' });
});

test('a user who may not consume any more has his relations suspended, and cannot resume them', async () => {
  await using world = await twoModels();
  const { callers, call, offering, consuming } = world;
  await callers.addUser('bob');
  await callers.grant('bob', 'admin', consuming.uuid);
  await offered(world);
  const change = (action: string, access: string): Promise<void> =>
    ok(
      call('ApplicationOffers', 'ModifyOfferAccess', {
        changes: [{ 'user-tag': 'user-bob', action, access, 'offer-url': 'admin/default.db' }],
      }),
    );
  await expect(consumed(world, 'bob')).rejects.toThrow('application offer "admin/default.db" not found');
  await change('grant', 'read');
  await expect(consumed(world, 'bob')).rejects.toThrow('permission denied');
  await change('grant', 'consume');
  await consumed(world, 'bob');
  await call('Application', 'AddRelation', { endpoints: ['wordpress:db', 'db'], 'via-cidrs': [] }, 'bob');
  await world.carry();
  await settleBoth(world);
  await change('revoke', 'consume');
  const { id, suspended } = relationOf(offering, 'offered')!;
  expect(suspended).toEqual({ reason: 'offer permission revoked' });
  const resume = ok(
    callers.call('Application', 'SetRelationsSuspended', {
      args: [{ 'relation-id': id, suspended: false, message: '' }],
    }),
  );
  await expect(resume).rejects.toThrow('permission denied');
});

test('two relations of one application have one proxy, which goes with the last', async () => {
  await using world = await twoModels();
  await related(world, 0);
  await world.call('Application', 'AddRelation', { endpoints: ['wordpress:cache', 'db'], 'via-cidrs': [] });
  await world.carry();
  const { offering, consuming } = world;
  expect(leftOf(offering)).toMatchObject({ relations: 2, remotes: 1 });
  for (const { id } of consuming.view().find('relation', 'remote', 'consumed')) {
    await world.call('Application', 'DestroyRelation', { 'relation-id': id });
    await world.carry();
  }
  expect(leftOf(offering)).toEqual(nothing);
});

test('a relation goes by force when the other model is never told', async () => {
  await using world = await twoModels();
  await related(world, 0);
  const { consuming } = world;
  await world.restart();
  const { id } = relationOf(consuming, 'consumed')!;
  await world.call('Application', 'DestroyRelation', { 'relation-id': id });
  expect(relationOf(consuming, 'consumed')).toMatchObject({ life: 'dying' });
  await world.call('Application', 'DestroyRelation', { 'relation-id': id, force: true, 'max-wait': 0 });
  expect(relationOf(consuming, 'consumed')).toBeUndefined();
});

test('the other model hears of a removal by force that has not waited for it', async () => {
  await using world = await twoModels();
  await related(world);
  const { offering, consuming } = world;
  const { id } = relationOf(consuming, 'consumed')!;
  await world.call('Application', 'DestroyRelation', { 'relation-id': id, force: true, 'max-wait': 0 });
  expect(relationOf(consuming, 'consumed')).toBeUndefined();
  expect(relationOf(offering, 'offered')).toMatchObject({ life: 'alive' });
  await world.restart();
  await world.carry();
  await settleBoth(world);
  expect([leftOf(offering), leftOf(consuming)]).toEqual([nothing, { ...nothing, remotes: 1 }]);
  expect(consuming.view().count('relation-end')).toBe(0);
});

test('a removal by force is not refused for what is still to be told of others', async () => {
  await using world = await twoModels();
  await related(world, 0);
  const { consuming } = world;
  await consuming.change((tx) => {
    const end = { applicationToken: '', model: '', controller: 'far' };
    for (let n = 0; n < limits.relationEnds.max; n++)
      tx.put('relation-end', `end-${n}`, { token: `end-${n}`, ...end });
  });
  const { id } = relationOf(consuming, 'consumed')!;
  await world.call('Application', 'DestroyRelation', { 'relation-id': id, force: true, 'max-wait': 0 });
  expect(relationOf(consuming, 'consumed')).toBeUndefined();
  expect(consuming.view().count('relation-end')).toBe(limits.relationEnds.max);
});

test('a consumer hears from which network its connections are not let in, until they are', async () => {
  await using world = await twoModels();
  await related(world);
  const { offering, consuming, callers } = world;
  const { id } = relationOf(consuming, 'consumed')!;
  const status = () => consuming.view().get('status', `relation:${id}`);
  const allow = (cidr: string): Promise<void> =>
    callers.store.change((root) => {
      const model = root.get('model', offering.uuid)!;
      root.put('model', model.uuid, { ...model, config: { ...model.config, 'saas-ingress-allow': cidr } });
    }, 'test');
  expect(status()?.status).toBe('joined');
  await allow('192.168.0.0/16');
  await consuming.change((tx) => setDatabag(tx, String(id), 'wordpress/0', { database: 'wp' }));
  await world.carry();
  expect(status()).toMatchObject({
    status: 'error',
    message: 'network 10.0.2.0/32 is not within saas-ingress-allow of the offering model',
  });
  const there = relationOf(offering, 'offered')!;
  const settings = offering.view().get('settings', `${there.id}#${there.remote!.application}/0`);
  expect(settings?.values['database']).toBe('wp');
  await allow('10.0.0.0/16');
  await world.carry('later');
  expect(status()?.status).not.toBe('error');
});

test('the status of what was consumed is asked for again when it could not be heard', async () => {
  let isAway = false;
  await using world = await twoModels({
    between: (model) => ({
      ...model,
      offerStatus: (uuid) => (isAway ? Promise.reject(new Error('away')) : model.offerStatus(uuid)),
    }),
  });
  await related(world);
  isAway = true;
  const urls = { 'offer-urls': ['admin/default.db'] };
  await ok(world.call('ApplicationOffers', 'DestroyOffers', { ...urls, force: true }));
  await world.carry('later');
  expect(world.consuming.view().get('remote-application', 'db')!.saas?.status.status).not.toBe('terminated');
  isAway = false;
  await world.carry('later');
  const { saas } = world.consuming.view().get('remote-application', 'db')!;
  expect(saas?.status.status).toBe('terminated');
});

test('clients that watch the model hear of what it has consumed, and of no proxy', async () => {
  await using world = await twoModels();
  await related(world, 0);
  const { callers, offering, consuming } = world;
  const deltasOf = async (model: string): Promise<unknown[]> => {
    const { 'watcher-id': id } = await callers.call<{ 'watcher-id': string }>(
      'Client',
      'WatchAll',
      {},
      { model },
    );
    const { deltas } = await callers.call<{ deltas: [string, string, object][] }>(
      'AllWatcher',
      'Next',
      {},
      { model, id },
    );
    return deltas.filter(([kind]) => kind === 'remoteApplication').map(([, , body]) => body);
  };
  expect(await deltasOf(consuming.uuid)).toMatchObject([
    { name: 'db', 'offer-url': 'admin/default.db', life: 'alive', status: { version: '' } },
  ]);
  expect(await deltasOf(offering.uuid)).toEqual([]);
});
