/** Paths of the API server (wire.md#paths). */

/** Path of a socket; modelUuid '' = the controller. */
export interface SocketPath {
  readonly kind: 'api' | 'commands' | 'log';
  readonly modelUuid: string;
  readonly query: URLSearchParams;
}

export type HttpPath =
  | { readonly kind: 'health' }
  | { readonly kind: 'slow-turns' }
  | { readonly kind: 'register' }
  | {
      readonly kind: 'discharge' | 'discharge-key' | 'login-form' | 'offer-discharge' | 'offer-discharge-key';
    }
  | { readonly kind: 'program'; readonly sha256: string }
  /** Archives of backups; the body names one. */
  | { readonly kind: 'backups'; readonly modelUuid: string; readonly query: URLSearchParams }
  | { readonly kind: 'local-image'; readonly base: string; readonly query: URLSearchParams }
  /** Path of an agent bundle, such as `3.6.28-ubuntu-amd64`. */
  | {
      readonly kind: 'tools';
      readonly modelUuid: string;
      readonly tools: string;
      readonly query: URLSearchParams;
    }
  /** Path of a machine's boot reports; `machine` is its tag. */
  | {
      readonly kind: 'boot';
      readonly modelUuid: string;
      readonly machine: string;
      readonly query: URLSearchParams;
    }
  /** Resource of an application, or of a unit (its tag), whose agent reads it. */
  | {
      readonly kind: 'resource';
      readonly modelUuid: string;
      readonly owner: { readonly application: string } | { readonly unit: string };
      readonly resource: string;
      readonly query: URLSearchParams;
    }
  /**
   * Paths of charms. `charms`: the older form, with everything in the query. `charm`: one object, `<name>-<7 hex of its
   * SHA-256>`.
   */
  | { readonly kind: 'charms'; readonly modelUuid: string; readonly query: URLSearchParams }
  | {
      readonly kind: 'charm';
      readonly modelUuid: string;
      readonly object: string;
      readonly isWritable: boolean;
    };

export function matchSocketPath(url: string): SocketPath | undefined {
  const { path, query } = split(url);
  if (path === '/') return { kind: 'api', modelUuid: '', query };
  const match = /^(?:\/model\/([^/]+))?\/(api|commands|log)$/.exec(path);
  return match ? { kind: match[2] as SocketPath['kind'], modelUuid: match[1] ?? '', query } : undefined;
}

export function matchHttpPath(url: string): HttpPath | undefined {
  const { path, query } = split(url);
  if (path === '/health') return { kind: 'health' };
  if (path === '/introspection/slow-turns') return { kind: 'slow-turns' };
  if (path === '/register') return { kind: 'register' };
  if (path === '/auth/discharge') return { kind: 'discharge' };
  if (path === '/auth/publickey' || path === '/auth/discharge/info') return { kind: 'discharge-key' };
  if (path === '/auth/form') return { kind: 'login-form' };
  if (path === '/offeraccess/discharge') return { kind: 'offer-discharge' };
  if (path === '/offeraccess/publickey' || path === '/offeraccess/discharge/info')
    return { kind: 'offer-discharge-key' };
  if (path === '/charms') return { kind: 'charms', modelUuid: '', query };
  const program = /^\/programs\/([^/]+)$/.exec(path);
  if (program) return { kind: 'program', sha256: program[1]! };
  const image = /^\/local-images\/([^/]+)$/.exec(path);
  if (image) return { kind: 'local-image', base: decode(image[1]!) ?? '', query };
  const backups = /^\/model\/([^/]+)\/backups$/.exec(path);
  if (backups) return { kind: 'backups', modelUuid: backups[1]!, query };
  const tools = /^\/model\/([^/]+)\/tools\/([^/]+)$/.exec(path);
  if (tools) return { kind: 'tools', modelUuid: tools[1]!, tools: tools[2]!, query };
  const boot = /^\/model\/([^/]+)\/machine\/([\da-z-]+)\/boot$/.exec(path);
  if (boot) return { kind: 'boot', modelUuid: boot[1]!, machine: `machine-${boot[2]}`, query };
  const resource = /^\/model\/([^/]+)\/(applications|units)\/([^/]+)\/resources\/([^/]+)$/.exec(path);
  if (resource) {
    const [owner, name] = [decode(resource[3]!), decode(resource[4]!)];
    if (owner === undefined || name === undefined) return undefined;
    return {
      kind: 'resource',
      modelUuid: resource[1]!,
      owner: resource[2] === 'units' ? { unit: owner } : { application: owner },
      resource: name,
      query,
    };
  }
  const match = /^\/model([-/])([^/]+)\/charms(?:\/([^/]+))?$/.exec(path);
  if (!match) return undefined;
  const [, form, modelUuid, object] = match;
  if (object !== undefined) {
    const decoded = decode(object);
    return decoded === undefined
      ? undefined
      : { kind: 'charm', modelUuid: modelUuid!, object: decoded, isWritable: form === '-' };
  }
  return form === '/' ? { kind: 'charms', modelUuid: modelUuid!, query } : undefined;
}

function split(url: string): { path: string; query: URLSearchParams } {
  const mark = url.indexOf('?');
  return mark < 0
    ? { path: url, query: new URLSearchParams() }
    : { path: url.slice(0, mark), query: new URLSearchParams(url.slice(mark + 1)) };
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
