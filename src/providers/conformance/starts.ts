import { expect, test } from 'vitest';
import { tagKeys } from '../contract/provider.ts';
import { identity, type Kit } from './kit.ts';
import { abortAtCheck } from './world.ts';
import { defined } from '../../core/defined.ts';

/** Cases of starts, alone and concurrent. */
export function startCases(kit: Kit): void {
  const { never } = kit;
  const impossible = kit.subject.impossible ?? { placement: 'rack=7' };

  test('the same nonce twice is one instance', async () => {
    const { environ } = kit;
    const first = await environ.instances.start(kit.params('0'), never);
    const second = await environ.instances.start(kit.params('0'), never);
    expect(identity(second.instance)).toEqual(identity(first.instance));
    expect(second.hardware).toEqual(first.hardware);
    expect(await kit.idsOf(environ)).toEqual([first.instance.id]);
    expect(['pending', 'allocating', 'running']).toContain(first.instance.status);
    expect(first.hardware.arch).toMatch(/./);
    const name = kit.subject.displayName?.(environ.modelUuid, '0');
    if (name !== undefined) expect(first.instance.displayName).toBe(name);
  });

  test('the same nonce at once is one instance', async () => {
    const { environ } = kit;
    const started = await Promise.all([1, 2, 3].map(() => environ.instances.start(kit.params('0'), never)));
    expect(new Set(started.map(({ instance }) => instance.id)).size).toBe(1);
    expect(await kit.idsOf(environ)).toHaveLength(1);
  });

  test('machines that start concurrently are different instances', async () => {
    const { environ } = kit;
    const ids = Array.from({ length: kit.subject.machines ?? 3 }, (_, n) => String(n));
    const started = await Promise.all(ids.map((id) => environ.instances.start(kit.params(id), never)));
    expect(await kit.idsOf(environ)).toEqual(started.map(({ instance }) => instance.id).toSorted());
    const machines = started.map(({ instance }) => instance.tags[tagKeys.machine]);
    expect(machines).toEqual(ids);
    const addresses = started.flatMap(({ instance }) => instance.addresses[0]?.value ?? []);
    if (!kit.subject.sharesAddress) expect(new Set(addresses).size).toBe(addresses.length);
  });

  test('a restarted controller finds the instances with their tags, and adopts them', async () => {
    const { environ, world } = kit;
    const tags = { [tagKeys.units]: 'mysql/0 mysql/1', owner: 'a "quoted" name' };
    const { instance } = await environ.instances.start(kit.params('1', { tags }), never);
    kit.provider = kit.subject.fresh();
    const again = world.open(kit.provider, { modelUuid: environ.modelUuid });
    const [found] = await again.instances.list(never);
    expect(found && identity(found)).toEqual(identity(instance));
    expect(found?.tags).toEqual({
      ...tags,
      [tagKeys.model]: environ.modelUuid,
      [tagKeys.controller]: world.controllerUuid,
      [tagKeys.machine]: '1',
      [tagKeys.nonce]: 'machine-1:nonce',
    });
    const adopted = await again.instances.start(kit.params('1', { tags }), never);
    expect(identity(adopted.instance)).toEqual(identity(instance));
    expect(await kit.idsOf(again)).toEqual([instance.id]);
  });

  test('an instance that has an agent is started again, and not replaced when it is gone', async () => {
    const { environ } = kit;
    const params = kit.params('0');
    const { instance } = await environ.instances.start(params, never);
    const again = { ...params, existing: true };
    expect((await environ.instances.start(again, never)).instance.id).toBe(instance.id);
    await environ.instances.stop([instance.id], never);
    await expect(environ.instances.start(again, never)).rejects.toMatchObject({ class: 'transient' });
    expect(await kit.idsOf(environ)).toEqual([]);
  });

  test('a machine can be created again under its name', async () => {
    const { environ } = kit;
    const first = await environ.instances.start(kit.params('0'), never);
    await environ.instances.stop([first.instance.id], never);
    const second = await environ.instances.start(kit.params('0', { nonce: 'another' }), never);
    expect(second.instance.tags[tagKeys.nonce]).toBe('another');
    expect(await kit.idsOf(environ)).toEqual([second.instance.id]);
  });

  test('what can never start is a bad request that makes nothing, and is refused before it begins', async () => {
    const { environ } = kit;
    const params = kit.params('0', impossible);
    const { base, constraints, placement } = params;
    await expect(environ.precheck({ base, constraints, ...defined({ placement }) })).rejects.toMatchObject({
      code: 'not valid',
    });
    await expect(environ.instances.start(params, never)).rejects.toMatchObject({ class: 'bad request' });
    expect(await kit.idsOf(environ)).toEqual([]);
    expect(await kit.leftovers('instances')).toEqual([]);
    const possible = kit.params('0');
    await expect(
      environ.precheck({
        base: possible.base,
        constraints: possible.constraints,
        ...defined({ placement: possible.placement }),
      }),
    ).resolves.toBeUndefined();
  });

  test('a start that is cancelled leaves nothing', async () => {
    const { environ, subject } = kit;
    for (const check of subject.isBrief ? [1, 3, 8, 24] : [1, 2, 3, 4, 6, 8, 12, 16, 24, 32]) {
      const signal = abortAtCheck(check);
      const outcome = await environ.instances.start(kit.params('0', { nonce: `n${check}` }), signal).then(
        () => 'started',
        () => 'cancelled',
      );
      if (outcome === 'started') {
        // Starts may have fewer checks than n, or have completed before the last one; the first checks are mandatory.
        expect(check).toBeGreaterThan(2);
        break;
      }
      expect(signal.reason, 'it failed without being cancelled').toBeInstanceOf(Error);
      expect(await kit.idsOf(environ)).toEqual([]);
      expect(await kit.leftovers('instances')).toEqual([]);
    }
  });

  test('an instance is in its chosen zone, also when it is listed', async ({ skip }) => {
    const { world, subject } = kit;
    const config = subject.zoned;
    if (!config) return skip('it has no zones');
    const zoned = world.open(kit.provider, { config: kit.provider.validate(config) });
    const zones = (await zoned.zones?.list(never))?.filter(({ available }) => available).slice(0, 2) ?? [];
    expect(zones).toHaveLength(2);
    for (const [n, { name: zone }] of zones.entries()) {
      const { instance, hardware } = await zoned.instances.start(kit.params(String(n), { zone }), never);
      expect([instance.zone, hardware.availabilityZone]).toEqual([zone, zone]);
    }
    kit.provider = subject.fresh();
    const reopened = world.open(kit.provider, { modelUuid: zoned.modelUuid, config });
    const listed = (await reopened.instances.list(never)).map(({ zone, tags }) => [
      tags[tagKeys.machine],
      zone,
    ]);
    expect(Object.fromEntries(listed)).toEqual(Object.fromEntries(zones.map(({ name }, n) => [n, name])));
    const nowhere = reopened.instances.start(kit.params('2', { zone: 'no-such-zone' }), never);
    await expect(nowhere).rejects.toMatchObject({ class: 'bad request' });
    expect(await kit.idsOf(reopened)).toHaveLength(2);
  });

  test('machines of one request have each their own outcome, and are found again', async ({ skip }) => {
    const { environ } = kit;
    const { startGroup } = environ;
    if (!startGroup) return skip('it starts each by itself');
    const alone = await environ.instances.start(kit.params('0'), never);
    const group = [kit.params('0'), kit.params('1'), kit.params('2', impossible)];
    for (const _ of ['new', 'again']) {
      const outcomes = await startGroup.start(group, never);
      expect(outcomes).toMatchObject([
        { instance: { id: alone.instance.id } },
        { instance: { tags: { [tagKeys.machine]: '1' } } },
        { class: 'bad request' },
      ]);
      expect(await kit.idsOf(environ)).toHaveLength(2);
    }
    await environ.instances.stop(await kit.idsOf(environ), never);
    for (const check of [1, 2, 3, 4, 6, 8]) {
      const outcome = await startGroup.start(group, abortAtCheck(check)).catch(() => 'cancelled');
      if (outcome !== 'cancelled') break;
      expect(await kit.idsOf(environ)).toEqual([]);
    }
  });

  test('the instance of a controller is started once, without an agent, and found by its tag', async ({
    skip,
  }) => {
    const { environ } = kit;
    if (!environ.bootstrap) return skip('controllers run on their host');
    const { machineId, nonce, base, constraints, placement, boot, progress } = kit.params('0');
    if (!boot) return skip('the subject has no first boot');
    const params = {
      machineId,
      nonce,
      base,
      constraints,
      boot,
      progress,
      ...defined({ placement }),
      tags: { [tagKeys.isController]: 'true' },
    };
    const first = await environ.bootstrap(params, never);
    const second = await environ.bootstrap(params, never);
    expect(second.instance.id).toBe(first.instance.id);
    const [found, ...others] = await environ.instances.controllers(never);
    expect([found?.id, others]).toEqual([first.instance.id, []]);
    await environ.instances.stop([first.instance.id], never);
    expect(await environ.instances.controllers(never)).toEqual([]);
  });
}
