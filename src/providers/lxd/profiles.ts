/**
 * The profiles of a model's instances (provider-rules.md#instance-profiles): LXD's own `default`, the model's, and
 * those that charms ask for in lxd-profile.yaml. They have the same tags as instances.
 */
import { modelProfileName } from '../profile-names.ts';
import { ProviderError, tagKeys, type CharmProfile } from '../provider.ts';
import { answered, changeInstance, findOurs, type Devices } from './change-instance.ts';
import { LxdError } from './client.ts';
import type { LxdContext } from './context.ts';
import { isAbsent, isTaken } from './errors.ts';
import { isOwned, tagsToConfig, type Owner } from './names.ts';

export interface LxdProfiles {
  /** Environ.profiles'. */
  assign(instanceId: string, profiles: readonly CharmProfile[], signal: AbortSignal): Promise<void>;
  /**
   * Makes an instance with the model's profile and these: `make` gets their names, in their order, and nobody removes
   * one as unused before it has ended.
   */
  use<T>(
    profiles: readonly CharmProfile[],
    make: (names: readonly string[]) => Promise<T>,
    signal: AbortSignal,
  ): Promise<T>;
  /** Removes charms' profiles that no instance has. */
  sweep(signal: AbortSignal): Promise<void>;
  /** All of the model, or of the whole controller. Their instances must be gone. */
  destroy(of: Owner, signal: AbortSignal): Promise<void>;
}

interface LxdProfile {
  readonly name: string;
  readonly description: string;
  readonly config: Readonly<Record<string, string>>;
  readonly devices: Devices;
  readonly used_by?: readonly string[] | null;
}
type Wanted = Omit<LxdProfile, 'used_by'>;

/** A host that boots has its machines again; containers on them are possible. */
const modelConfig = { 'boot.autostart': 'true', 'security.nesting': 'true' };

export function createLxdProfiles({ client, open, locks }: LxdContext): LxdProfiles {
  const ofModel = modelProfileName(open);
  const tags = tagsToConfig({
    [tagKeys.model]: open.modelUuid,
    [tagKeys.controller]: open.controllerUuid,
  });
  /** Made sure of, and looked for unused ones, by one at a time: between the two a profile may have no user yet. */
  const lock = <T>(work: () => Promise<T>): Promise<T> => locks(`profiles ${open.modelUuid}`, work);
  /** Names that instances being made are about to have, and how many of them. */
  const promised = new Map<string, number>();

  const ensure = async (wanted: Wanted, signal: AbortSignal): Promise<void> => {
    const path = profilePath(wanted.name);
    const config = { ...wanted.config, ...tags };
    const found = await client.find<LxdProfile>(path, signal);
    if (found && !isOwned(found.config, open))
      throw new ProviderError(
        'bad request',
        `LXD has a profile ${wanted.name} that is not of this model (by its tags): rename or delete it`,
      );
    const body = { description: wanted.description, config, devices: wanted.devices };
    if (found && isSame(found, body)) return;
    if (found) return client.request({ method: 'PUT', path, body }, signal);
    const making = { method: 'POST', path: '/1.0/profiles', body: { name: wanted.name, ...body } } as const;
    await client.request<void>(making, signal).catch((error: unknown) => {
      // The request of a controller that was killed came through after all.
      if (!isTaken(error)) throw error;
      return client.request<void>({ method: 'PUT', path, body }, signal);
    });
  };

  const ours = async (of: Owner, signal: AbortSignal): Promise<LxdProfile[]> => {
    const request = { method: 'GET', path: '/1.0/profiles', query: { recursion: '1' } } as const;
    return (await client.request<LxdProfile[]>(request, signal)).filter(({ config }) =>
      isOwned(config, open, of),
    );
  };

  const remove = async (name: string, signal: AbortSignal): Promise<void> => {
    const request = { method: 'DELETE', path: profilePath(name) } as const;
    await client.request<void>(request, signal).catch((error: unknown) => {
      if (!isAbsent(error)) throw error;
    });
  };

  const sweep = async (signal: AbortSignal): Promise<void> => {
    for (const { name, used_by } of await ours('model', signal)) {
      if (name === ofModel || (used_by ?? []).length > 0 || promised.has(name)) continue;
      await remove(name, signal).catch((error: unknown) => {
        // Somebody gave it to an instance since: then it is used.
        if (!(error instanceof LxdError && error.status === 400)) throw error;
      });
    }
  };

  const promise = (names: readonly string[], by: 1 | -1): void => {
    for (const name of names) {
      const count = (promised.get(name) ?? 0) + by;
      if (count > 0) promised.set(name, count);
      else promised.delete(name);
    }
  };

  return {
    async use(profiles, make, signal) {
      const names = [ofModel, ...profiles.map(({ name }) => name)];
      promise(names, 1);
      try {
        await answered(
          lock(async () => {
            await ensure(
              {
                name: ofModel,
                description: `model ${open.modelName} of Juju`,
                config: modelConfig,
                devices: {},
              },
              signal,
            );
            for (const profile of profiles) await ensure(profile, signal);
          }),
        );
        return await make(names);
      } finally {
        promise(names, -1);
      }
    },
    assign: (id, profiles, signal) =>
      answered(
        lock(async () => {
          const { profiles: before } = await findOurs({ client, open }, id, signal);
          for (const profile of profiles) await ensure(profile, signal);
          const change = (has: readonly string[]): string[] => [
            ...has.filter((name) => !name.startsWith(`${ofModel}-`)),
            ...profiles.map(({ name }) => name),
          ];
          if (!sameList(before, change(before)))
            await changeInstance(client, id, (now) => ({ profiles: change(now.profiles) }), signal);
          await sweep(signal);
        }),
      ),
    sweep: (signal) => answered(lock(() => sweep(signal))),
    destroy: (of, signal) =>
      answered(
        lock(async () => {
          for (const { name } of await ours(of, signal)) await remove(name, signal);
        }),
      ),
  };
}

function profilePath(name: string): string {
  return `/1.0/profiles/${encodeURIComponent(name)}`;
}

function isSame(a: Omit<Wanted, 'name'>, b: Omit<Wanted, 'name'>): boolean {
  return (
    a.description === b.description &&
    sameRecord(a.config, b.config) &&
    sameList(Object.keys(a.devices).sort(), Object.keys(b.devices).sort()) &&
    Object.entries(a.devices).every(([name, device]) => sameRecord(device, b.devices[name] ?? {}))
  );
}

function sameRecord(a: Readonly<Record<string, string>>, b: Readonly<Record<string, string>>): boolean {
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every((key) => a[key] === b[key]);
}

function sameList(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((one, index) => one === b[index]);
}
