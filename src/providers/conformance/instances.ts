import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { tagKeys } from '../contract/provider.ts';
import { identity, type Kit } from './kit.ts';

/** Cases of the ownership and the end of instances. */
export function instanceCases(kit: Kit): void {
  const { never } = kit;

  test('stopping is repeatable, and unknown ids are no error', async () => {
    const { environ } = kit;
    const { instance } = await environ.instances.start(kit.params('0'), never);
    await environ.instances.stop([instance.id, 'juju-000000-7', '../../etc', ''], never);
    await environ.instances.stop([instance.id], never);
    await Promise.all([1, 2].map(() => environ.instances.stop([instance.id], never)));
    await environ.instances.stop([], never);
    expect(await kit.idsOf(environ)).toEqual([]);
    expect(await kit.leftovers('instances')).toEqual([]);
  });

  test('an instance that is stopped several times concurrently is gone', async () => {
    const { environ } = kit;
    const { instance } = await environ.instances.start(kit.params('0'), never);
    await Promise.all([1, 2, 3].map(() => environ.instances.stop([instance.id, instance.id], never)));
    expect(await environ.instances.get([instance.id], never)).toEqual([undefined]);
    expect(await kit.leftovers('instances')).toEqual([]);
  });

  test('instances are returned in the order of the ids', async () => {
    const { environ } = kit;
    const zero = await environ.instances.start(kit.params('0'), never);
    const one = await environ.instances.start(kit.params('1'), never);
    const ids = [one.instance.id, 'juju-000000-0', zero.instance.id];
    const got = await environ.instances.get(ids, never);
    expect(got.map((each) => each && identity(each))).toEqual([
      identity(one.instance),
      undefined,
      identity(zero.instance),
    ]);
    expect(await environ.instances.get([], never)).toEqual([]);
  });

  test('another model’s and another controller’s instances are never touched', async () => {
    const { environ, world, provider } = kit;
    const { instance } = await environ.instances.start(kit.params('0'), never);
    const model = world.open(provider);
    const controller = world.open(provider, {
      modelUuid: environ.modelUuid,
      controllerUuid: randomUUID(),
    });
    for (const other of [model, controller]) {
      expect(await kit.idsOf(other)).toEqual([]);
      expect(await other.instances.get([instance.id], never)).toEqual([undefined]);
      await other.instances.stop([instance.id], never);
      await other.destroyModel(never);
      await other.destroyModel(never);
    }
    expect(await controller.instances.controllers(never)).toEqual([]);
    await controller.destroyController(never);
    const [found] = await environ.instances.get([instance.id], never);
    expect(found && identity(found)).toEqual(identity(instance));
  });

  test('a controller’s own instances are found by their tag, whatever their model', async () => {
    const { environ, world, provider } = kit;
    const tags = { [tagKeys.isController]: 'true' };
    const other = world.open(provider);
    const { instance } = await other.instances.start(kit.params('0', { tags }), never);
    await environ.instances.start(kit.params('1'), never);
    const found = await environ.instances.controllers(never);
    expect(found.map(identity)).toEqual([identity(instance)]);
  });

  test('destroying a model, or the controller, takes all its instances', async () => {
    const { environ, world, provider } = kit;
    const otherEnviron = world.open(provider);
    await environ.create(never);
    await environ.create(never);
    await environ.instances.start(kit.params('0'), never);
    await otherEnviron.instances.start(kit.params('1'), never);
    await environ.destroyModel(never);
    await environ.destroyModel(never);
    expect(await kit.idsOf(environ)).toEqual([]);
    expect(await kit.idsOf(otherEnviron)).toHaveLength(1);
    await environ.destroyController(never);
    await environ.destroyController(never);
    expect(await kit.idsOf(otherEnviron)).toEqual([]);
    expect(await kit.leftovers('everything')).toEqual([]);
  });

  test('a refused credential is reported as a credential error', async ({ skip }) => {
    const { subject, world, provider } = kit;
    const { refused } = subject;
    if (!refused) return skip('it refuses none');
    const { cloud } = world.openParams(provider);
    const environ = provider.open(world.openParams(provider, { cloud: { ...cloud, credential: refused } }));
    await expect(environ.instances.list(never)).rejects.toMatchObject({ class: 'credential' });
    await expect(environ.instances.start(kit.params('0'), never)).rejects.toMatchObject({
      class: 'credential',
    });
  });
}
