import { JujuError, notFound } from '../../../core/errors.ts';
import { LxdError, type LxdClient } from './client.ts';
import type { LxdContext } from './context.ts';
import { isAbsent, providerError } from './errors.ts';
import { isInstanceName, isOwned } from './names.ts';

export type Devices = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** Of an instance as LXD shows it: what a change may concern, and what its profiles make of it. */
export interface InstanceSettings {
  readonly name: string;
  readonly type: 'container' | 'virtual-machine';
  /** `Running`, `Stopped`… */
  readonly status: string;
  readonly architecture: string;
  readonly config: Readonly<Record<string, string>>;
  readonly devices: Devices;
  readonly ephemeral: boolean;
  readonly profiles: readonly string[];
  readonly description: string;
  readonly stateful: boolean;
  /** With those of its profiles. */
  readonly expanded_devices: Devices;
  /** The member of the cluster that it is on. */
  readonly location: string;
}

/** Somebody else's changes may come between reading and writing, seldom more than a few. */
const attempts = 10;

export function instancePath(name: string): string {
  return `/1.0/instances/${name}`;
}

/** Errors: JujuError `not found`, also when it is not of the model; LxdError. */
export async function findOurs(
  { client, open }: Pick<LxdContext, 'client' | 'open'>,
  name: string,
  signal: AbortSignal,
): Promise<InstanceSettings> {
  const found = isInstanceName(name)
    ? await client.find<InstanceSettings>(instancePath(name), signal)
    : undefined;
  if (!found || !isOwned(found.config, open)) throw notFound('instance', name);
  return found;
}

/**
 * Changes an instance as it is now, whoever else changes it meanwhile; undefined = it is right already. Errors: JujuError
 * `not found`; LxdError.
 */
export async function changeInstance(
  client: LxdClient,
  name: string,
  change: (current: InstanceSettings) => Partial<InstanceSettings> | undefined,
  signal: AbortSignal,
): Promise<void> {
  const path = instancePath(name);
  for (let attempt = 1; ; attempt++) {
    try {
      const { value, etag } = await client.read<InstanceSettings>(path, signal);
      const changed = change(value);
      if (!changed) return;
      const { architecture, config, devices, ephemeral, profiles, description, stateful } = value;
      const body = { architecture, config, devices, ephemeral, profiles, description, stateful, ...changed };
      await client.request({ method: 'PUT', path, body, etag }, signal);
      return;
    } catch (error) {
      if (isAbsent(error)) throw notFound('instance', name);
      if (!(error instanceof LxdError && error.status === 412) || attempt === attempts) throw error;
    }
  }
}

/** Its failures classified; what is refused because of what was asked stays as it is. */
export async function answered<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw error instanceof JujuError ? error : providerError(error);
  }
}
