import { describe, expect, test } from 'vitest';
import { limits } from '../../../core/limits.ts';
import { applySide } from '../../transactions/remote/remote-side.ts';
import { twoModels } from '../../../testing/two-models.ts';
import { type Item, Consumer, consumer, relationOf, denied } from '../../../testing/consuming-controller.ts';

describe('data that a stranger sends', () => {
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
  ])('a registration with an invalid value is refused: %s', async (_what, item, message) => {
    await using world = await twoModels();
    const bob = await consumer(world);
    expect(await bob.register(item)).toMatchObject({ error: { message } });
    expect(relationOf(world)).toBeUndefined();
  });

  test('invalid changes are refused', async () => {
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

  test('units of another controller are limited, with those that have left', async () => {
    await using world = await twoModels();
    const bob = await consumer(world);
    await bob.register();
    await bob.publish({ 'application-settings': { version: '6' } });
    const { max } = limits.remoteUnitsOfRelation;
    const units = Array.from({ length: max - 1 }, (_, number) => ({ number }));
    const { id } = relationOf(world)!;
    await world.offering.change((tx) =>
      applySide(tx, String(id), { life: 'alive', forced: false, units, departed: [] }),
    );
    expect(await bob.publish({ 'departed-units': [0, 1] })).toEqual({});
    expect(await bob.publish({ 'changed-units': [{ 'unit-id': max - 1 }] })).toEqual({});
    expect(await bob.publish({ 'changed-units': [{ 'unit-id': max }] })).toMatchObject({
      error: {
        code: 'quota limit exceeded',
        message: `units that another controller has told of in a relation: ${max + 1} entries exceed the limit of ${max}`,
      },
    });
    // Units that are known may change, come back, and leave.
    expect(
      await bob.publish({
        'changed-units': [{ 'unit-id': 0, settings: { a: 'b' } }],
        'departed-units': [max - 1],
      }),
    ).toEqual({});
  });

  test('settings of one consumer are limited over all relations, and explain says how many there are', async () => {
    await using world = await twoModels();
    await world.callers.store.change((tx) => {
      const root = tx.in('');
      const controller = root.get('controller', 'self')!;
      root.put('controller', 'self', { ...controller, config: { 'max-model-size': 8_000_000 } });
    }, 'test');
    const bob = await consumer(world);
    await bob.register();
    const half = { a: 'x'.repeat(500_000) };
    expect(await bob.publish({ 'changed-units': [{ 'unit-id': 0, settings: half }] })).toEqual({});
    expect(await bob.publish({ 'application-settings': half })).toMatchObject({
      error: {
        code: 'quota limit exceeded',
        message: expect.stringMatching(
          /^settings told by another model of user \S+: 10\d+ bytes exceed the limit of 1000000$/,
        ) as string,
      },
    });
    expect(await bob.publish({ 'changed-units': [{ 'unit-id': 0, settings: {} }] })).toEqual({});
    expect(await bob.publish({ 'application-settings': half })).toEqual({});
    const { quotas } = await world.callers.call<{ quotas: { limit: string; used: number }[] }>(
      'Lives',
      'Explain',
      { names: ['relation', String(relationOf(world)!.id)] },
    );
    const used = quotas.find(({ limit }) => limit === 'settingsOfConsumer');
    expect(used).toMatchObject({ max: 1_000_000 });
    expect(used!.used).toBeGreaterThan(500_000);
  });

  test.each([
    'WatchConsumedSecretsChanges',
    'WatchEgressAddressesForRelations',
    'WatchRelationChanges',
    'WatchRelationsSuspendedStatus',
  ])('watchers of a relation by %s are limited', async (method) => {
    await using world = await twoModels();
    const bob = await consumer(world);
    await bob.register();
    const args = Array.from({ length: limits.watchersOfRelation.max + 1 }, () => ({
      'relation-token': bob.relation,
      'application-token': bob.application,
      macaroons: bob.macaroons,
    }));
    const { results } = await bob.raw<{ results: Item[] }>('CrossModelRelations', method, { args });
    expect(results.filter(({ error }) => error)).toMatchObject([{ error: { code: 'quota limit exceeded' } }]);
  });
});
