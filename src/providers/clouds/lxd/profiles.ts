/**
 * Profiles of a model's instances (provider-rules.md#instance-profiles): LXD's own `default`, the model's, and those
 * that charms declare in lxd-profile.yaml. They have the same tags as instances.
 */
import { modelProfileName } from '../../../core/charm/profile-names.ts';
import { ProviderError, tagKeys, type CharmProfile } from '../../contract/provider.ts';
import { answered, changeInstance, findOurs, type Devices } from './change-instance.ts';
import { LxdError } from './client.ts';
import type { LxdContext } from './context.ts';
import { isAbsent, isTaken } from './errors.ts';
import { isOwned, tagsToConfig, type Owner } from './names.ts';

interface LxdProfile {
  readonly name: string;
  readonly description: string;
  readonly config: Readonly<Record<string, string>>;
  readonly devices: Devices;
  readonly used_by?: readonly string[] | null;
}
type Wanted = Omit<LxdProfile, 'used_by'>;

/** Configuration of the model's profile: machines start when their host boots, and can have containers. */
const modelConfig = { 'boot.autostart': 'true', 'security.nesting': 'true' };

/** Profiles of one model. Uses by instances being created are known only to this object. */
export class LxdProfiles {
  readonly #context: Pick<LxdContext, 'client' | 'locks' | 'open'>;
  readonly #ofModel: string;
  readonly #tags: Readonly<Record<string, string>>;
  /** Number of pending instances by profile name. */
  readonly #promised = new Map<string, number>();

  constructor(context: Pick<LxdContext, 'client' | 'locks' | 'open'>) {
    this.#context = context;
    const { open } = context;
    this.#ofModel = modelProfileName(open);
    this.#tags = tagsToConfig({
      [tagKeys.model]: open.modelUuid,
      [tagKeys.controller]: open.controllerUuid,
    });
  }

  /**
   * Creates an instance with the model's profile and these charm profiles: `make` gets their names in order, and none
   * of them is removed as unused before `make` ends.
   */
  async use<T>(
    profiles: readonly CharmProfile[],
    make: (names: readonly string[]) => Promise<T>,
    signal: AbortSignal,
  ): Promise<T> {
    const names = [this.#ofModel, ...profiles.map(({ name }) => name)];
    const description = `model ${this.#context.open.modelName} of Juju`;
    const ofModel = { name: this.#ofModel, description, config: modelConfig, devices: {} };
    this.#promise(names, 1);
    try {
      await this.#exclusive(async () => {
        for (const profile of [ofModel, ...profiles]) await this.#ensure(profile, signal);
      });
      return await make(names);
    } finally {
      this.#promise(names, -1);
    }
  }

  /** Assigns profiles, as in Environ.profiles. */
  assign(id: string, profiles: readonly CharmProfile[], signal: AbortSignal): Promise<void> {
    const { client, open } = this.#context;
    return this.#exclusive(async () => {
      const { profiles: before } = await findOurs({ client, open }, id, signal);
      for (const profile of profiles) await this.#ensure(profile, signal);
      const change = (has: readonly string[]): string[] => [
        ...has.filter((name) => !name.startsWith(`${this.#ofModel}-`)),
        ...profiles.map(({ name }) => name),
      ];
      if (!sameList(before, change(before)))
        await changeInstance(client, id, (now) => ({ profiles: change(now.profiles) }), signal);
      await this.#sweepUnused(signal);
    });
  }

  /** Removes charm profiles that no instance has. */
  sweep(signal: AbortSignal): Promise<void> {
    return this.#exclusive(() => this.#sweepUnused(signal));
  }

  /** Removes all profiles of the model, or of the whole controller. Their instances must be gone. */
  destroy(of: Owner, signal: AbortSignal): Promise<void> {
    return this.#exclusive(async () => {
      for (const { name } of await listProfiles(this.#context, of, signal)) await this.#remove(name, signal);
    });
  }

  /** Serializes creating profiles and removing unused ones: a new profile has no user for a moment. */
  #exclusive<T>(work: () => Promise<T>): Promise<T> {
    const { locks, open } = this.#context;
    return answered(locks(`profiles ${open.modelUuid}`, work));
  }

  async #ensure(wanted: Wanted, signal: AbortSignal): Promise<void> {
    const path = profilePath(wanted.name);
    const config = { ...wanted.config, ...this.#tags };
    const found = await this.#context.client.find<LxdProfile>(path, signal);
    if (found && !isOwned(found.config, this.#context.open))
      throw new ProviderError(
        'bad request',
        `LXD has a profile ${wanted.name} that is not of this model (by its tags): rename or delete it`,
      );
    const body = { description: wanted.description, config, devices: wanted.devices };
    if (found && isSame(found, body)) return;
    if (found) return this.#context.client.request({ method: 'PUT', path, body }, signal);
    const making = { method: 'POST', path: '/1.0/profiles', body: { name: wanted.name, ...body } } as const;
    await this.#context.client.request<void>(making, signal).catch((error: unknown) => {
      // The request of a controller that was killed had succeeded after all.
      if (!isTaken(error)) throw error;
      return this.#context.client.request<void>({ method: 'PUT', path, body }, signal);
    });
  }

  async #remove(name: string, signal: AbortSignal): Promise<void> {
    const request = { method: 'DELETE', path: profilePath(name) } as const;
    await this.#context.client.request<void>(request, signal).catch((error: unknown) => {
      if (!isAbsent(error)) throw error;
    });
  }

  async #sweepUnused(signal: AbortSignal): Promise<void> {
    for (const { name, used_by } of await listProfiles(this.#context, 'model', signal)) {
      if (name === this.#ofModel || (used_by ?? []).length > 0 || this.#promised.has(name)) continue;
      await this.#remove(name, signal).catch((error: unknown) => {
        // An instance got the profile meanwhile, so it is used again.
        if (!(error instanceof LxdError && error.status === 400)) throw error;
      });
    }
  }

  #promise(names: readonly string[], by: 1 | -1): void {
    for (const name of names) {
      const count = (this.#promised.get(name) ?? 0) + by;
      if (count > 0) this.#promised.set(name, count);
      else this.#promised.delete(name);
    }
  }
}

/** Lists the profiles that the owner has made. Errors: LxdError. */
export async function listProfiles(
  { client, open }: Pick<LxdContext, 'client' | 'open'>,
  of: Owner,
  signal: AbortSignal,
): Promise<LxdProfile[]> {
  const request = { method: 'GET', path: '/1.0/profiles', query: { recursion: '1' } } as const;
  const all = await client.request<LxdProfile[]>(request, signal);
  return all.filter(({ config }) => isOwned(config, open, of));
}

export function profilePath(name: string): string {
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
