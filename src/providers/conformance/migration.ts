import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { tagKeys } from '../contract/provider.ts';
import { abortAtCheck } from './world.ts';
import type { Kit } from './kit.ts';

/** Cases of models that move between controllers; skipped where they cannot. */
export function migrationCases(kit: Kit): void {
  const { never } = kit;

  test('a model that has moved is the new controller’s with all it has, and the old one does not touch it', async ({
    skip,
  }) => {
    const { environ, provider, subject, world } = kit;
    const { modelUuid, migration, storage } = environ;
    if (!migration) return skip('its models stay with their controller');
    expect(migration.ticket.length).toBeLessThanOrEqual(4096);
    const { instance } = await environ.instances.start(kit.params('0'), never);
    const controllerUuid = randomUUID();
    const next = world.open(provider, { modelUuid, controllerUuid, stateDir: join(world.folder, 'next') });
    const { migration: arrival, storage: there } = next;
    const from = { ticket: migration.ticket, from: world.controllerUuid, machines: 1 };
    if (subject.refusesToMove)
      return expect(arrival!.check(from, never)).rejects.toMatchObject({ code: 'not supported' });
    const volume = await storage?.create({ id: '0', size: 64, config: {}, tags: { owner: 'kit' } }, never);
    if (volume)
      await storage!.attach(
        { id: volume.id, instanceId: instance.id, path: '/srv/data', readOnly: false },
        never,
      );

    await arrival!.check(from, never);
    expect(await kit.idsOf(next), 'nothing has moved yet').toEqual([]);
    for (const n of [1, 2, 5, 10])
      await arrival!.adopt(from, abortAtCheck(n)).catch((error: unknown) => {
        expect(error).toMatchObject({ message: `cancelled at check ${n}` });
      });
    for (let n = 0; n < 2; n++) await arrival!.adopt(from, never);
    const tags = { ...instance.tags, [tagKeys.controller]: controllerUuid };
    expect(await next.instances.list(never)).toMatchObject([{ id: instance.id, status: 'running', tags }]);
    if (volume)
      expect(await there!.list(never)).toMatchObject([
        {
          id: volume.id,
          tags: { owner: 'kit', [tagKeys.controller]: controllerUuid },
          attachedTo: [instance.id],
        },
      ]);

    await environ.instances.stop([instance.id], never);
    await environ.destroyModel(never);
    await environ.destroyController(never);
    expect(await kit.idsOf(environ)).toEqual([]);
    expect(await next.instances.list(never)).toMatchObject([{ id: instance.id, status: 'running' }]);

    const again = await next.instances.start(kit.params('0'), never);
    expect(again.instance.id).toBe(instance.id);
    const second = await next.instances.start(kit.params('1'), never);
    if (volume) {
      await there!.detach({ id: volume.id, instanceId: instance.id }, never);
      await there!.destroy([volume.id], never);
      await there!.create({ id: '1', size: 64, config: {}, tags: {} }, never);
    }
    await next.instances.stop([instance.id], never);
    expect(await kit.idsOf(next)).toEqual([second.instance.id]);
    await next.destroyModel(never);
    expect(await kit.idsOf(next)).toEqual([]);
    expect((await there?.list(never)) ?? []).toEqual([]);
  });
}
