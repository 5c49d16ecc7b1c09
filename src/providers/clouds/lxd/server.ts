/** Facts about the server, cached for a while. */
import type { Clock } from '../../../kit/clock.ts';
import { LxdError, type LxdClient } from './client.ts';
import { archOf, knownArchitectures } from './config.ts';
import type { ServerSize } from './snapshot.ts';

interface ServerInfo {
  /** Architectures in Juju's terms, the server's own first. */
  readonly architectures: readonly string[];
  /** PEM certificate of the server. */
  readonly certificate: string;
  readonly isClustered: boolean;
}
interface Server {
  readonly auth: 'trusted' | 'untrusted';
  readonly environment: {
    readonly architectures?: readonly string[];
    readonly kernel_architecture?: string;
    readonly certificate?: string;
    readonly server_clustered?: boolean;
  };
}
interface Resources {
  readonly cpu: { readonly total: number };
  /** Memory in bytes. */
  readonly memory: { readonly total: number };
}
interface PoolResources {
  /** Space in bytes. */
  readonly space?: { readonly total?: number };
}

const knownMs = 5 * 60_000;
const mebibyte = 1024 ** 2;

export class LxdServer {
  readonly #client: LxdClient;
  readonly #clock: Clock;
  readonly #known = new Map<string, { readonly until: number; readonly value: Promise<unknown> }>();

  constructor(client: LxdClient, clock: Clock) {
    this.#client = client;
    this.#clock = clock;
  }

  async info(signal: AbortSignal): Promise<ServerInfo> {
    const { auth, environment } = await this.#get<Server>('/1.0', signal);
    if (auth === 'untrusted') throw new LxdError(403, 'not authorized');
    const { architectures = [], kernel_architecture: own = '' } = environment;
    const names = new Set([own, ...architectures].map(archOf));
    return {
      architectures: [...names].filter((name) => knownArchitectures.includes(name)),
      certificate: environment.certificate ?? '',
      isClustered: environment.server_clustered ?? false,
    };
  }

  /** Returns the size of a member, or of the single server. Values that the credential may not read are absent. */
  async size(pool: string | undefined, member: string | undefined, signal: AbortSignal): Promise<ServerSize> {
    const target = member === undefined ? '' : `?target=${encodeURIComponent(member)}`;
    const all = await this.#get<Resources>(`/1.0/resources${target}`, signal).catch(unlessAborted(signal));
    const space = pool
      ? await this.#get<PoolResources>(
          `/1.0/storage-pools/${encodeURIComponent(pool)}/resources${target}`,
          signal,
        ).catch(unlessAborted(signal))
      : undefined;
    return {
      ...(all ? { cores: all.cpu.total, mem: Math.floor(all.memory.total / mebibyte) } : {}),
      ...(space?.space?.total ? { pool: Math.floor(space.space.total / mebibyte) } : {}),
    };
  }

  /** Fetches a path once for concurrent callers; an aborted or failed request is not cached. */
  async #get<T>(path: string, signal: AbortSignal): Promise<T> {
    const known = this.#known.get(path);
    if (known && this.#clock.now() < known.until) {
      try {
        return (await known.value) as T;
      } catch {
        // The failure belongs to another caller, perhaps to its abort: the request is repeated below.
      }
    }
    const value = this.#client.request<T>({ method: 'GET', path }, signal);
    const entry = { until: this.#clock.now() + knownMs, value };
    this.#known.set(path, entry);
    try {
      return await value;
    } catch (error) {
      if (this.#known.get(path) === entry) this.#known.delete(path);
      throw error;
    }
  }
}

function unlessAborted(signal: AbortSignal): (error: unknown) => undefined {
  return (error) => {
    if (signal.aborted) throw error;
    return undefined;
  };
}
