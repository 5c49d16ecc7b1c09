import { join } from 'node:path';
import { expect, test } from 'vitest';
import { tagKeys, type CharmProfile, type VolumeSource } from '../contract/provider.ts';
import type { Kit } from './kit.ts';

/** Cases of optional capabilities, skipped where the key is absent. */
export function capabilityCases(kit: Kit): void {
  const { never } = kit;

  test('the provider has the capabilities that its place of controllers needs', () => {
    const { provider, environ } = kit;
    expect({
      host: provider.enlist !== undefined,
      instance: environ.bootstrap !== undefined,
      'this host': true,
    }).toMatchObject({ [provider.controllerOn]: true });
  });

  test('an unreachable host is not entered', async ({ skip }) => {
    const { provider, world } = kit;
    if (!provider.enlist) return skip('it makes all its machines itself');
    const access = {
      target: { host: '127.0.0.1', port: 1 },
      knownHostsFile: join(world.folder, 'known_hosts'),
      ownKeys: [],
      identityFiles: [],
      authorizedKeys: [],
      mayAsk: false,
    };
    await expect(provider.enlist(access, never)).rejects.toThrow(/./);
  });

  test('machines that may have containers can make them', ({ skip }) => {
    const { provider, environ, subject } = kit;
    if (!environ.containers || subject.runsNothing) return skip('its machines have no containers');
    expect(provider.machines?.nested).toBeDefined();
  });

  test('a container has one address of the model until it is released', async ({ skip }) => {
    const { environ, world, subject } = kit;
    const { containers } = environ;
    if (!containers?.takeAddress || !containers.releaseAddresses) return skip('hosts give the addresses');
    const take = (id: string) => containers.takeAddress!(id, never);
    const instance = await kit.reachable(environ, '0');
    const [one, same, other] = await Promise.all([take('0/lxd/0'), take('0/lxd/0'), take('0/lxd/1')]);
    expect(same).toEqual(one);
    const all = [instance.addresses[0]?.value, one.value, other.value];
    expect(new Set(all).size).toBe(3);
    // A restarted controller returns the same addresses, and gives its new instances others.
    const reopened = world.open(subject.fresh(), { modelUuid: environ.modelUuid });
    expect(await reopened.containers?.takeAddress?.('0/lxd/1', never)).toEqual(other);
    expect(all).not.toContain((await kit.reachable(reopened, '1')).addresses[0]?.value);
    await reopened.containers?.releaseAddresses?.(['0/lxd/0', '0/lxd/0', '7/lxd/7'], never);
    expect(await reopened.containers?.takeAddress?.('0/lxd/1', never)).toEqual(other);
    expect((await reopened.containers?.takeAddress?.('0/lxd/2', never))?.value).not.toBe(other.value);
  });

  test('machines of each declared base can be made', async ({ skip }) => {
    const { environ } = kit;
    if (!environ.bases) return skip('it does not say which bases it has');
    const bases = await environ.bases();
    expect(bases).not.toEqual([]);
    for (const base of bases) await environ.precheck({ base, constraints: kit.params('0').constraints });
    const { instance } = await environ.instances.start(kit.params('0', { base: bases[0]! }), never);
    expect(instance.base).toBeUndefined();
  });

  test('an instance has exactly the charm profiles that it was given', async ({ skip }) => {
    const { environ } = kit;
    const { profiles } = environ;
    if (!profiles) return skip('it has no profiles');
    const profile = (name: string): CharmProfile => ({
      name: `juju-test-${environ.modelUuid.slice(-6)}-${name}`,
      description: `of ${name}`,
      config: { 'user.grigri-test': name },
      devices: {},
    });
    const [one, two] = [profile('one-1'), profile('two-7')];
    const { instance } = await environ.instances.start(kit.params('0', { profiles: [one] }), never);
    for (const each of [[one], [one, two], [one, two], [two], []])
      await profiles.assign(instance.id, each, never);
    await expect(profiles.assign('juju-000000-0', [one], never)).rejects.toMatchObject({ code: 'not found' });
  });

  test('a volume is made once, and outlives what it was attached to', async ({ skip }) => {
    const { environ, world, subject } = kit;
    const { storage } = environ;
    if (!storage) return skip('it has no volumes');
    const params = { id: '0', size: 64, config: {}, tags: { owner: 'kit' } };
    const volume = await storage.create(params, never);
    const [again, twice] = await Promise.all([1, 2].map(() => storage.create(params, never)));
    expect([again?.id, twice?.id]).toEqual([volume.id, volume.id]);
    expect(volume.size).toBeGreaterThanOrEqual(64);
    expect(volume.tags).toMatchObject({ owner: 'kit', [tagKeys.model]: environ.modelUuid });
    const other = world.open(kit.provider);
    expect(await other.storage?.list(never)).toEqual([]);
    await other.storage?.destroy([volume.id], never);

    const { instance } = await environ.instances.start(kit.params('0'), never);
    const second = await environ.instances.start(kit.params('1'), never);
    const attachment = { id: volume.id, instanceId: instance.id, path: '/srv/data', readOnly: false };
    await storage.attach(attachment, never);
    await storage.attach(attachment, never);
    const restarted = (): VolumeSource =>
      world.open(subject.fresh(), { modelUuid: environ.modelUuid }).storage!;
    const source = restarted();
    expect(await source.list(never)).toMatchObject([{ id: volume.id, attachedTo: [instance.id] }]);
    await expect(source.destroy([volume.id], never)).rejects.toMatchObject({ name: 'JujuError' });
    await expect(source.attach({ ...attachment, instanceId: 'juju-000000-0' }, never)).rejects.toMatchObject({
      code: 'not found',
    });
    const elsewhere = { ...attachment, instanceId: second.instance.id };
    // Volumes are refused to a second machine: two machines that write to one file system would ruin it.
    await expect(source.attach(elsewhere, never)).rejects.toMatchObject({ name: 'JujuError' });
    // Volumes stay attached when they are detached from an instance that does not have them.
    await source.detach(elsewhere, never);
    expect(await source.list(never)).toMatchObject([{ id: volume.id, attachedTo: [instance.id] }]);
    await source.detach(attachment, never);
    await source.detach(attachment, never);
    expect(await source.list(never)).toMatchObject([{ id: volume.id, attachedTo: [] }]);
    await source.attach(elsewhere, never);
    await environ.instances.stop([second.instance.id], never);
    const later = restarted();
    expect(await later.list(never)).toMatchObject([{ id: volume.id, attachedTo: [] }]);
    await later.destroy([volume.id, 'no-such-volume'], never);
    await later.destroy([volume.id], never);
    expect(await later.list(never)).toEqual([]);
  });

  test('a released volume is nobody’s, and outlives its model', async ({ skip }) => {
    const { environ, subject } = kit;
    const { storage } = environ;
    if (!storage?.release) return skip('it releases no volumes');
    const volume = await storage.create({ id: '0', size: 64, config: {}, tags: {} }, never);
    const { instance } = await environ.instances.start(kit.params('0'), never);
    const attachment = { id: volume.id, instanceId: instance.id, path: '/srv/data', readOnly: false };
    await storage.attach(attachment, never);
    await expect(storage.release([volume.id], never)).rejects.toMatchObject({ name: 'JujuError' });
    await storage.detach(attachment, never);
    for (let n = 0; n < 2; n++) await storage.release([volume.id, 'no-such-volume'], never);
    expect(await storage.list(never)).toEqual([]);
    await storage.destroy([volume.id], never);
    await environ.destroyModel(never);
    if (subject.discard) expect(await subject.discard(volume.id), 'the data are still there').toBe(true);
  });

  test('a volume that was released is taken by one model, once', async ({ skip }) => {
    const { environ, world, subject } = kit;
    const { storage } = environ;
    if (!storage?.adopt || !storage.release) return skip('it takes no volumes in');
    const { id } = await storage.create({ id: '0', size: 64, config: {}, tags: { owner: 'kit' } }, never);
    await storage.release([id], never);
    await storage.release([id], never);
    expect(await storage.list(never)).toEqual([]);
    const providerId = subject.releasedAs?.(environ.modelUuid, id) ?? id;
    const request = { id: '7', providerId, tags: { owner: 'other' } };
    const other = world.open(kit.provider);
    const taken = await other.storage!.adopt!(request, never);
    expect(taken).toMatchObject({
      tags: { owner: 'other', [tagKeys.model]: other.modelUuid },
      attachedTo: [],
    });
    expect(await other.storage!.adopt!(request, never)).toMatchObject({ id: taken.id });
    expect(await other.storage!.list(never)).toMatchObject([{ id: taken.id }]);
    for (const wrong of [providerId, 'no-such-volume', '../x'])
      await expect(storage.adopt({ ...request, providerId: wrong }, never)).rejects.toMatchObject({
        code: 'not found',
      });
    expect(await storage.list(never)).toEqual([]);
    await other.storage!.destroy([taken.id], never);
    expect(await other.storage!.list(never)).toEqual([]);
  });

  test('the volumes of a model go with it', async ({ skip }) => {
    const { environ, world, provider } = kit;
    if (!environ.storage) return skip('it has no volumes');
    const params = { id: '0', size: 64, config: {}, tags: {} };
    const other = world.open(provider);
    await environ.storage.create(params, never);
    await other.storage?.create({ ...params, id: '1' }, never);
    await environ.destroyModel(never);
    expect(await environ.storage.list(never)).toEqual([]);
    expect(await other.storage?.list(never)).toHaveLength(1);
  });
}
