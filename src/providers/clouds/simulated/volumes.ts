import { JujuError, notFound } from '../../../core/errors.ts';
import { tagKeys, type OpenParams, type Volume, type VolumeSource } from '../../contract/provider.ts';
import type { SimulatedCloud } from './cloud.ts';
import type { SimulatedInstances } from './instances.ts';

export interface SimulatedVolume {
  readonly id: string;
  readonly size: number;
  readonly tags: Readonly<Record<string, string>>;
  readonly modelUuid: string;
  /** Name of the volume before the model imported it, and again once the model releases it. */
  readonly name?: string;
  /** Id of the instance that it was attached to last, which may be gone. */
  readonly attachedTo?: string;
}

const released = new WeakMap<SimulatedCloud, Map<string, SimulatedVolume>>();

/** Returns the name by which the cloud's users know a volume. */
export function volumeName({ name, modelUuid, id }: Omit<SimulatedVolume, 'tags' | 'size'>): string {
  return name ?? `${modelUuid}-${id}`;
}

/** Returns the volumes that no model has, by name: released volumes, and volumes that existed before. */
export function releasedVolumes(cloud: SimulatedCloud): Map<string, SimulatedVolume> {
  const known = released.get(cloud);
  if (known) return known;
  const none = new Map<string, SimulatedVolume>();
  released.set(cloud, none);
  return none;
}

/** Volumes of one model in the simulated cloud: a volume is a record, and attaching it a note. */
export function simulatedVolumes(
  cloud: SimulatedCloud,
  open: OpenParams,
  instances: SimulatedInstances,
): VolumeSource {
  const { stateDir, modelUuid, controllerUuid } = open;
  const volumes = (): Promise<Map<string, SimulatedVolume>> => cloud.volumesOf(stateDir, modelUuid);
  /** Instances that are gone do not have the volume any more. */
  const show = ({ id, size, tags, attachedTo }: SimulatedVolume): Volume => ({
    id,
    size,
    tags,
    attachedTo: attachedTo !== undefined && cloud.has(attachedTo) ? [attachedTo] : [],
  });
  const call = <T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> =>
    instances.call('volume', signal, work);
  const begun = <T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> =>
    instances.call('volume', signal, work, true);
  const end = (ids: readonly string[], how: 'destroyed' | 'released', signal: AbortSignal): Promise<void> =>
    call(signal, async () => {
      for (const id of ids) {
        const volume = (await volumes()).get(id);
        if (!volume) continue;
        const [user] = show(volume).attachedTo;
        if (user !== undefined)
          throw new JujuError('', `volume "${id}" is attached to instance "${user}": detach it first`);
        const { attachedTo: _, ...rest } = volume;
        if (how === 'released') releasedVolumes(cloud).set(volumeName(volume), rest);
        await cloud.forgetVolume(stateDir, volume, how);
      }
    });
  return {
    type: 'simulated',
    config: {},
    create: ({ id: number, size, tags }, signal) =>
      begun(signal, async () => {
        const id = `volume-${number}`;
        const known = (await volumes()).get(id);
        if (known) return show(known);
        const all = { ...tags, [tagKeys.model]: modelUuid, [tagKeys.controller]: controllerUuid };
        const volume: SimulatedVolume = { id, size, tags: all, modelUuid };
        await cloud.saveVolume(stateDir, volume);
        return show(volume);
      }),
    list: (signal) => call(signal, async () => [...(await volumes()).values()].map(show)),
    destroy: (ids, signal) => end(ids, 'destroyed', signal),
    release: (ids, signal) => end(ids, 'released', signal),
    adopt: ({ id: number, providerId, tags }, signal) =>
      begun(signal, async () => {
        const id = `volume-${number}`;
        const known = (await volumes()).get(id);
        if (known) return show(known);
        const found = releasedVolumes(cloud).get(providerId);
        if (!found) throw notFound('volume', providerId);
        const all = { ...tags, [tagKeys.model]: modelUuid, [tagKeys.controller]: controllerUuid };
        const volume: SimulatedVolume = { id, size: found.size, tags: all, modelUuid, name: providerId };
        await cloud.saveVolume(stateDir, volume);
        releasedVolumes(cloud).delete(providerId);
        return show(volume);
      }),
    attach: ({ id, instanceId }, signal) =>
      begun(signal, async () => {
        const volume = (await volumes()).get(id);
        if (!volume) throw notFound('volume', id);
        if (!cloud.has(instanceId)) throw notFound('instance', instanceId);
        const [user] = show(volume).attachedTo;
        if (user === instanceId) return;
        if (user !== undefined)
          throw new JujuError('', `volume "${id}" is attached to instance "${user}": detach it first`);
        await cloud.saveVolume(stateDir, { ...volume, attachedTo: instanceId });
      }),
    detach: ({ id, instanceId }, signal) =>
      call(signal, async () => {
        const volume = (await volumes()).get(id);
        if (volume?.attachedTo !== instanceId) return;
        const { attachedTo: _, ...rest } = volume;
        await cloud.saveVolume(stateDir, rest);
      }),
  };
}
