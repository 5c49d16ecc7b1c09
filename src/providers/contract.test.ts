import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createLocalProvider } from './local/index.ts';
import { tagKeys, type Environ, type PortRule, type Provider } from './provider.ts';
import { createSimulatedCloud, createSimulatedProvider } from './simulated/index.ts';
import { abortAtCheck, createWorld, hostCapabilities, startParams, type World } from './test-world.ts';

const nothing = { sandbox: false, network: false, cgroups: undefined };
/** `fresh` is the provider as a newly started controller has it: all it knows is in the state folder. */
const providers: { name: string; possible: boolean; fresh: () => Provider }[] = [
  { name: 'simulated', possible: true, fresh: () => createSimulatedProvider(createSimulatedCloud()) },
  { name: 'local, processes', possible: true, fresh: () => createLocalProvider({ probe: () => nothing }) },
  { name: 'local, sandboxes', possible: hostCapabilities().sandbox, fresh: () => createLocalProvider() },
];

for (const { name, possible, fresh } of providers) {
  describe.skipIf(!possible)(name, () => {
    let world: World;
    let provider: Provider;
    let environ: Environ & { modelUuid: string };

    beforeEach(() => {
      world = createWorld();
      provider = fresh();
      environ = world.open(provider);
    });
    afterEach(async () => {
      await world.end(provider);
      expect(world.leftovers()).toEqual([]);
    });

    const idsOf = async (of: Environ): Promise<string[]> =>
      (await of.instances.list(world.never)).map((instance) => instance.id);

    test('the same nonce twice is one instance', async () => {
      const first = await environ.instances.start(startParams(world, '0'), world.never);
      const second = await environ.instances.start(startParams(world, '0'), world.never);
      expect(second.instance).toEqual(first.instance);
      expect(await idsOf(environ)).toEqual([first.instance.id]);
      expect(first.instance.status).toBe('running');
    });

    test('the same nonce twice at once is one instance', async () => {
      const started = await Promise.all(
        [1, 2, 3].map(() => environ.instances.start(startParams(world, '0'), world.never)),
      );
      expect(new Set(started.map(({ instance }) => instance.id)).size).toBe(1);
      expect(await idsOf(environ)).toHaveLength(1);
    });

    test('machines that start at once are different ones', async () => {
      const ids = ['0', '1', '2', '0/lxd/0'];
      const started = await Promise.all(
        ids.map((id) => environ.instances.start(startParams(world, id), world.never)),
      );
      expect((await idsOf(environ)).toSorted()).toEqual(
        started.map(({ instance }) => instance.id).toSorted(),
      );
      const addresses = started.map(({ instance }) => instance.addresses[0]?.value);
      if (environ.firewall.mode === 'instance') expect(new Set(addresses).size).toBe(ids.length);
      expect(started.map(({ instance }) => instance.displayName)).toContain(
        `juju-${environ.modelUuid.slice(-6)}-0-lxd-0`,
      );
    });

    test('a controller that starts again finds the instances with their tags', async () => {
      const tags = { [tagKeys.units]: 'mysql/0 mysql/1', owner: 'a "quoted" name' };
      const { instance } = await environ.instances.start(startParams(world, '3', { tags }), world.never);
      provider = fresh();
      const again = world.open(provider, { modelUuid: environ.modelUuid });
      const [found] = await again.instances.list(world.never);
      expect(found).toEqual(instance);
      expect(found?.tags).toEqual({
        ...tags,
        [tagKeys.model]: environ.modelUuid,
        [tagKeys.controller]: world.controllerUuid,
        [tagKeys.machine]: '3',
        [tagKeys.nonce]: 'machine-3:nonce',
      });
      const adopted = await again.instances.start(startParams(world, '3', { tags }), world.never);
      expect(adopted.instance).toEqual(instance);
      expect(await idsOf(again)).toEqual([instance.id]);
    });

    test('stopping is repeatable, and unknown ids are no error', async () => {
      const { instance } = await environ.instances.start(startParams(world, '0'), world.never);
      await environ.instances.stop([instance.id, 'juju-000000-7', '../../etc'], world.never);
      await environ.instances.stop([instance.id], world.never);
      expect(await idsOf(environ)).toEqual([]);
      expect(world.leftovers().filter((line) => !/gri-|nft/.test(line))).toEqual([]);
    });

    test('what an agent has come on is started again, and not made anew when it is gone', async () => {
      const params = startParams(world, '0');
      const { instance } = await environ.instances.start(params, world.never);
      const again = { ...params, existing: true };
      expect((await environ.instances.start(again, world.never)).instance.id).toBe(instance.id);
      await environ.instances.stop([instance.id], world.never);
      await expect(environ.instances.start(again, world.never)).rejects.toMatchObject({
        class: 'transient',
        message: expect.stringContaining('is gone') as string,
      });
      expect(await idsOf(environ)).toEqual([]);
    });

    test('a machine can be made again under its name', async () => {
      const first = await environ.instances.start(startParams(world, '0'), world.never);
      await environ.instances.stop([first.instance.id], world.never);
      const second = await environ.instances.start(
        startParams(world, '0', { nonce: 'another' }),
        world.never,
      );
      expect(second.instance.tags[tagKeys.nonce]).toBe('another');
      expect(await idsOf(environ)).toEqual([second.instance.id]);
    });

    test('instances are got in the order of their ids', async () => {
      const zero = await environ.instances.start(startParams(world, '0'), world.never);
      const one = await environ.instances.start(startParams(world, '1'), world.never);
      const got = await environ.instances.get(
        [one.instance.id, 'juju-000000-0', zero.instance.id],
        world.never,
      );
      expect(got).toEqual([one.instance, undefined, zero.instance]);
    });

    test('another model’s and another controller’s instances are never touched', async () => {
      const { instance } = await environ.instances.start(startParams(world, '0'), world.never);
      const model = world.open(provider);
      const controller = world.open(provider, { modelUuid: environ.modelUuid, controllerUuid: randomUUID() });
      for (const other of [model, controller]) {
        expect(await idsOf(other)).toEqual([]);
        expect(await other.instances.get([instance.id], world.never)).toEqual([undefined]);
        await other.instances.stop([instance.id], world.never);
        await other.destroyModel(world.never);
        await other.destroyModel(world.never);
      }
      await controller.destroyController(world.never);
      expect(await environ.instances.get([instance.id], world.never)).toEqual([instance]);
    });

    test('a start that is cancelled leaves nothing', async () => {
      for (const check of [1, 2, 3, 4, 5, 6, 8, 16]) {
        const signal = abortAtCheck(check);
        const start = environ.instances.start(startParams(world, '0', { nonce: `n${check}` }), signal);
        const outcome = await start.then(
          () => 'started',
          (error: Error) => error.message,
        );
        if (outcome === 'started') {
          // It has fewer checks than that; the first ones it must have.
          expect(check).toBeGreaterThan(2);
          break;
        }
        expect(outcome).toBe(`cancelled at check ${check}`);
        expect(await idsOf(environ)).toEqual([]);
        expect(world.leftovers().filter((line) => !/gri-|nft/.test(line))).toEqual([]);
      }
    });

    test('a controller’s own instances are found by their tag', async () => {
      const tags = { [tagKeys.isController]: 'true' };
      const other = world.open(provider);
      const { instance } = await other.instances.start(startParams(world, '0', { tags }), world.never);
      await environ.instances.start(startParams(world, '0'), world.never);
      expect(await environ.instances.controllers(world.never)).toEqual([instance]);
    });

    test('an instance is in the zone that was chosen for it, and still is when it is listed', async () => {
      if (!('zones' in provider.config)) return;
      const config = { zones: 'alpha,beta' };
      const zoned = world.open(provider, { config });
      const zones = await zoned.zones?.list(world.never);
      expect(zones).toEqual([
        { name: 'alpha', available: true },
        { name: 'beta', available: true },
      ]);
      const ids = (zones ?? []).map(({ name }, n) => ({ id: String(n), zone: name }));
      for (const { id, zone } of ids) {
        const { instance, hardware } = await zoned.instances.start(
          startParams(world, id, { zone }),
          world.never,
        );
        expect([instance.zone, hardware.availabilityZone]).toEqual([zone, zone]);
      }
      const listed = await world
        .open(fresh(), { modelUuid: zoned.modelUuid, config })
        .instances.list(world.never);
      const found = listed.map(({ zone, tags }) => ({ id: tags[tagKeys.machine], zone }));
      expect(found.toSorted((a, b) => Number(a.id) - Number(b.id))).toEqual(ids);
      const nowhere = zoned.instances.start(startParams(world, '9', { zone: 'no-such-zone' }), world.never);
      await expect(nowhere).rejects.toMatchObject({ class: 'bad request' });
      expect(await idsOf(zoned)).toHaveLength(ids.length);
    });

    test('machines of one request have each their own outcome, and are found again', async () => {
      const { startGroup } = environ;
      if (!startGroup) return;
      const alone = await environ.instances.start(startParams(world, '0'), world.never);
      const group = [
        startParams(world, '0'),
        startParams(world, '1'),
        startParams(world, '2', { placement: 'rack=7' }),
      ];
      for (const _ of ['new', 'again']) {
        const outcomes = await startGroup.start(group, world.never);
        expect(outcomes[0]).toEqual(alone);
        expect(outcomes[1]).toMatchObject({ instance: { tags: { [tagKeys.machine]: '1' } } });
        expect(outcomes[2]).toMatchObject({ class: 'bad request' });
        expect(await idsOf(environ)).toHaveLength(2);
      }
      await environ.instances.stop([alone.instance.id], world.never);
      for (const check of [1, 2, 3, 4]) {
        const signal = abortAtCheck(check);
        const outcome = await startGroup.start(group, signal).catch((error: Error) => error.message);
        if (typeof outcome !== 'string') break;
        expect(outcome).toBe(`cancelled at check ${check}`);
        expect(await idsOf(environ)).toHaveLength(1);
      }
    });

    test('a container has one address of the model until it is released', async () => {
      const { containers } = environ;
      if (!containers?.takeAddress || !containers.releaseAddresses) return;
      const take = (id: string) => containers.takeAddress!(id, world.never);
      const { instance } = await environ.instances.start(startParams(world, '0'), world.never);
      const [one, same, other] = await Promise.all([take('0/lxd/0'), take('0/lxd/0'), take('0/lxd/1')]);
      expect(same).toEqual(one);
      const all = [instance.addresses[0]?.value, one.value, other.value];
      expect(new Set(all).size).toBe(3);
      // Also for a controller that starts again, and what it starts then.
      const again = world.open(fresh(), { modelUuid: environ.modelUuid });
      expect(await again.containers?.takeAddress?.('0/lxd/1', world.never)).toEqual(other);
      const started = await again.instances.start(startParams(world, '1'), world.never);
      expect(all).not.toContain(started.instance.addresses[0]?.value);
      await again.containers?.releaseAddresses?.(['0/lxd/0', '0/lxd/0', '7/lxd/7'], world.never);
      expect(await again.containers?.takeAddress?.('0/lxd/1', world.never)).toEqual(other);
      expect((await again.containers?.takeAddress?.('0/lxd/2', world.never))?.value).not.toBe(other.value);
    });

    test('the firewall of an instance is exactly what was set', async () => {
      if (environ.firewall.mode !== 'instance') {
        expect(environ.firewall.mode).toBe('none');
        return;
      }
      const { firewall } = environ;
      const { instance } = await environ.instances.start(startParams(world, '0'), world.never);
      const rules: PortRule[] = [
        { fromPort: 80, toPort: 80, protocol: 'tcp', sourceCidrs: [] },
        {
          fromPort: 8000,
          toPort: 8100,
          protocol: 'udp',
          sourceCidrs: ['192.0.2.0/24', '192.0.2.128/25', '2001:db8::/32'],
        },
        { fromPort: -1, toPort: -1, protocol: 'icmp', sourceCidrs: ['0.0.0.0/0', '::/0'] },
      ];
      expect(await firewall.rules(instance.id, world.never)).toEqual([]);
      await firewall.set(instance.id, rules, world.never);
      expect(await firewall.rules(instance.id, world.never)).toEqual(rules);
      await firewall.set(instance.id, rules.slice(1), world.never);
      expect(await firewall.rules(instance.id, world.never)).toEqual(rules.slice(1));
      await expect(firewall.set('juju-000000-0', rules, world.never)).rejects.toMatchObject({
        code: 'not found',
      });
      await expect(firewall.rules('juju-000000-0', world.never)).rejects.toMatchObject({ code: 'not found' });
    });

    test('destroying a model, or the controller, takes all its instances', async () => {
      const other = world.open(provider);
      await environ.create(world.never);
      await environ.instances.start(startParams(world, '0'), world.never);
      await other.instances.start(startParams(world, '0'), world.never);
      await environ.destroyModel(world.never);
      await environ.destroyModel(world.never);
      expect(await idsOf(environ)).toEqual([]);
      expect(await idsOf(other)).toHaveLength(1);
      await environ.destroyController(world.never);
      expect(await idsOf(other)).toEqual([]);
      expect(world.leftovers()).toEqual([]);
    });

    test('what can never start is refused at once', async () => {
      const base = { name: 'ubuntu', channel: '24.04/stable' };
      await expect(environ.precheck({ base, constraints: {}, placement: 'rack=7' })).rejects.toMatchObject({
        code: 'not valid',
      });
      await expect(environ.precheck({ base, constraints: {} })).resolves.toBeUndefined();
    });

    test('configuration gets its defaults and is refused when it is wrong', () => {
      const config = provider.validate({});
      for (const [key, attribute] of Object.entries(provider.config)) {
        expect(config[key]).toBe(attribute.default);
        expect(() => provider.validate({ [key]: { wrong: true } })).toThrow(
          expect.objectContaining({ code: 'not valid' }),
        );
      }
      expect(provider.validate(config, config)).toEqual(config);
    });
  });
}
