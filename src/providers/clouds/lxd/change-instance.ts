import { JujuError, notFound } from '../../../core/errors.ts';
import { LxdError, type LxdClient } from './client.ts';
import type { LxdContext } from './context.ts';
import { isAbsent, providerError } from './errors.ts';
import { isInstanceName, isOwned } from './names.ts';

export type Devices = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** Settings of an instance as LXD returns them: those that changes concern, and the result of merging its profiles. */
export interface InstanceSettings {
  readonly name: string;
  readonly type: 'container' | 'virtual-machine';
  /** Status: `Running`, `Stopped`… */
  readonly status: string;
  readonly architecture: string;
  readonly config: Readonly<Record<string, string>>;
  readonly devices: Devices;
  readonly ephemeral: boolean;
  readonly profiles: readonly string[];
  readonly description: string;
  readonly stateful: boolean;
  /** Devices, including those of the profiles. */
  readonly expanded_devices: Devices;
  /** Cluster member that the instance is on. */
  readonly location: string;
}

/** Maximum number of attempts; concurrent changes between reading and writing are seldom more than a few. */
const attempts = 10;

export function instancePath(name: string): string {
  return `/1.0/instances/${name}`;
}

/** Finds an instance of the model. Errors: JujuError `not found`, also for an instance of another model; LxdError. */
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
 * Changes an instance based on its current settings, retrying after concurrent changes. `undefined` from the callback =
 * no change is needed. Errors: JujuError `not found`; LxdError.
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

/** Runs the work with its failures classified; refusals of the requested change stay as they are. */
export async function answered<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw error instanceof JujuError ? error : providerError(error);
  }
}
